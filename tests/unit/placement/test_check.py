import random
from dataclasses import replace

import pytest

from placement.limits.check import check
from placement.limits.limits import limits
from placement.plan import Outcome
from placement.problem import Constraints
from placement.routing.routing import plan_for
from placement.sizes import human_bytes
from placement.stores import Capability
from placement.strategies.naive import Naive
from placement.strategies.optimal import Optimal
from tests.unit.placement.problems import changed, fragment, problem, query, random_problem, store

GB = 10**9


def made(**options):
    return problem(
        {"t": 100, "u": 100, "v": 5},
        [store("a"), store("b")],
        [query("q", ("t", "u"), joins=[("t", "u")]), query("r", ("v",))],
        **options,
    )


def plan_and(**changes):
    plan = Optimal()(made())
    return replace(plan, **changes)


def only(sentences):
    (sentence,) = sentences
    return sentence


def test_a_store_over_capacity_is_named_with_the_way_out():
    full = problem({"customer": 4_100_000_000, "item": 5 * GB}, [store("pg", 8 * GB)])
    sentence = only(limits(full, {"customer": ("pg",), "item": ("pg",)}))
    assert sentence == (
        "Store 'pg' would hold 9.1 GB, 1.1 GB over its capacity of 8 GB: raise "
        "[stores.pg].capacity, or let one of item, customer move."
    )


def test_tables_that_are_pinned_to_a_full_store_are_not_proposed_to_move():
    full = problem({"t": 8, "u": 1}, [store("a", 5), store("b")], pin={"t": "a"})
    assert only(limits(full, {"t": ("a",), "u": ("a",)})).endswith("or let u move.")


@pytest.mark.parametrize(
    ("placement", "says"),
    [
        ({"t": ("a",), "u": ("a",)}, "'v' is in no store"),
        ({"t": ("a",), "u": ("a",), "v": ()}, "'v' is in no store"),
        ({"t": ("a",), "u": ("a",), "v": ("c",)}, "'c', which is none of a, b"),
        ({"t": ("a",), "u": ("a",), "v": ("a", "b")}, "more than the 1 allowed"),
        ({"t": ("a",), "u": ("a",), "v": ("a",), "w": ("a",)}, "none of the problem's tables"),
    ],
)
def test_a_placement_of_unknown_or_missing_names_and_of_too_many_copies_is_told(placement, says):
    assert says in only(limits(made(), placement))


def test_a_broken_pin_and_a_broken_exclusion_are_told():
    constrained = made(pin={"t": "b"}, exclude={"u": "a"})
    pinned, excluded = limits(constrained, dict.fromkeys("tuv", ("a",)))
    assert "'t' is not in store 'b', to which it is pinned" in pinned
    assert "'u' is in store 'a', from which it is excluded" in excluded


CURRENT = {"t": ("a",), "u": ("a",)}


@pytest.mark.parametrize(
    ("constrained", "placement", "says"),
    [
        (
            {"together": ["tu"]},
            {"t": ("a",), "u": ("b",)},
            (
                "Tables 't' and 'u' belong together, and are in a and in b: place both in the same "
                "stores, or take one out of [constraints].together."
            ),
        ),
        (
            {"apart": ["tu"]},
            {"t": ("a",), "u": ("a", "b")},
            (
                "Tables t, u belong apart, and are all in store 'a': let all but one move, or take "
                "some out of [constraints].apart."
            ),
        ),
        (
            {"max_copy_bytes": 50},
            {"t": ("a", "b"), "u": ("a",)},
            (
                "The copies beyond the first of each table have 100 B, 50 B over the 50 B allowed: "
                "drop copies, or raise [constraints].max_copy_bytes."
            ),
        ),
        (
            {"max_moves": 0, "current": CURRENT},
            {"t": ("b",), "u": ("a",)},
            (
                "1 copy is new to the current placement (t in b), more than the 0 allowed: leave "
                "some where they are, or raise [constraints].max_moves."
            ),
        ),
        (
            {"max_move_bytes": 99, "current": CURRENT},
            {"t": ("b",), "u": ("a",)},
            (
                "The copies that are new to the current placement have 100 B, 1 B over the 99 B "
                "allowed: leave some where they are, or raise [constraints].max_move_bytes."
            ),
        ),
        (
            {"max_money": 1.5},
            {"t": ("a",), "u": ("a",)},
            (
                "The plan costs 2 a month (2 of storage, 0 of transfer), 0.5 over the 1.5 allowed: "
                "drop copies, use cheaper stores, or raise [constraints].max_money."
            ),
        ),
    ],
)
def test_a_limit_that_a_placement_breaks_is_told_with_its_value_and_the_way_out(
    constrained, placement, says
):
    two = problem(
        {"t": 100, "u": 100},
        [store("a", storage=0.01), store("b", storage=0.01)],
        max_copies=2,
        **constrained,
    )
    assert only(limits(two, placement)) == says


def test_stores_too_far_from_the_mean_are_told_on_both_sides():
    uneven = problem({"t": 120, "u": 80}, [store("a"), store("b")], balance=0.1)
    above, below = limits(uneven, {"t": ("a",), "u": ("b",)})
    assert above == (
        "Store 'a' would hold 120 B, 20.0% above the mean of 100 B, more than the 10.0% allowed: "
        "raise [constraints].balance, or let tables move out of it."
    )
    assert "'b' would hold 80 B, 20.0% below" in below
    assert limits(replace(uneven, constraints=Constraints(balance=0.2)), {"t": "a", "u": "b"}) == ()


def test_a_query_over_its_ceiling_is_told_under_both_objectives():
    slow = made(latency_s={"q": 0.9}, apart=["tu"])
    plan = plan_for(slow, "x", {"t": ("a",), "u": ("b",), "v": ("a",)})
    sentence = only(plan.violations)
    assert sentence.startswith("Query 'q' takes 1.54 s, 0.64 s over the 0.9 s allowed: let its")
    assert sentence.endswith("share a store, or raise [constraints].latency_s of 'q'.")
    assert check(slow, plan) == plan.violations
    overlapping = plan_for(replace(slow, objective="latency"), "x", plan.placement)
    assert overlapping.query_s("q") == pytest.approx(0.93)
    assert "takes 0.93 s" in only(overlapping.violations)


def test_transfer_out_of_dear_stores_is_of_the_budget():
    dear = problem({"t": 100}, [store("a", transfer=1.0)], [query("q", ("t",))], max_money=1.0)
    plan = plan_for(dear, "x", {"t": ("a",)})
    assert "(0 of storage, 4 of transfer), 3 over the 1 allowed" in only(plan.violations)


def test_a_plan_for_another_objective_is_told():
    sentences = check(replace(made(), objective="latency"), plan_and())
    assert "The plan is for work, and the problem is for latency." in sentences


def test_an_engines_part_stated_wrongly_is_told():
    plan = plan_and()
    wrong = tuple(replace(each, engine_s=0.5) for each in plan.routing["r"])
    sentences = check(made(), replace(plan, routing={**plan.routing, "r": wrong}))
    assert any("takes the engine" in s and "has 0.5 s" in s for s in sentences)


def test_a_plan_of_ours_passes():
    assert check(made(), plan_and()) == ()


def test_a_query_without_routing_and_an_unknown_one_are_told():
    plan = plan_and()
    sentences = check(made(), replace(plan, routing={"q": plan.routing["q"], "x": ()}))
    assert "Query 'r' has no routing." in sentences
    assert "Query 'x' is routed and is none of the problem's queries." in sentences


def test_a_source_covered_twice_or_never_is_told():
    plan = plan_and()
    twice = {**plan.routing, "q": plan.routing["q"] * 2}
    never = {**plan.routing, "q": ()}
    assert any("covered 2 times" in s for s in check(made(), replace(plan, routing=twice)))
    assert any("covered 0 times" in s for s in check(made(), replace(plan, routing=never)))


def test_a_fragment_where_its_tables_are_not_is_told():
    plan = plan_and()
    elsewhere = {"a": "b", "b": "a"}[plan.routing["r"][0].store]
    routed = replace(plan.routing["r"][0], store=elsewhere)
    sentences = check(made(), replace(plan, routing={**plan.routing, "r": (routed,)}))
    assert any("reads table 'v', of which there is no copy" in s for s in sentences)


def test_a_fragment_that_its_store_cannot_run_is_told():
    plan = plan_and()
    scans = frozenset({Capability.SCAN})
    stores = tuple(replace(each, capabilities=scans) for each in made().stores)
    sentences = check(replace(made(), stores=stores), plan)
    assert any("is a query, which a store of kind 'postgresql' cannot run" in s for s in sentences)


def test_a_store_that_cannot_aggregate_hands_out_no_aggregates():
    plan = plan_and()
    (routed,) = plan.routing["r"]
    scan = fragment("r", ("v",), {"v": "v"})
    grouped = replace(routed, fragment=changed(scan, preaggregated=True))
    able = frozenset({Capability.SCAN, Capability.JOIN, Capability.QUERY})
    for capabilities, told in ((able, True), (able | {Capability.BLOCK}, False)):
        stores = tuple(replace(each, capabilities=capabilities) for each in made().stores)
        sentences = check(
            replace(made(), stores=stores),
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
    sentences = check(made(), replace(plan, routing={**plan.routing, "r": (foreign,)}))
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
    assert any(says in sentence for sentence in check(made(), plan_and(**changes)))


def test_a_cost_stated_wrongly_by_a_fragment_is_told():
    plan = plan_and()
    cheap = replace(plan.routing["r"][0], predicted_s=0.0)
    sentences = check(made(), replace(plan, routing={**plan.routing, "r": (cheap,)}))
    assert any("and the plan states 0 s" in s for s in sentences)


def test_tables_moved_at_random_break_exactly_the_capacities_that_their_bytes_exceed():
    rng = random.Random(0)
    for _ in range(100):
        drawn = replace(random_problem(rng), constraints=made().constraints)
        names = [each.name for each in drawn.stores]
        placement = {table: (rng.choice(names),) for table in drawn.table_bytes}
        over = 0
        for each in drawn.stores:
            held = sum(drawn.table_bytes[t] for t, (s,) in placement.items() if s == each.name)
            over += each.capacity_bytes is not None and held > each.capacity_bytes
        assert len(limits(drawn, placement)) == over


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
        (8 * GB, "8 GB"),
        (3 * 10**12, "3 TB"),
        (10**16, "10000 TB"),
    ],
)
def test_bytes_are_written_with_a_unit(size, written):
    assert human_bytes(size) == written
