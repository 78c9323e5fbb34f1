"""The benchmark of index advisors: its baselines on a made-up estimate, and its summary."""

from dataclasses import dataclass

import pytest

from benchmarks.index_advisors.asked import Asked, asked, covered
from benchmarks.index_advisors.baselines import (
    NONE,
    Setting,
    db2advis,
    dexter,
    extend,
    within_budget,
)
from benchmarks.index_advisors.published import published
from benchmarks.index_advisors.summary import summary
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.indexes import NamedIndex
from workloads.sql import footprint

BY_A, BY_B = NamedIndex("t", ("a",)), NamedIndex("t", ("b",))
BY_A_B, BY_A_C = NamedIndex("t", ("a", "b")), NamedIndex("t", ("a", "c"))


@dataclass(frozen=True)
class Found:
    cost: float
    used: frozenset[NamedIndex]


def setting(saves, *, budget=100.0, sizes=None, key=(), queries=("q1",)):
    """Return a workload of one table; `saves` says what the best index of a query saves of 100."""

    def estimate(query, indexes):
        of_it = {each: by[query] for each, by in saves.items() if each in indexes and query in by}
        best = max(of_it, key=of_it.get, default=None)
        if best is None:
            return Found(100.0, NONE)
        return Found(100.0 - of_it[best], frozenset({best}))

    return Setting(
        asked=dict.fromkeys(
            queries, Asked(found_by={"t": ("a", "b")}, read={"t": ("a", "b", "c")})
        ),
        keys={"t": key},
        estimate=estimate,
        size_bytes=lambda index: (sizes or {}).get(index, 10.0 * len(index.columns)),
        budget_bytes=budget,
    )


def test_extend_widens_the_index_that_it_took_by_a_column_that_a_query_reads():
    given = setting({BY_A: {"q1": 50.0}, BY_A_C: {"q1": 80.0}})
    assert extend(given) == {BY_A_C}


def test_extend_takes_what_saves_most_per_byte_first_and_ends_at_the_budget():
    saves = {BY_A: {"q1": 40.0}, BY_B: {"q2": 60.0}}
    sizes = {BY_A: 10.0, BY_B: 90.0}
    given = setting(saves, sizes=sizes, budget=95.0, queries=("q1", "q2"))
    assert extend(given) == {BY_A}
    assert extend(setting(saves, sizes=sizes, queries=("q1", "q2"))) == {BY_A, BY_B}


def test_extend_takes_no_index_that_saves_less_than_a_thousandth():
    assert extend(setting({BY_A: {"q1": 0.05}})) == NONE


def test_extend_takes_no_index_that_the_primary_key_serves():
    assert extend(setting({BY_A: {"q1": 50.0}}, key=("a", "c"))) == NONE


def test_db2advis_takes_what_the_plans_use_and_dexter_only_where_half_is_saved():
    given = setting({BY_A: {"q1": 40.0}, BY_B: {"q2": 60.0}}, queries=("q1", "q2"))
    assert db2advis(given) == {BY_A, BY_B}
    assert dexter(given) == {BY_B}


def test_both_try_pairs_and_keep_to_the_budget():
    saves = {BY_A_B: {"q1": 90.0}, BY_B: {"q2": 60.0}}
    assert db2advis(setting(saves, queries=("q1", "q2"))) == {BY_A_B, BY_B}
    assert db2advis(setting(saves, budget=19.0, queries=("q1", "q2"))) == {BY_B}


def test_of_a_selection_of_others_stays_what_keys_do_not_serve_and_what_fits():
    given = setting({BY_B: {"q1": 60.0}, BY_A_C: {"q1": 70.0}}, key=("a",))
    assert within_budget(given, frozenset({BY_A, BY_B, BY_A_C})) == {BY_B, BY_A_C}
    given = setting({BY_B: {"q1": 60.0}, BY_A_C: {"q1": 70.0}}, key=("a",), budget=20.0)
    assert within_budget(given, frozenset({BY_A, BY_B, BY_A_C})) == {BY_B}


def test_a_key_serves_the_indexes_that_it_begins_with():
    assert covered(BY_A, {"t": ("a", "c")})
    assert not covered(BY_A_B, {"t": ("a", "c")})
    assert not covered(BY_A, {})


def test_columns_that_rows_are_found_by_are_told_from_those_that_are_read():
    sql = (
        "SELECT c_name, sum(o_total) FROM orders, customer WHERE o_customer = c_id "
        "AND o_day > DATE '1970-01-09' GROUP BY c_name"
    )
    query = statement(sql)
    (found,) = asked(shop(), [footprint(query, shop(), "duckdb")]).values()
    assert found.found_by["orders"] == ("o_customer", "o_day")
    assert found.read["orders"] == ("o_customer", "o_day", "o_total")
    assert found.found_by["customer"] == ("c_id",)


def test_published_selections_are_read_with_their_columns_in_order():
    found = published("tpch")
    assert NamedIndex("lineitem", ("l_partkey", "l_suppkey")) in found["Extend"]
    assert published("tpcds") == {}


def row(query, before, after, failed="", rows=1):
    def times(cpu_s, why="", rows=1):
        return {"cost": 1.0, "seconds": cpu_s, "cpu_s": cpu_s, "rows": rows, "failed": why}

    ours = times(after, failed, rows)
    return {"query": query, "selections": {"none": times(before), "ours": ours}}


def test_a_query_is_slower_or_faster_only_beyond_the_spread():
    rows = [
        row("q1", [1.0, 1.2], [1.1, 3.0]),
        row("q2", [1.0, 1.2], [1.3, 1.4]),
        row("q3", [1.0, 1.2], [0.5, 0.9]),
    ]
    found = summary(rows)["selections"]["ours"]
    assert (found["slower"], found["faster"]) == (["q2"], ["q3"])
    assert found["slowest"] == {"query": "q1", "ratio": pytest.approx(2.05 / 1.1)}


def test_a_query_that_fails_with_a_selection_counts_for_none():
    rows = [row("q1", [1.0], [], failed="QueryCanceled"), row("q2", [2.0], [1.0])]
    found = summary(rows)
    assert found["failed"] == {"none": [], "ours": ["q1"]}
    assert found["selections"]["none"]["cpu_s"] == 2.0
    assert found["cost_of_all"] == {"none": 2.0, "ours": 2.0}


def test_a_query_with_other_rows_is_told():
    found = summary([row("q1", [1.0], [1.0]), row("q2", [1.0], [1.0], rows=2)])
    assert found["rows_differ"] == ["q2"]
