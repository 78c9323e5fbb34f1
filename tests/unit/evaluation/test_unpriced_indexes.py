"""MariaDB and MySQL are told not to read by chosen indexes that a price does not have."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from sqlglot import parse_one

from evaluation.federation.store_dialect import StoreDialect
from evaluation.federation.unpriced_indexes import without_unpriced_indexes
from evaluation.store_protocol.indexes import index_name
from placement.plan import RoutedFragment
from tests.catalogs import table
from tests.unit.placement.problems import fragment
from workloads.catalog import Catalog
from workloads.indexes import Index, NamedIndex

COLUMNS = {"id": "BIGINT", "Day": "DATE", "who": "INT"}
CATALOG = Catalog(
    name="shop",
    tables={
        "Orders": table("Orders", 10, COLUMNS, ("id",)),
        "own": table("own", 10, {"id": "BIGINT"}, ("id",)),
    },
)
BY_DAY, BY_WHO = NamedIndex("Orders", ("Day",)), NamedIndex("Orders", ("who", "Day"))


def named(columns: tuple[str, ...], *, unique: bool = False) -> str:
    return index_name(CATALOG.table("Orders"), Index(columns=columns, unique=unique))


DAY, WHO, KEY = named(BY_DAY.columns), named(BY_WHO.columns), named(("id",), unique=True)
MADE = {"orders": frozenset({DAY, WHO}), "own": frozenset({"advisor_3"})}
BOTH = ", ".join(sorted((f"`{DAY}`", f"`{WHO}`")))
SQL = (
    "SELECT 1 FROM shop.Orders AS o JOIN shop.own AS w ON w.id = o.id,"
    " (SELECT day FROM shop.Orders) AS x"
)


def hinted(
    read_by: tuple[NamedIndex, ...] | None,
    sql: str = SQL,
    made: Mapping[str, frozenset[str]] = MADE,
    catalog: Catalog = CATALOG,
) -> str:
    target = StoreDialect(
        dialect="mysql", namespace="shop", own={"own": CATALOG.table("own")}, indexes=made
    )
    asked = fragment("q", ("o", "w"), {"o": "Orders", "w": "own"})
    routed = RoutedFragment(fragment=asked, store="a", predicted_s=1.0, read_by=read_by)
    tree = without_unpriced_indexes(parse_one(sql, read="duckdb"), routed, catalog, target)
    return tree.sql("mysql")


def test_each_occurrence_of_a_table_is_told_of_all_that_no_price_has() -> None:
    found = hinted(())
    assert found.count(f"IGNORE INDEX ({BOTH})") == 2
    assert "Orders AS o IGNORE INDEX" in found
    # The store's own table has indexes of its user's.
    assert "advisor_3" not in found


def test_an_index_that_the_price_has_may_be_read_by() -> None:
    assert hinted((BY_DAY,)).count(f"IGNORE INDEX (`{WHO}`)") == 2
    assert "IGNORE" not in hinted((BY_DAY, BY_WHO))


def test_an_index_that_copies_have_everywhere_is_left_to_the_store() -> None:
    orders = replace(CATALOG.table("Orders"), indexes=(Index(columns=("Day",)),))
    catalog = Catalog(name="shop", tables={**CATALOG.tables, "Orders": orders})
    assert hinted((), catalog=catalog).count(f"IGNORE INDEX (`{WHO}`)") == 2


def test_a_primary_key_of_text_which_is_an_index_there_is_read_by() -> None:
    assert "IGNORE" not in hinted((), made={"orders": frozenset({KEY})})


def test_a_cte_that_is_called_as_a_table_is_none() -> None:
    found = hinted((), "WITH Orders AS (SELECT id FROM shop.Orders) SELECT 1 FROM Orders AS o")
    assert found.count("IGNORE") == 1
    assert f"shop.Orders IGNORE INDEX ({BOTH})" in found


@pytest.mark.parametrize(("read_by", "made"), [(None, MADE), ((), {})])
def test_nothing_is_told_where_a_plan_does_not_say_or_nothing_was_made(
    read_by: tuple[NamedIndex, ...] | None, made: Mapping[str, frozenset[str]]
) -> None:
    assert "IGNORE" not in hinted(read_by, made=made)
