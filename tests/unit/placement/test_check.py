"""A plan that its problem or its own parts contradict is told so."""

from dataclasses import replace

import pytest

from placement.limits.check import check
from placement.plan import Outcome
from placement.sizes import human_bytes
from placement.stores import Capability
from placement.strategies.naive import Naive
from placement.strategies.optimal import Optimal
from tests.unit.placement.problems import changed, fragment, problem, query, store, three_tables


def plan_and(**changes):
    plan = Optimal()(three_tables())
    return replace(plan, **changes)


def test_a_plan_for_another_objective_is_told():
    sentences = check(replace(three_tables(), objective="latency"), plan_and())
    assert "The plan is for work, and the problem is for latency." in sentences


def test_an_engines_part_stated_wrongly_is_told():
    plan = plan_and()
    wrong = tuple(replace(each, engine_s=0.5) for each in plan.routing["r"])
    sentences = check(three_tables(), replace(plan, routing={**plan.routing, "r": wrong}))
    assert any("takes the engine" in s and "has 0.5 s" in s for s in sentences)


def test_a_start_stated_wrongly_is_told_and_one_that_is_not_stated_is_not():
    plan, made = plan_and(), three_tables()
    wrong = tuple(replace(each, start_s=0.5) for each in plan.routing["r"])
    (sentence, *_) = check(made, replace(plan, routing={**plan.routing, "r": wrong}))
    assert "begins in" in sentence
    assert "the plan has 0.5 s" in sentence
    untold = tuple(replace(each, start_s=None) for each in plan.routing["r"])
    assert check(made, replace(plan, routing={**plan.routing, "r": untold})) == ()


@pytest.mark.parametrize(
    ("part", "said"), [("rows_s", "hands its rows over"), ("disk_s", "a disk")]
)
def test_a_part_stated_wrongly_is_told_and_one_that_is_not_stated_is_not(part, said):
    plan, made = plan_and(), three_tables()
    wrong = tuple(replace(each, **{part: 7.0}) for each in plan.routing["r"])
    (sentence, *_) = check(made, replace(plan, routing={**plan.routing, "r": wrong}))
    assert said in sentence
    assert "7 s" in sentence
    untold = tuple(replace(each, **{part: None}) for each in plan.routing["r"])
    assert check(made, replace(plan, routing={**plan.routing, "r": untold})) == ()


def test_a_plan_of_ours_passes():
    assert check(three_tables(), plan_and()) == ()


def test_a_query_without_routing_and_an_unknown_one_are_told():
    plan = plan_and()
    sentences = check(three_tables(), replace(plan, routing={"q": plan.routing["q"], "x": ()}))
    assert "Query 'r' has no routing." in sentences
    assert "Query 'x' is routed and is none of the problem's queries." in sentences


def test_a_source_covered_twice_or_never_is_told():
    plan = plan_and()
    twice = {**plan.routing, "q": plan.routing["q"] * 2}
    never = {**plan.routing, "q": ()}
    assert any("covered 2 times" in s for s in check(three_tables(), replace(plan, routing=twice)))
    assert any("covered 0 times" in s for s in check(three_tables(), replace(plan, routing=never)))


def test_a_fragment_where_its_tables_are_not_is_told():
    plan = plan_and()
    elsewhere = {"a": "b", "b": "a"}[plan.routing["r"][0].store]
    routed = replace(plan.routing["r"][0], store=elsewhere)
    sentences = check(three_tables(), replace(plan, routing={**plan.routing, "r": (routed,)}))
    assert any("reads table 'v', of which there is no copy" in s for s in sentences)


def test_a_fragment_that_its_store_cannot_run_is_told():
    plan = plan_and()
    scans = frozenset({Capability.SCAN})
    stores = tuple(replace(each, capabilities=scans) for each in three_tables().stores)
    sentences = check(replace(three_tables(), stores=stores), plan)
    assert any("is a query, which a store of kind 'postgresql' cannot run" in s for s in sentences)


def test_a_store_that_cannot_aggregate_hands_out_no_aggregates():
    plan = plan_and()
    (routed,) = plan.routing["r"]
    scan = fragment("r", ("v",), {"v": "v"})
    grouped = replace(routed, fragment=changed(scan, preaggregated=True))
    able = frozenset({Capability.SCAN, Capability.JOIN, Capability.QUERY})
    for capabilities, told in ((able, True), (able | {Capability.BLOCK}, False)):
        stores = tuple(replace(each, capabilities=capabilities) for each in three_tables().stores)
        sentences = check(
            replace(three_tables(), stores=stores),
            replace(plan, routing={**plan.routing, "r": (grouped,)}),
        )
        assert any("hands out aggregates" in s for s in sentences) is told


def test_a_feature_that_a_store_lacks_is_told():
    lacking = problem(
        {"t": 1}, [store("a", lacks=("rollup",))], [query("q", ("t",), features=("rollup",))]
    )
    able = replace(lacking, stores=(store("a"),))
    sentences = check(lacking, Optimal()(able))
    assert any("needs rollup" in s for s in sentences)


def test_a_fragment_of_another_query_is_told():
    plan = plan_and()
    foreign = replace(plan.routing["r"][0], fragment=fragment("r", ("v",), {"v": "v"}, rows=123.0))
    sentences = check(three_tables(), replace(plan, routing={**plan.routing, "r": (foreign,)}))
    assert any("is none of the fragments of query 'r'" in s for s in sentences)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"predicted_s": 123.0}, "states 123 s"),
        ({"bound_s": 1e9}, "is above its cost"),
        ({"bound_s": 0.0}, "states OPTIMAL with a gap of 1"),
        ({"bound_s": None}, "states OPTIMAL with no bound"),
        ({"violations": ("no",), "outcome": Outcome.INFEASIBLE}, "does not state exactly"),
        ({"outcome": Outcome.INFEASIBLE}, "states INFEASIBLE and 0 violations"),
    ],
)
def test_a_plan_that_claims_what_its_parts_do_not_make_is_told(changes, says):
    assert any(says in sentence for sentence in check(three_tables(), plan_and(**changes)))


def test_a_cost_stated_wrongly_by_a_fragment_is_told():
    plan = plan_and()
    cheap = replace(plan.routing["r"][0], predicted_s=0.0)
    sentences = check(three_tables(), replace(plan, routing={**plan.routing, "r": (cheap,)}))
    assert any("and the plan states 0 s" in s for s in sentences)


def test_a_baseline_over_capacity_is_a_reference_that_says_so():
    full = problem({"t": 10, "u": 10}, [store("a", 12), store("b", 5)], [query("q", ("t", "u"))])
    plan = Naive()(full)
    assert plan.outcome is Outcome.INFEASIBLE
    assert check(full, plan) == plan.violations != ()


@pytest.mark.parametrize(
    ("size", "written"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (999_949, "1000 kB"),
        (999_951, "1 MB"),
        (9_100_000_000, "9.1 GB"),
        (8 * 10**9, "8 GB"),
        (3 * 10**12, "3 TB"),
        (10**16, "10000 TB"),
    ],
)
def test_bytes_are_written_with_a_unit(size, written):
    assert human_bytes(size) == written
