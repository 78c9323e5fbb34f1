"""A placement that breaks a limit is told so, with the value, the limit and the way out."""

import random
from dataclasses import replace

import pytest

from placement.limits.check import check
from placement.limits.limits import limits
from placement.problem import Constraints
from placement.routing.routing import plan_for
from tests.unit.placement.problems import problem, query, store, three_tables
from tests.unit.placement.random_problems import random_problem

GB = 10**9


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
    assert says in only(limits(three_tables(), placement))


def test_a_broken_pin_and_a_broken_exclusion_are_told():
    constrained = three_tables(pin={"t": "b"}, exclude={"u": "a"})
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
    slow = three_tables(latency_s={"q": 0.9}, apart=["tu"])
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


def test_tables_moved_at_random_break_exactly_the_capacities_that_their_bytes_exceed():
    rng = random.Random(0)
    for _ in range(100):
        drawn = replace(random_problem(rng), constraints=three_tables().constraints)
        names = [each.name for each in drawn.stores]
        placement = {table: (rng.choice(names),) for table in drawn.table_bytes}
        over = 0
        for each in drawn.stores:
            held = sum(drawn.table_bytes[t] for t, (s,) in placement.items() if s == each.name)
            over += each.capacity_bytes is not None and held > each.capacity_bytes
        assert len(limits(drawn, placement)) == over
