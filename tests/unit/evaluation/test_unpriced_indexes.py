"""MariaDB and MySQL are told not to read by chosen indexes that a price does not have."""

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import parse_one

from evaluation.federation.store_dialect import StoreDialect
from evaluation.federation.unpriced_indexes import without_unpriced_indexes
from placement.plan import RoutedFragment
from tests.catalogs import table
from tests.unit.placement.problems import fragment
from workloads.catalog import Catalog
from workloads.indexes import Index, NamedIndex

CATALOG = Catalog(
    name="shop",
    tables={
        "Orders": table("Orders", 10, {"id": "BIGINT", "Day": "DATE", "who": "INT"}, ("id",)),
        "own": table("own", 10, {"id": "BIGINT"}, ("id",)),
    },
)
MADE = {
    "orders": {"advisor_1": ("day",), "advisor_2": ("who", "day")},
    "own": {"advisor_3": ("id",)},
}
SQL = "SELECT 1 FROM Orders AS o JOIN own AS w ON w.id = o.id, (SELECT day FROM orders) AS x"


def hinted(
    read_by: tuple[NamedIndex, ...] | None,
    made: Mapping[str, Mapping[str, tuple[str, ...]]] = MADE,
    catalog: Catalog = CATALOG,
) -> str:
    target = StoreDialect(
        dialect="mysql", namespace="shop", own={"own": CATALOG.table("own")}, indexes=made
    )
    asked = fragment("q", ("o", "w"), {"o": "Orders", "w": "own"})
    routed = RoutedFragment(fragment=asked, store="a", predicted_s=1.0, read_by=read_by)
    tree = without_unpriced_indexes(parse_one(SQL, read="duckdb"), routed, catalog, target)
    return tree.sql("mysql")


def test_each_occurrence_of_a_table_is_told_of_all_that_no_price_has() -> None:
    found = hinted(())
    assert found.count("IGNORE INDEX (`advisor_1`, `advisor_2`)") == 2
    assert "Orders AS o IGNORE INDEX" in found
    # The store's own table has indexes of its user's.
    assert "advisor_3" not in found


def test_an_index_that_the_price_has_may_be_read_by() -> None:
    found = hinted((NamedIndex("Orders", ("Day",)),))
    assert found.count("IGNORE INDEX (`advisor_2`)") == 2


def test_an_index_that_copies_have_everywhere_is_left_to_the_store() -> None:
    orders = replace(CATALOG.table("Orders"), indexes=(Index(columns=("Day",)),))
    catalog = Catalog(name="shop", tables={**CATALOG.tables, "Orders": orders})
    assert hinted((), catalog=catalog).count("IGNORE INDEX (`advisor_2`)") == 2


def test_nothing_is_told_where_a_plan_does_not_say_or_nothing_was_made() -> None:
    assert "IGNORE" not in hinted(None)
    assert "IGNORE" not in hinted((), made={})
