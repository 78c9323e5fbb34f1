from placement.limits.idle_copies import groups, without_idle_copies
from placement.limits.limits import limits
from placement.limits.packing import Packing
from placement.routing.routing import route
from placement.strategies.naive import Naive
from placement.strategies.proximity import Proximity
from tests.unit.placement.problems import joined, problem, query, store

AB = (store("a"), store("b"))


def packed(made):
    packing = Packing(problem=made)
    packing.put_by_size(made.table_bytes)
    return packing.placement


def test_sets_that_share_a_table_are_one_group():
    made = problem(dict.fromkeys("tuvwx", 1), AB, together=["tu", "vw", "uw"])
    assert groups(made) == (("t", "u", "v", "w"), ("x",))


def test_tables_that_belong_together_are_packed_as_one():
    made = problem({"t": 50, "u": 40, "v": 60}, AB, together=["tu"])
    assert packed(made) == {"t": ("a",), "u": ("a",), "v": ("b",)}
    assert limits(made, packed(made)) == ()


def test_a_pin_and_an_exclusion_of_one_hold_for_all_that_belong_together():
    pinned = problem({"t": 50, "u": 40}, AB, together=["tu"], pin={"u": "b"})
    assert packed(pinned) == {"t": ("b",), "u": ("b",)}
    barred = problem({"t": 50, "u": 40}, AB, together=["tu"], exclude={"u": "a"})
    assert packed(barred) == {"t": ("b",), "u": ("b",)}


def test_tables_that_belong_apart_are_packed_apart():
    made = problem({"t": 10, "u": 20, "v": 90}, AB, apart=["tu"], pin={"v": "a"})
    assert packed(made) == {"t": ("a",), "u": ("b",), "v": ("a",)}


def test_what_cannot_be_kept_is_told_by_the_check():
    made = problem(dict.fromkeys("tuv", 10), AB, apart=["tuv"])
    plan = Naive()(made)
    assert "belong apart" in plan.violations[0]


def test_proximity_keeps_together_what_belongs_together_beside_its_channels():
    made = problem(
        {"fact": 60, "a": 30, "other": 50},
        [store("x", 100), store("y", 100)],
        graph=joined(("fact.a_sk", "a.a_sk")),
        together=[("a", "other")],
    )
    assert Proximity()(made).feasible


def idle(placement, **limits_):
    made = problem(
        {"t": 10, "u": 10, "v": 10}, AB, [query("q", ("t",))], max_copies=2, upkeep=0.0, **limits_
    )
    kept = without_idle_copies(made, placement, route(made, placement))
    assert limits(made, kept) == ()
    return kept


def test_copies_that_nothing_reads_go_and_one_of_each_table_stays():
    both = dict.fromkeys("tuv", ("a", "b"))
    assert idle(both) == {"t": ("a",), "u": ("a",), "v": ("a",)}
    assert idle(both, pin={"v": "b"}) == {"t": ("a",), "u": ("a",), "v": ("b",)}


def test_an_idle_copy_stays_with_what_it_belongs_together_with():
    placement = {"t": ("a",), "u": ("a", "b"), "v": ("a", "b")}
    assert idle(placement, together=["uv"], pin={"u": "ab"}) == placement


def test_an_idle_copy_that_the_balance_needs_stays():
    placement = {"t": ("a",), "u": ("a", "b"), "v": ("b",)}
    assert idle(placement, balance=0.1) == placement
    assert idle(placement)["u"] == ("a",)
