"""Which sources a store reads by an index, what that spares, and when a scan is cheaper."""

import random
from dataclasses import replace

import pytest

from evaluation.stores.duckdb.backend import DuckDB
from evaluation.stores.mysql.servers import MARIADB
from evaluation.stores.postgresql.backend import PostgreSQL
from placement.fragment import IndexRead
from placement.fragment_work import work
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.index_findings import CLUSTERED_PAGE_BYTES
from placement.fragments.reductions import reduced_fragments
from placement.limits.check import check
from placement.limits.own_prices import fragment_s
from placement.plan_file import read_plan, write_plan
from placement.problem import PlacementProblem
from placement.reasons.parameters import rates
from placement.reasons.scaled_problem import ScaledProblem
from placement.routing.routing import plan_for
from placement.stores import Strength
from tests.data_fixtures import statement
from tests.unit.placement.indexed_shop import ROWS, fragments, large, seconds, whole, with_table
from tests.unit.placement.problems import changed, problem, query, store
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.indexes import PARTIAL, Index
from workloads.sql import footprint


def with_column(name: str, **changes: object) -> Catalog:
    """Return the large shop with a column of the orders that is different in something."""
    orders = large().table("orders")
    columns = tuple(
        replace(each, **changes) if each.name == name else each for each in orders.columns
    )
    return with_table(large(), replace(orders, columns=columns))


def reads(sql: str, catalog: Catalog | None = None, *, clustered: bool = False) -> list[IndexRead]:
    found = whole(sql, catalog).work.index_reads
    return [each for each in found if each.clustered is clustered]


@pytest.mark.parametrize("clustered", [False, True])
def test_one_customer_s_orders_are_found_by_the_index(clustered: bool) -> None:
    (read,) = reads("SELECT o_total FROM orders WHERE o_customer = 7", clustered=clustered)
    # The shop's customers are a tenth of its 10,000 orders.
    assert read.rows == pytest.approx(ROWS / 1_000)
    assert read.source == "b0.orders"
    assert read.spared_bytes == large().table("orders").bytes


def test_each_key_of_a_list_is_sought() -> None:
    (read,) = reads("SELECT o_total FROM orders WHERE o_customer IN (-1, -2, -3)")
    assert read.rows == 3


def test_a_range_behind_an_equality_is_served_by_the_same_index() -> None:
    equal = "SELECT o_id FROM orders WHERE o_day = DATE '1970-01-09'"
    (day,) = reads(equal)
    (both,) = reads(f"{equal} AND o_total BETWEEN 10 AND 20")
    assert both.rows < day.rows / 100


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param("o_total = 8", id="not the first column"),
        pytest.param("o_customer + 0 = 7", id="an expression"),
        pytest.param("o_customer <> 7", id="no range"),
        pytest.param("o_customer > 10", id="too wide"),
        pytest.param("(o_customer = 7 OR o_total = 8)", id="another column may match"),
    ],
)
def test_what_no_index_finds_is_scanned(condition: str) -> None:
    assert reads(f"SELECT o_id FROM orders WHERE {condition}") == []


def test_an_index_that_copies_lack_counts_for_nothing() -> None:
    orders = large().table("orders")
    partial = replace(orders, indexes=(Index(columns=("o_customer",), obstacle=PARTIAL),))
    sql = "SELECT o_total FROM orders WHERE o_customer = 7"
    assert reads(sql, with_table(large(), partial)) == []


def test_a_hash_finds_no_range() -> None:
    hashed = replace(
        large().table("orders"), indexes=(Index(columns=("o_customer",), method="hash"),)
    )
    catalog = with_table(large(), hashed)
    assert reads("SELECT o_total FROM orders WHERE o_customer < 9", catalog) == []
    assert reads("SELECT o_total FROM orders WHERE o_customer = 9", catalog) != []


def test_a_column_that_is_read_in_another_form_is_not_found_by_its_index() -> None:
    catalog = with_column("o_customer", read_as='{} COLLATE "C"')
    assert reads("SELECT o_total FROM orders WHERE o_customer = 7", catalog) == []


def test_rows_in_the_index_s_order_are_read_in_order() -> None:
    orders = large().table("orders")
    (known,) = (each.statistics for each in orders.columns if each.name == "o_customer")
    assert known is not None
    catalog = with_column("o_customer", statistics=replace(known, correlation=1.0))
    sql = "SELECT o_total FROM orders WHERE o_customer = 7"
    (ordered,), (scattered,) = reads(sql, catalog), reads(sql)
    assert ordered.rows == 1 < scattered.rows
    assert ordered.spared_bytes == pytest.approx(0.997 * scattered.spared_bytes)


def test_a_row_is_found_by_its_primary_key() -> None:
    for clustered in (False, True):
        (read,) = reads("SELECT o_total FROM orders WHERE o_id = 7", clustered=clustered)
        assert read.rows < 1 + ROWS / 10_000


def test_an_index_with_all_columns_of_the_query_is_read_in_order_where_it_ends_with_the_key() -> (
    None
):
    (covering,) = reads("SELECT o_id FROM orders WHERE o_customer = 7", clustered=True)
    (fetching,) = reads("SELECT o_total FROM orders WHERE o_customer = 7", clustered=True)
    assert covering.rows == 1 < fetching.rows


def test_a_small_table_is_scanned() -> None:
    catalog = large()
    small = with_table(catalog, replace(catalog.table("orders"), rows=9_000))
    assert reads("SELECT o_total FROM orders WHERE o_customer = 7", small) == []


JOINED = "SELECT i_price FROM orders JOIN item ON i_line = o_id WHERE o_customer = 7"


def test_nested_loops_find_rows_by_the_index_of_the_joined_column() -> None:
    """PostgreSQL's sessions have nested loops off: there the items are scanned."""
    found = {each.source: each for each in reads(JOINED, clustered=True)}
    assert found.keys() == {"b0.orders", "b0.item"}
    assert found["b0.item"].spared_rows > 0.9 * ROWS
    assert {each.source for each in reads(JOINED)} == {"b0.orders"}


def test_sent_keys_are_sought_in_the_index_of_the_joined_column() -> None:
    catalog = large()
    sql = "SELECT i_price, o_total FROM orders JOIN item ON i_line = o_id WHERE o_customer = 7"
    found = footprint(statement(sql), catalog, "duckdb")
    estimator = Estimator(catalog, found)
    every = enumerate_fragments(found, estimator)
    (alone,) = (each for each in every if each.sources == ("b0.item",))
    (reduced,) = (
        each for each in reduced_fragments(found, estimator, every) if each.sources == ("b0.item",)
    )
    assert alone.work.index_reads == ()
    assert {each.clustered for each in reduced.work.index_reads} == {True, False}
    for strength in (PostgreSQL.strength, MARIADB.strength):
        assert seconds(reduced, strength) < seconds(alone, strength) / 3


@pytest.mark.parametrize("strength", [PostgreSQL.strength, MARIADB.strength])
def test_the_cheaper_of_scan_and_index_is_charged(strength: Strength) -> None:
    few = whole("SELECT o_total FROM orders WHERE o_customer = 7")
    many = whole("SELECT o_total FROM orders WHERE o_customer < 2500")
    for each in (few, many):
        assert each.work.index_reads
        scanned = changed(each, index_reads=())
        assert seconds(each, strength) <= seconds(scanned, strength)
    assert seconds(few, strength) < seconds(changed(few, index_reads=()), strength) / 10
    assert seconds(many, strength) == seconds(changed(many, index_reads=()), strength)


def test_a_store_that_reads_through_no_index_scans() -> None:
    each = whole("SELECT o_total FROM orders WHERE o_customer = 7")
    assert work(each, DuckDB.strength, 1).index_rows == 0
    assert seconds(each, DuckDB.strength) == seconds(changed(each, index_reads=()), DuckDB.strength)


def test_of_two_indexes_the_cheaper_one_is_charged() -> None:
    each = whole("SELECT o_id FROM orders WHERE o_customer = 7 AND o_day = DATE '1970-01-09'")
    both = [read for read in each.work.index_reads if not read.clustered]
    assert len(both) == 2
    asked = work(each, PostgreSQL.strength, 1)
    assert asked.index_rows == min(read.rows for read in both)
    assert asked.scanned_bytes == 0


def test_a_disk_is_not_read_for_what_an_index_spares() -> None:
    cold = replace(PostgreSQL.strength, kept_bytes=1e7, missed_bytes_per_s=1e8)
    each = whole("SELECT o_total FROM orders WHERE o_customer = 7")
    assert seconds(each, cold) == seconds(each, PostgreSQL.strength)


def test_rows_that_lie_in_a_few_pages_are_found_in_them() -> None:
    (few,) = reads("SELECT o_total FROM orders WHERE o_customer = 7", clustered=True)
    assert few.fetched_pages == few.rows
    # Drawn: in how many pages as many rows lie.
    pages = large().table("orders").bytes // CLUSTERED_PAGE_BYTES
    drawn = random.Random(0).choices(range(pages), k=round(few.rows))
    assert few.touched_bytes == pytest.approx(len({*drawn}) * CLUSTERED_PAGE_BYTES, rel=0.05)


def test_pages_of_an_index_read_that_memory_does_not_hold_come_from_the_disk() -> None:
    each = whole("SELECT o_total FROM orders WHERE o_customer = 7")
    (read,) = (read for read in each.work.index_reads if read.clustered)
    holding = replace(MARIADB.strength, pool_bytes=read.touched_bytes, missed_pages_per_s=1e5)
    assert seconds(each, holding) == seconds(each, replace(holding, pool_bytes=None))
    # A scan's memory holds them where nothing else is known.
    scanned_bytes = read.touched_bytes / 2
    assert seconds(each, replace(holding, pool_bytes=None, kept_bytes=scanned_bytes)) == seconds(
        each, replace(holding, pool_bytes=scanned_bytes, kept_bytes=scanned_bytes)
    )
    # Half of all pages are missed.
    half = replace(holding, pool_bytes=read.touched_bytes / 2)
    more_s = seconds(each, half) - seconds(each, holding)
    assert more_s == pytest.approx(read.fetched_pages / 2 / 1e5)
    # The more rows are sought in them, the sooner the whole table is read in order.
    many = replace(read, rows=25 * read.rows, fetched_pages=25 * read.fetched_pages)
    often = changed(each, index_reads=(many,))
    scanned = changed(each, index_reads=())
    assert seconds(often, holding) < seconds(scanned, holding)
    assert seconds(often, half) == seconds(scanned, half)


def test_the_check_prices_real_reads_as_the_cost_model_does() -> None:
    made = problem({"t": 100}, [store("a")])
    for sql in (JOINED, "SELECT o_total FROM orders WHERE o_customer = 7 AND o_id < 9000"):
        for each in fragments(sql, large()):
            for strength in (PostgreSQL.strength, MARIADB.strength):
                where = replace(store("a"), strength=strength)
                assert sum(fragment_s(made, each, where, 2)[:1]) == pytest.approx(
                    (cost := made.costs.fragment(each, where, 2)).total_s - cost.engine_s
                )


def indexed() -> PlacementProblem:
    """A table that an index of its only store reads somewhat faster than a scan does."""
    read = IndexRead(source="b.t", clustered=False, rows=80.0, spared_bytes=100.0)
    asked = query("q", ("t",))
    asked = replace(
        asked, fragments=tuple(changed(each, index_reads=(read,)) for each in asked.fragments)
    )
    plain = store("a")
    faster = replace(plain, strength=replace(plain.strength, index_rows_per_s=1000.0))
    return problem({"t": 100}, [faster], [asked])


def test_a_plan_s_file_has_its_reads() -> None:
    plan = plan_for(indexed(), "x", {"t": ("a",)})
    assert read_plan(write_plan(plan)) == plan
    assert check(indexed(), read_plan(write_plan(plan))) == ()


def test_a_slope_is_that_of_the_path_that_is_taken() -> None:
    """Twice the seconds of an index would go back to a scan: the slope is not that of both."""
    made = indexed()
    (rate,) = (each for each in rates(made) if each.key == "index_rows_per_s")
    plan = plan_for(made, "x", {"t": ("a",)})
    scaled = ScaledProblem(problem=made, parameter=rate, best=plan)
    cost_s, slope = scaled.line(1.0, plan.placement)
    assert cost_s == pytest.approx(plan.predicted_s)
    assert slope == pytest.approx(0.08)


def test_only_stores_with_indexes_have_a_rate_that_may_be_wrong() -> None:
    made = problem({"t": 100}, [store("a")], [query("q", ("t",))])
    assert "index_rows_per_s" not in {each.key for each in rates(made)}
