"""Conditions that aggregates test of each row: how many there are, and what they cost where."""

from dataclasses import replace

import pytest

from evaluation.kinds import BACKENDS
from placement.costs import DEFAULT_COSTS
from placement.fragment import Fragment
from placement.fragment_work import FragmentWork
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.preaggregation import preaggregated_fragments
from placement.limits.check import check
from placement.routing.routing import plan_for
from placement.stores import Capability, Strength
from tests.catalogs import shop
from tests.data_fixtures import statement
from tests.unit.placement.problems import changed, problem, query, store
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint

ORDERS = 10_000
CHEAP, DEAR = (f"CASE WHEN o_total {each} 5 THEN o_total END" for each in "<>")


def conditions(sql: str) -> float:
    """Return those of a whole query over `shop`."""
    (whole,) = (each for each in enumerated(sql) if each.kind is Capability.QUERY)
    return whole.work.conditions


def enumerated(sql: str) -> tuple[Fragment, ...]:
    found = footprint(statement(sql), shop(), "duckdb")
    return enumerate_fragments(found, Estimator(shop(), found))


@pytest.mark.parametrize(
    ("columns", "number"),
    [
        ("sum(o_total), count(*)", 0),
        (f"sum({CHEAP}), max({DEAR}), count(*)", 2),
        (f"avg({DEAR})", 2),
        (f"sum({CHEAP}), sum({CHEAP}) / count(*)", 1),
        ("avg(o_total) FILTER (o_total < 5)", 2),
        ("count_if(o_total < 5)", 1),
        (f"sum({CHEAP}) OVER (PARTITION BY o_day)", 1),
        ("sum(CASE WHEN o_id = 1 THEN 1 WHEN o_id = 2 THEN 2 ELSE 3 END)", 2),
        ("count(*) FILTER (o_total < 5)", 1),
        ("sum(CASE o_id WHEN 1 THEN 1 WHEN 2 THEN 2 END) + 1", 2),
        ("CASE WHEN sum(o_total) > 5 THEN 1 END", 0),
        ("(SELECT sum(CASE WHEN c_id = 1 THEN 1 END) FROM customer)", 0.1),
    ],
)
def test_each_aggregate_tests_its_own_of_every_row(columns: str, number: float) -> None:
    assert conditions(f"SELECT {columns} FROM orders") == pytest.approx(number * ORDERS)


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        (f"SELECT o_id, {CHEAP} FROM orders", 0),
        (f"SELECT o_day, sum(sum({CHEAP})) OVER () FROM orders GROUP BY o_day", 1),
        ("SELECT o_id, sum(CASE WHEN o_id = 1 THEN 1 END) OVER () FROM orders GROUP BY o_id", 0),
        (f"SELECT o_day, rank() OVER (ORDER BY sum({CHEAP})) FROM orders GROUP BY o_day", 1),
        (f"SELECT o_day FROM orders GROUP BY o_day HAVING sum({CHEAP}) > 5", 1),
        (f"SELECT o_day FROM orders GROUP BY o_day ORDER BY sum({CHEAP}), sum({DEAR})", 2),
    ],
)
def test_windows_having_and_order_test_those_of_their_aggregates(sql: str, number: int) -> None:
    assert conditions(sql) == number * ORDERS


def test_aggregations_in_one_pass_test_what_told_them_apart() -> None:
    apart = ", ".join(
        f"(SELECT {each} FROM orders WHERE o_total {test}) AS {name}"
        for name, each, test in (("a", "count(*) AS n", "< 5"), ("b", "sum(o_id) AS s", ">= 5"))
    )
    assert conditions(f"SELECT n, s FROM {apart}") == pytest.approx(2 * ORDERS, rel=0.5)


def test_a_pre_aggregated_fragment_tests_them_of_its_rows() -> None:
    sql = f"""
        SELECT c_name, avg({CHEAP}) AS s
        FROM orders JOIN customer ON o_customer = c_id GROUP BY c_name"""
    found = footprint(statement(sql), shop(), "duckdb")
    estimator = Estimator(shop(), found)
    every = enumerate_fragments(found, estimator)
    (grouped,) = preaggregated_fragments(found, estimator, every)
    assert grouped.work.conditions == 2 * ORDERS
    assert all(each.work.conditions == 0 for each in every if each.kind is Capability.SCAN)


def test_they_cost_what_the_store_tests_a_second_and_nothing_where_none_aggregates() -> None:
    tested = changed(query("q", ("t",)).fragments[-1], conditions=3000.0)
    for rate, seconds in ((1000.0, 3.0), (500.0, 6.0), (None, 0.0)):
        there = store_testing(rate)
        without = changed(tested, conditions=0.0)
        dearer = (DEFAULT_COSTS.fragment(each, there, 1).total_s for each in (tested, without))
        assert next(dearer) - next(dearer) == pytest.approx(seconds)


def store_testing(rate: float | None):
    found = store("a")
    return replace(found, strength=replace(found.strength, conditions_per_s=rate))


@pytest.mark.parametrize("rate", [1000.0, None])
def test_the_check_prices_them_by_itself(monkeypatch: pytest.MonkeyPatch, rate: float | None):
    asked = query("q", ("t",))
    asked = replace(
        asked, fragments=tuple(changed(each, conditions=3000.0) for each in asked.fragments)
    )
    made = problem({"t": 100}, (store_testing(rate),), (asked,))
    assert check(made, plan_for(made, "x", {"t": ("a",)})) == ()

    def forgetful(asked: FragmentWork, strength: Strength) -> float:
        return asked.aggregate_rows / strength.aggregate_rows_per_s

    monkeypatch.setattr(FragmentWork, "aggregate_s", forgetful)
    assert bool(check(made, plan_for(made, "x", {"t": ("a",)}))) == (rate is not None)


def test_every_store_that_aggregates_has_a_rate() -> None:
    strengths: dict[str, Strength] = {kind: each.strength for kind, each in BACKENDS.items()}
    without = {kind for kind, each in strengths.items() if each.conditions_per_s is None}
    assert without == {"accumulo", "objects"}
