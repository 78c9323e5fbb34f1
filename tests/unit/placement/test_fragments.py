import itertools
import time
from dataclasses import replace

import pytest

from evaluation.stores.duckdb.backend import DuckDB
from placement.costs import DEFAULT_COSTS
from placement.fetching import FEW_BYTES
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.joinable_sets import joinable_sets
from placement.stores import Capability, Store
from placement.transfer.link import FREE
from tests.catalogs import shop
from tests.data_fixtures import ReadQueries
from tests.footprints import block, footprint, join, output, source
from tests.unit.placement.problems import changed
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.footprint import Block, Output, OutputColumn


def names(found: Block, limit: int = 400) -> list[str]:
    return ["".join(s.alias for s in sources) for sources in joinable_sets(found, limit)]


def chain(letters: str) -> Block:
    pairs = itertools.pairwise(letters)
    return block(*map(source, letters), joins=tuple(join(f"{a}.x", f"{b}.x") for a, b in pairs))


def clique(letters: str) -> Block:
    pairs = itertools.combinations(letters, 2)
    return block(*map(source, letters), joins=tuple(join(f"{a}.x", f"{b}.x") for a, b in pairs))


def test_connected_sets_of_a_chain_smallest_first():
    assert names(chain("abcd")) == ["ab", "bc", "cd", "abc", "bcd", "abcd"]


def test_every_subset_of_a_clique_is_there_once():
    found = names(clique("abcdefgh"))
    assert len(found) == len(set(found)) == 2**8 - 8 - 1


def test_sources_that_nothing_joins_stay_alone():
    assert names(block(source("a"), source("b"))) == []


def test_two_separate_parts_are_never_mixed():
    joins = (join("a.x", "b.x"), join("c.x", "d.x"))
    assert names(block(*map(source, "abcd"), joins=joins)) == ["ab", "cd"]


def test_a_nullable_side_is_joined_only_with_all_that_it_needs():
    joins = (join("a.x", "b.x", "left"), join("b.x", "c.x", "left"), join("a.x", "c.x", "left"))
    found = block(source("a"), source("b", needs="a"), source("c", needs="a b"), joins=joins)
    assert names(found) == ["ab", "abc"]


def test_needs_that_only_meet_through_the_source_that_needs_them():
    joins = (join("a.x", "c.x", "left"), join("b.x", "c.x", "left"))
    found = block(source("a"), source("b"), source("c", needs="a b"), joins=joins)
    assert names(found) == ["abc"]


def test_what_needs_an_input_or_nothing_that_there_is_stays_alone():
    joins = (join("a.x", "b.x"), join("a.x", "c.x", "left"))
    found = block(source("a"), source("b"), source("c", needs="*"), joins=joins)
    assert names(found) == ["ab"]


def test_beyond_the_limit_pairs_and_the_largest_remain():
    found = names(clique("abcdefghijkl"), limit=20)
    assert sum(len(name) == 2 for name in found) == 66
    assert found[-1] == "abcdefghijkl"
    assert len(found) == 67


def test_seventeen_sources_are_enumerated_in_no_time():
    before = time.process_time()
    assert len(names(clique("abcdefghijklmnopq"))) == 401
    assert time.process_time() - before < 2


def fragments(*blocks: Block):
    made = footprint(*blocks)
    return {f.name: f for f in enumerate_fragments(made, Estimator(shop(), made))}


def orders_of_customers() -> Block:
    return block(
        source("customer", "c_id", "c_name"),
        source("orders", "o_customer", "o_total"),
        joins=(join("orders.o_customer", "customer.c_id"),),
        output=output(2, 16, group_by="customer.c_name", limit=10),
    )


def test_a_query_of_one_join_has_a_query_two_scans_and_a_join():
    found = fragments(orders_of_customers())
    assert {name: f.kind for name, f in found.items()} == {
        "q/b0": Capability.QUERY,
        "q/b0.customer": Capability.SCAN,
        "q/b0.orders": Capability.SCAN,
        "q/b0.customer+b0.orders": Capability.JOIN,
    }


def test_a_row_store_reads_whole_rows_and_a_column_store_the_needed_columns():
    found = fragments(orders_of_customers())["q/b0.customer+b0.orders"]
    assert found.work.scan_bytes == 1_000 * 16 + 10_000 * 32
    assert found.work.column_bytes == 1_000 * 16 + 10_000 * 16
    assert found.tables == {"customer", "orders"}


def test_work_counts_rows_that_enter_joins_groups_and_sorts():
    found = fragments(orders_of_customers())
    joined, whole = found["q/b0.customer+b0.orders"], found["q/b0"]
    assert joined.work.join_rows == pytest.approx(1_000 + 10_000 + joined.work.rows_out)
    assert joined.work.aggregate_rows == 0
    assert joined.work.row_bytes_out == 32
    assert whole.work.join_rows == joined.work.join_rows
    assert whole.work.aggregate_rows == pytest.approx(joined.work.rows_out + 100, rel=0.01)
    assert (whole.work.rows_out, whole.work.row_bytes_out) == (10, 16)
    assert found["q/b0.orders"].work.join_rows == 0


def test_a_closed_block_leaves_with_all_that_is_below_it():
    outer = block(source("customer"), children=("b1",), inputs={"d": "b1"})
    middle = block(source("orders"), name="b1", children=("b2",), features=frozenset({"window"}))
    inner = block(source("item"), name="b2", features=frozenset({"rollup"}))
    found = fragments(outer, middle, inner)
    assert found["q/b1"].kind is Capability.BLOCK
    assert found["q/b1"].sources == ("b1.orders", "b2.item")
    assert found["q/b1"].work.features == {"window", "rollup"}
    assert found["q/b0"].sources == ("b0.customer", "b1.orders", "b2.item")
    assert found["q/b2"].work.features == {"rollup"}
    assert found["q/b2.item"].work.features == frozenset()


def test_a_block_that_is_not_closed_cannot_leave():
    outer = block(source("customer"), children=("b1",))
    inner = block(source("orders"), name="b1", closed=False)
    assert "q/b1" not in fragments(outer, inner)
    assert "q/b1.orders" in fragments(outer, inner)


def test_a_block_that_is_read_twice_is_counted_once():
    outer = block(children=("b1", "b2"), inputs={"x": "b1", "y": "b2"})
    reader = block(name="b2", children=("b1",), inputs={"z": "b1"}, closed=False)
    shared = block(source("orders"), name="b1", output=output(group_by="orders.o_id"))
    whole = fragments(outer, shared, reader)["q/b0"]
    assert whole.sources == ("b1.orders",)
    assert whole.work.aggregate_rows == 10_000


def test_a_query_without_sources_has_no_fragments():
    assert fragments(block()) == {}


def test_tpcds_has_fragments_for_every_source_in_little_time(
    tiny: Catalog, tiny_queries: ReadQueries
):
    counts = {}
    footprints = tiny_queries.footprints.values()
    before = time.process_time()
    for made in footprints:
        found = enumerate_fragments(made, Estimator(tiny, made))
        counts[made.query] = len(found)
        assert len({fragment.name for fragment in found}) == len(found)
        scans = [f for f in found if f.kind is Capability.SCAN]
        assert sorted(s for f in scans for s in f.sources) == sorted(
            source.name for source in made.sources()
        )
        assert found[0].kind is Capability.QUERY
        assert all(f.work.rows_out >= 1 and f.work.row_bytes_out >= 1 for f in found)
    assert time.process_time() - before < 20
    assert (
        counts["q9"] == 1 + 1 + 1 + 1
    )  # the query, reason, one block of 15 aggregates, and its scan
    assert counts["q64"] > 400
    assert 2_500 < sum(counts.values()) < 4_000


def test_a_single_group_is_no_grouping():
    single = block(source("orders"), output=output(group_by=""))
    grouped = block(source("orders"), output=output(group_by="orders.o_id"))
    told_apart = Output(
        columns=(OutputColumn(name="n", aggregate="count_distinct"),), width_bytes=8.0, group_by=()
    )
    assert fragments(single)["q/b0"].work.aggregate_rows == 0
    assert (
        fragments(block(source("orders"), output=told_apart))["q/b0"].work.aggregate_rows == 10_000
    )
    assert fragments(grouped)["q/b0"].work.aggregate_rows == 10_000


def test_a_query_s_result_is_shared_out_over_its_sources_once():
    joined = fragments(orders_of_customers())
    whole = joined["q/b0"]
    parts = [joined["q/b0.customer"], joined["q/b0.orders"]]
    assert whole.work.delivered_rows == whole.work.rows_out
    assert sum(each.work.delivered_rows for each in parts) == pytest.approx(whole.work.rows_out)
    duck = Store(name="duck", kind="duckdb", strength=DuckDB.strength)
    seconds = [
        DEFAULT_COSTS.fragment(each, duck, 2).engine_s
        for each in (whole, changed(whole, delivered_rows=0.0))
    ]
    engine = DEFAULT_COSTS.engine
    expected = whole.work.rows_out / engine.delivered_rows_per_s
    assert seconds[0] - seconds[1] == pytest.approx(expected)


def test_tables_are_counted_once_however_often_they_are_read():
    twice = block(source("orders", "o_id"), source("x", "o_id", table="orders"))
    found = fragments(twice)["q/b0"]
    assert found.work.scan_bytes == 2 * shop().table("orders").bytes
    assert found.work.tables_bytes == shop().table("orders").bytes


def test_only_what_is_fetched_in_portions_waits_for_them():
    whole = fragments(orders_of_customers())["q/b0"]
    plain = replace(DuckDB.strength, link=FREE)
    far = DuckDB.strength.with_round_trip(1.0)

    def waits_s(row_bytes, *, portions=True):
        large = changed(whole, rows_out=50_000.0, row_bytes_out=row_bytes)
        with_waits, without = (
            Store(name="pg", kind="postgresql", strength=replace(each, portions=portions))
            for each in (far, plain)
        )
        return (
            DEFAULT_COSTS.fragment(large, with_waits, 2).transfer_s
            - DEFAULT_COSTS.fragment(large, without, 2).transfer_s
        )

    assert waits_s(FEW_BYTES / 50_000) == 0
    assert waits_s(FEW_BYTES / 50_000 + 1) == pytest.approx(5)
    assert waits_s(FEW_BYTES / 50_000 + 1, portions=False) == 0
