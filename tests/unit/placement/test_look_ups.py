"""Which tables are looked up by their keys, and what that spares."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.stores.accumulo.backend import Accumulo
from evaluation.stores.mysql.servers import MARIADB
from placement.fragment import Fragment
from placement.fragment_work import work
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.key_ranges import BLOCK_BYTES, MOST_RANGES, spared_by_ranges
from placement.fragments.look_ups import Spared, spared_by_keys
from placement.fragments.reductions import reduced_fragments
from placement.stores import Capability
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.catalog import Catalog, ColumnStatistics
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

JOINED = "FROM item JOIN orders ON i_order = o_id"
SCANS = {"index_rows_per_s": None}
"""Of a store that finds no rows by filters on indexes: what is read there is told by joins."""


def large(rows: int = 5_000_000, correlation: float | None = None) -> Catalog:
    """Return the shop with `rows` items, whose keys have this correlation with their order."""
    tables = dict(shop().tables)
    first, *others = tables["item"].columns
    known = replace(first.statistics or ColumnStatistics(distinct=1, null_share=0.0))
    first = replace(first, statistics=replace(known, correlation=correlation))
    tables["item"] = replace(tables["item"], rows=rows, columns=(first, *others))
    return replace(shop(), tables=tables)


def joined(sql: str, catalog: Catalog) -> Fragment:
    """Return the fragment that joins all sources of a query's only block."""
    found = footprint(statement(sql), catalog, "duckdb")
    every = enumerate_fragments(found, Estimator(catalog, found))
    joins = [each for each in every if each.kind is Capability.JOIN]
    return max(joins, key=lambda each: len(each.sources))


def test_items_are_looked_up_by_few_orders():
    fragment = joined(f"SELECT i_price {JOINED} WHERE o_id = 7", large())
    (found,) = fragment.reduction.look_ups
    assert (found.source, found.by) == ("b0.item", "b0.orders")
    assert found.share == pytest.approx(1 / 50_000)
    assert found.spared_rows == pytest.approx(5_000_000, rel=0.01)
    assert found.spared_bytes == pytest.approx(large().table("item").bytes, rel=0.02)


def test_what_is_spared_is_neither_read_nor_joined():
    few = joined(f"SELECT i_price {JOINED} WHERE o_id = 7", large())
    many = joined(f"SELECT i_price {JOINED} WHERE o_id > 7", large())
    assert many.reduction.look_ups == ()
    assert few.work.scan_bytes < many.work.scan_bytes / 50
    assert few.work.join_rows < many.work.join_rows / 50


def test_the_whole_query_spares_as_much_as_its_join():
    sql = f"SELECT i_price {JOINED} WHERE o_id = 7"
    found = footprint(statement(sql), large(), "duckdb")
    whole, *_ = enumerate_fragments(found, Estimator(large(), found))
    assert whole.kind is Capability.QUERY
    assert whole.reduction.look_ups == joined(sql, large()).reduction.look_ups
    assert whole.work.scan_bytes == joined(sql, large()).work.scan_bytes


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        pytest.param(f"SELECT i_price {JOINED} WHERE o_id = 7", 90_000, id="a small table"),
        pytest.param(f"SELECT i_price {JOINED}", 5_000_000, id="nothing is filtered"),
        pytest.param(f"SELECT i_price {JOINED} WHERE i_line = 7", 5_000_000, id="its own filter"),
        pytest.param(f"SELECT i_price {JOINED} WHERE o_id < 5000", 5_000_000, id="many orders"),
        pytest.param(
            "SELECT i_price FROM item JOIN orders ON i_line = o_id WHERE o_id = 7",
            5_000_000,
            id="not the first column of the key",
        ),
        pytest.param(
            "SELECT i_price FROM orders LEFT JOIN item ON i_order = o_id WHERE o_id = 7",
            5_000_000,
            id="an outer join",
        ),
    ],
)
def test_nothing_is_looked_up(sql: str, rows: int):
    assert joined(sql, large(rows)).reduction.look_ups == ()


@pytest.mark.parametrize("correlation", [1.0, -0.95])
def test_more_is_looked_up_of_a_table_in_the_order_of_its_key(correlation: float):
    sql = f"SELECT i_price {JOINED} WHERE o_id BETWEEN 1 AND 900"
    assert joined(sql, large()).reduction.look_ups == ()
    assert joined(sql, large(correlation=0.5)).reduction.look_ups == ()
    (found,) = joined(sql, large(correlation=correlation)).reduction.look_ups
    assert found.share == pytest.approx(900 / 50_000, rel=0.01)
    assert found.spared_bytes == pytest.approx((1 - 3 * found.share) * large().table("item").bytes)


@pytest.mark.parametrize(
    ("column", "most"), [("i_order", 3 / 50_000), ("i_price", 1.0)], ids=["key", "other"]
)
def test_a_clustered_store_finds_rows_by_their_key_whatever_their_order_elsewhere(
    column: str, most: float
):
    sql = f"SELECT i_price FROM item JOIN orders ON {column} = o_id WHERE o_id = 7"
    fragment = joined(sql, large(correlation=0.0))
    item, orders = (large().table(name).bytes for name in ("item", "orders"))
    assert fragment.work.clustered_bytes is not None
    assert fragment.work.clustered_bytes == pytest.approx(most * item + orders, rel=0.02)
    assert MARIADB.strength.clustered
    row, clustered = (
        work(fragment, replace(MARIADB.strength, clustered=each, **SCANS), 2).scanned_bytes
        for each in (False, True)
    )
    assert (row, clustered) == (fragment.work.scan_bytes, fragment.work.clustered_bytes)


def test_a_clustered_store_reads_a_table_of_which_many_rows_are_found():
    sql = f"SELECT i_price {JOINED} WHERE o_total > 7"
    fragment = joined(sql, large(correlation=0.0))
    assert fragment.work.clustered_bytes == fragment.work.scan_bytes


@pytest.mark.parametrize(
    ("last", "heap_reads"), [(100, 1 - (1 - 50 * 100 / 50_000)), (1_500, 1.0)], ids=["few", "more"]
)
def test_keys_that_are_sent_spare_a_clustered_store_more(last: int, heap_reads: float):
    sql = f"SELECT i_price {JOINED} WHERE o_id BETWEEN 1 AND {last}"
    found = footprint(statement(sql), large(correlation=0.0), "duckdb")
    estimator = Estimator(large(correlation=0.0), found)
    reduced = reduced_fragments(found, estimator, enumerate_fragments(found, estimator))
    (scan,) = (each for each in reduced if each.sources == ("b0.item",))
    size = large().table("item").bytes
    assert scan.work.scan_bytes == pytest.approx(heap_reads * size, rel=0.02)
    assert scan.work.clustered_bytes == pytest.approx(3 * last / 50_000 * size, rel=0.02)


def reduced_items(condition: str, join: str = "i_order = o_id") -> Fragment:
    """Return the scan of a large table by the keys of orders; its key begins with i_order."""
    catalog = large(correlation=0.0)
    sql = f"SELECT i_price FROM item JOIN orders ON {join} WHERE {condition}"
    found = footprint(statement(sql), catalog, "duckdb")
    estimator = Estimator(catalog, found)
    reduced = reduced_fragments(found, estimator, enumerate_fragments(found, estimator))
    return min(
        (each for each in reduced if each.sources == ("b0.item",)),
        key=lambda each: each.work.rows_out,
    )


def read_by_ranges(scan: Fragment) -> float:
    """Return the share of the table that an Accumulo is priced as reading."""
    read = work(scan, replace(Accumulo.strength, **SCANS), 2).scanned_bytes
    return read / large().table("item").bytes


def test_a_store_that_reads_ranges_of_keys_reads_the_blocks_that_they_lie_in():
    size = large().table("item").bytes
    one = reduced_items("o_id = 7")
    assert read_by_ranges(one) * size == pytest.approx(BLOCK_BYTES, rel=0.1)
    assert read_by_ranges(reduced_items("o_id BETWEEN 1 AND 100")) == pytest.approx(0.05, rel=0.3)
    assert read_by_ranges(reduced_items("o_id BETWEEN 1 AND 15000")) == pytest.approx(1.0, rel=0.01)
    whole = replace(Accumulo.strength, key_ranges=False)
    assert work(one, whole, 2).scanned_bytes == one.work.scan_bytes


def test_keys_that_rows_must_match_in_two_columns_spare_no_blocks():
    few = "i_order = o_id AND i_line = o_customer"
    assert read_by_ranges(reduced_items("o_id BETWEEN 1 AND 100", few)) == 1.0


def test_keys_of_a_type_that_is_not_sent_spare_nothing():
    catalog = large(correlation=0.0)
    tables = dict(catalog.tables)
    orders = tables["orders"]
    texts = [
        replace(each, type="VARCHAR") if each.name == "o_id" else each for each in orders.columns
    ]
    tables["orders"] = replace(orders, columns=tuple(texts))
    catalog = replace(catalog, tables=tables)
    found = footprint(statement(f"SELECT i_price {JOINED} WHERE o_total < 1"), catalog, "duckdb")
    estimator = Estimator(catalog, found)
    item = next(each for each in found.sources() if each.table == "item")
    orders_alias = next(each.alias for each in found.sources() if each.table == "orders")
    block = found.block(item.block)
    spared = spared_by_keys(block, item, {orders_alias}, lambda _: 1.0, estimator)
    assert spared == Spared()


@pytest.mark.parametrize(("key_bytes", "read"), [(1e7, 0.06), (BLOCK_BYTES, 0.1164), (1e3, 1.0)])
def test_keys_of_many_rows_read_few_blocks_beside_theirs(key_bytes: float, read: float):
    size = 18_000 * key_bytes
    assert 1 - spared_by_ranges(size, 0.06, 1_080) / size == pytest.approx(read, rel=0.03)


def test_more_keys_than_there_are_ranges_of_spare_nothing():
    java = Path(__file__).parents[3] / "evaluation/stores/accumulo/java/placementadvisor/accumulo"
    assert f"MOST = {MOST_RANGES:_};" in (java / "rows/KeyRanges.java").read_text()
    assert spared_by_ranges(1e9, 0.1, MOST_RANGES) > 0
    assert spared_by_ranges(1e9, 0.1, MOST_RANGES + 1) == 0
