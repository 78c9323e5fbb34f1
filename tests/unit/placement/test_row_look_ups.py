"""Which single rows of large tables are looked up by their whole keys, and what that spares."""

from dataclasses import replace

import pytest

from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.look_ups import Spared
from placement.fragments.reduced_work import reduced_work
from placement.fragments.reductions import reduced_fragments
from placement.stores import Capability
from tests.catalogs import shop, table
from tests.data_fixtures import statement
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.indexes import Index, NamedIndex
from workloads.sql import footprint

ITEMS = 5_000_000
ITEM = ("r_order", "r_line"), ("i_order", "i_line")
JOINED = "FROM refund JOIN item ON r_order = i_order AND r_line = i_line"


def catalog(items: int = ITEMS) -> Catalog:
    """Return the shop with so many items, a fifth of which had to be paid back."""
    columns = dict.fromkeys(("r_order", "r_line", "r_day", "r_reason"), "BIGINT")
    refund = table("refund", 1_000_000, columns, ITEM[0])
    reason = table("reason", 1_000, {"a_id": "BIGINT", "a_text": "BIGINT"}, ("a_id",))
    columns = dict.fromkeys(("i_order", "i_line", "i_price", "i_reason"), "BIGINT")
    item = table("item", items, columns, ("i_order", "i_line"))
    tables = {**shop().tables, "item": item, "refund": refund, "reason": reason}
    return replace(shop(), tables=tables)


def fragments(sql: str, of: Catalog) -> tuple[Fragment, ...]:
    found = footprint(statement(sql), of, "duckdb")
    estimator = Estimator(of, found)
    every = enumerate_fragments(found, estimator)
    return (*every, *reduced_fragments(found, estimator, every))


def joining(sql: str, of: Catalog, *, by_keys: bool = False) -> Fragment:
    """Return the fragment that joins refunds and items, by another's keys or by none's."""
    (found,) = (
        each
        for each in fragments(sql, of)
        if each.sources == ("b0.item", "b0.refund")
        and each.kind is Capability.JOIN
        and bool(each.reduction.reducers) == by_keys
    )
    return found


def test_items_are_looked_up_by_few_refunds():
    few = joining(f"SELECT i_price {JOINED} WHERE r_day < 5000", catalog())
    all_of_them = joining(f"SELECT i_price {JOINED}", catalog())
    (found,) = few.reduction.look_ups
    assert (found.source, found.by, found.whole_key) == ("b0.item", "b0.refund", True)
    assert found.share == pytest.approx(5_000 / ITEMS, rel=0.01)
    assert all_of_them.reduction.look_ups == ()
    assert found.spared_bytes > 0.9 * catalog().table("item").bytes
    assert few.work.scan_bytes == pytest.approx(all_of_them.work.scan_bytes - found.spared_bytes)
    assert few.work.join_rows < all_of_them.work.join_rows / 10


def test_the_whole_key_goes_before_its_first_column():
    one_day = joining(f"SELECT i_price {JOINED} WHERE r_day = 7", catalog())
    assert [(each.source, each.whole_key) for each in one_day.reduction.look_ups] == [
        ("b0.item", True)
    ]


def test_the_whole_query_spares_as_much_as_its_join():
    whole, *_ = fragments(f"SELECT i_price {JOINED} WHERE r_day < 5000", catalog())
    join = joining(f"SELECT i_price {JOINED} WHERE r_day < 5000", catalog())
    assert whole.kind is Capability.QUERY
    assert (whole.reduction.look_ups, whole.work.scan_bytes) == (
        join.reduction.look_ups,
        join.work.scan_bytes,
    )


def test_refunds_that_keys_of_another_store_leave_lead_to_items():
    sql = f"SELECT i_price {JOINED} JOIN reason ON r_reason = a_id WHERE a_text = 7"
    assert joining(sql, catalog()).reduction.look_ups == ()
    reduced = joining(sql, catalog(), by_keys=True)
    (found,) = reduced.reduction.look_ups
    assert (found.source, found.whole_key) == ("b0.item", True)
    assert reduced.work.scan_bytes == pytest.approx(
        joining(sql, catalog()).work.scan_bytes - found.spared_bytes
    )


def test_what_the_table_itself_is_joined_with_leads_to_none_of_its_rows():
    sql = f"SELECT i_price {JOINED} JOIN reason ON i_reason = a_id WHERE a_text = 7"
    found = [look_up for each in fragments(sql, catalog()) for look_up in each.reduction.look_ups]
    assert {each.source for each in found} == {"b0.refund"}


@pytest.mark.parametrize(
    ("sql", "items"),
    [
        pytest.param(f"SELECT i_price {JOINED} WHERE r_day < 5000", 90_000, id="a small table"),
        pytest.param(f"SELECT i_price {JOINED} WHERE r_day < 90000", ITEMS, id="many refunds"),
        pytest.param(
            "SELECT i_price FROM refund JOIN item ON r_order = i_order WHERE r_day < 5000",
            ITEMS,
            id="a part of the key",
        ),
        pytest.param(
            "SELECT i_price FROM refund LEFT JOIN item ON r_order = i_order AND r_line = i_line "
            "WHERE r_day < 5000",
            ITEMS,
            id="an outer join",
        ),
    ],
)
def test_no_row_is_looked_up(sql: str, items: int):
    every = fragments(sql, catalog(items))
    assert not [found for each in every for found in each.reduction.look_ups if found.whole_key]


def indexed_catalog(column: str = "i_line") -> Catalog:
    """Return the catalog whose items may have an index over a column."""
    index = Index(columns=(column,), is_chosen=True)
    item = replace(catalog().table("item"), indexes=(index,))
    return replace(catalog(), tables={**catalog().tables, "item": item})


def test_an_index_spares_no_rows_that_a_look_up_spares_already():
    sql = f"SELECT i_price {JOINED} JOIN reason ON r_reason = a_id WHERE a_text = 7"
    (plain, *_), (found, *_) = fragments(sql, catalog()), fragments(sql, indexed_catalog())
    index = NamedIndex("item", ("i_line",))
    spared = [each.spared_rows for each in found.work.index_reads if each.index == index]
    assert [each.source for each in found.reduction.look_ups] == ["b0.item"]
    assert found.work.join_rows == plain.work.join_rows
    assert spared
    assert max(spared) <= found.work.join_rows


def test_an_index_spares_no_rows_that_a_look_up_by_sent_keys_spares():
    sql = "SELECT i_price FROM item JOIN reason ON i_reason = a_id WHERE a_text < 50"
    work = next(
        each.work
        for each in fragments(sql, indexed_catalog("i_reason"))
        if each.kind is Capability.JOIN
    )
    look_up = joining(f"SELECT i_price {JOINED} WHERE r_day < 5000", catalog()).reduction.look_ups
    reduced = reduced_work(work, 1.0, Spared(), look_up, ())
    before, after = (
        [read.spared_rows for read in each.index_reads if read.clustered]
        for each in (work, reduced)
    )
    assert before
    assert after == [max(0.0, rows - look_up[0].spared_rows) for rows in before]


def test_sent_keys_spare_no_bytes_by_an_index_that_a_primary_key_spares_already():
    sql = (
        "SELECT i_price FROM refund JOIN item ON r_order = i_order "
        "JOIN reason ON i_reason = a_id WHERE r_day < 5000 AND a_text < 50"
    )
    (found,) = (
        each
        for each in fragments(sql, indexed_catalog("i_reason"))
        if each.sources == ("b0.item", "b0.refund") and each.reduction.reducers
    )
    clustered_bytes = found.work.clustered_bytes
    assert clustered_bytes is not None
    assert clustered_bytes < catalog().table("item").bytes / 2
    spared = [each.spared_bytes for each in found.work.index_reads if each.clustered]
    assert spared
    assert max(spared) <= clustered_bytes
