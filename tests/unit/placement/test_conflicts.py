import random
import re
import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement.conflicts import infeasible
from placement.conflicts.conflicts import smallest_conflict
from placement.exact.model import solve
from placement.stores import Capability
from tests.unit.placement import brute_force_conflicts
from tests.unit.placement.problems import problem, query, store
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError

LIMIT_S = 10.0
AB = (store("a"), store("b"))


def message(made):
    with pytest.raises(InfeasibleError) as caught:
        solve(made, time_limit_s=LIMIT_S)
    return str(caught.value)


@settings(
    max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.integers(min_value=0, max_value=10**9))
def test_a_conflict_is_one_and_none_is_smaller(seed):
    made = random_problem(random.Random(seed), tables=(2, 3), sources=(1, 3), queries=(1, 2))
    size = brute_force_conflicts.smallest_conflict_size(made)
    found = smallest_conflict(made, time.monotonic() + LIMIT_S)
    if size is None:
        assert found.limits == ()
        return
    limits = {(limit.kind, limit.subject) for limit in found.limits}
    assert len(limits) == len(found.limits) == size
    assert brute_force_conflicts.conflicts(made, limits)
    relaxed = {(limit.kind, limit.subject) for limit in found.fewest}
    assert not brute_force_conflicts.conflicts(made, brute_force_conflicts.limits(made) - relaxed)


def test_a_packing_that_does_not_exist_names_what_each_capacity_must_be():
    made = problem({"t": 6000, "u": 6000, "v": 6000}, [store("a", 10_000), store("b", 11_000)])
    assert message(made) == (
        "No placement respects [stores.a].capacity of 10 kB and [stores.b].capacity of 11 kB "
        "together (the largest tables are t (6 kB), u (6 kB), v (6 kB)): raise "
        "[stores.a].capacity to 12 kB, or raise [stores.b].capacity to 12 kB."
    )


def test_more_bytes_than_all_stores_hold_says_how_much_over():
    text = message(
        problem({"t": 8 * 10**9, "u": 10**9}, [store("a", 10**9), store("b", 7 * 10**9)])
    )
    assert "8 GB" in text
    assert "'b', the largest store" in text
    made = problem({"t": 6 * 10**9, "u": 4 * 10**9}, [store("a", 2 * 10**9), store("b", 7 * 10**9)])
    assert message(made) == (
        "The tables have 10 GB, 1 GB over the capacity of 9 GB of all stores together: raise "
        "[stores.a].capacity or [stores.b].capacity, or place less; the largest tables are "
        "t (6 GB), u (4 GB)."
    )


def test_pins_that_overfill_a_store_are_named_with_their_sizes():
    made = problem(
        {"t": 600, "u": 500, "v": 1}, [store("a", 1000), store("b")], pin={"t": "a", "u": "a"}
    )
    assert message(made) == (
        "The tables pinned to store 'a' are 100 B over its capacity of 1 kB: t (600 B), "
        "u (500 B). Raise [stores.a].capacity, or pin less."
    )


def test_pins_against_exclusions_and_copies_are_conflicts():
    both = problem({"t": 1}, AB, pin={"t": "a"}, exclude={"t": "a"})
    assert "both pinned to and excluded from store 'a'" in message(both)
    assert "raise [place].max_copies" in message(problem({"t": 1}, AB, pin={"t": "ab"}))
    assert "excluded from every store" in message(problem({"t": 1}, AB, exclude={"t": "ab"}))


def test_a_query_that_no_store_may_run_is_named():
    scanless = store("a", capabilities=frozenset({Capability.JOIN}))
    made = problem({"t": 1}, [scanless], [query("q", ("t",))])
    assert message(made).startswith("Query 'q' reads b.t, which no store")
    barred = problem({"t": 1}, [scanless, store("b")], [query("q", ("t",))], exclude={"t": "b"})
    assert message(barred).startswith("Query 'q' reads b.t, which no store")


SLOW = query("q", ("t", "u"), whole=False)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (
            problem({"t": 1, "u": 1}, AB, together=["tu"], apart=["tu"]),
            (
                "[constraints].together of t, u and [constraints].apart of t, u together: take "
                "one of them out."
            ),
        ),
        (
            problem({"t": 1, "u": 1}, AB, together=["tu"], exclude={"t": "a"}, pin={"u": "a"}),
            (
                "[constraints].pin of 'u' to 'a', [constraints].exclude of 't' from 'a' and "
                "[constraints].together of t, u together: take one of them out."
            ),
        ),
        (
            problem({"t": 60, "u": 40}, AB, balance=0.1, max_copies=2, max_copy_bytes=0),
            (
                "[constraints].balance of 0.1 and [constraints].max_copy_bytes of 0 B together: "
                "raise [constraints].balance to 0.2, or raise [constraints].max_copy_bytes to "
                "100 B."
            ),
        ),
        (
            problem({"t": 9}, AB, pin={"t": "ab"}, max_copies=2, max_copy_bytes=8),
            (
                "[constraints].pin of 't' to 'a', [constraints].pin of 't' to 'b' and "
                "[constraints].max_copy_bytes of 8 B together: raise "
                "[constraints].max_copy_bytes to 9 B, or take one of the others out."
            ),
        ),
        (
            problem(
                {"t": 9, "u": 1}, AB, current={"t": "b", "u": "a"}, pin={"t": "a"}, max_moves=0
            ),
            (
                "[constraints].pin of 't' to 'a' and [constraints].max_moves of 0 together: raise "
                "[constraints].max_moves to 1, or take one of the others out."
            ),
        ),
        (
            problem({"t": 9000}, AB, current={"t": "b"}, pin={"t": "a"}, max_move_bytes=1),
            "raise [constraints].max_move_bytes to 9 kB, or",
        ),
        (
            problem({"t": 4}, [store("a", storage=2.0), store("b", storage=1.0)], max_money=3.0),
            "[constraints].max_money of 3: raise [constraints].max_money to 4.",
        ),
        (
            problem({"t": 1, "u": 1}, AB, [SLOW], latency_s={"q": 1.0}),
            "[constraints].latency_s of 'q', 1 s: raise [constraints].latency_s of 'q' to 1.54 s.",
        ),
        (
            problem(
                {"t": 1, "u": 1}, AB, together=["tu"], apart=["tu"], tags={"pii": frozenset("tu")}
            ),
            "[constraints].together of tag 'pii' and",
        ),
    ],
)
def test_what_conflicts_is_named_with_its_key_and_what_to_raise_it_to(made, says):
    text = message(made)
    assert text.startswith("No placement respects ")
    assert says in text


def test_other_conflicts_are_told_with_the_least_to_relax():
    made = problem(
        {"t": 1, "u": 1, "v": 1},
        AB,
        together=["tu"],
        apart=["tu"],
        pin={"v": "a"},
        exclude={"v": "a"},
    )
    text = message(made)
    assert text.startswith("Table 'v' is both pinned") or "together of t, u and" in text
    assert "There are other conflicts: relaxing " in text


def test_a_capacity_raised_as_the_message_says_makes_a_placement_possible():
    rng = random.Random(4)
    for _ in range(20):
        sizes = {name: rng.randint(10**6, 10**7) for name in "tuvwx"}
        total = sum(sizes.values())
        made = problem(sizes, [store("a", total // 2), store("b", total // 2 - rng.randint(0, 9))])
        try:
            solve(made, time_limit_s=LIMIT_S)
        except InfeasibleError as error:
            for name, size in re.findall(r"\[stores\.(\w)\]\.capacity to ([\d.]+) MB", str(error)):
                stores = tuple(
                    replace(each, capacity_bytes=round(float(size) * 1e6))
                    if each.name == name
                    else each
                    for each in made.stores
                )
                solve(replace(made, stores=stores), time_limit_s=LIMIT_S)


def test_without_time_a_conflict_that_shows_at_once_is_told(monkeypatch):
    monkeypatch.setattr(infeasible, "MOST_S", 0.0)
    pinned = problem({"t": 1}, AB, pin={"t": "a"}, exclude={"t": "a"})
    assert "both pinned to and excluded from store 'a'" in message(pinned)
    hidden = problem({"t": 1, "u": 1}, AB, together=["tu"], apart=["tu"])
    assert "which of them conflict was not found out within 0 s" in message(hidden)


def three_hundred_tables(room):
    rng = random.Random(0)
    sizes = {f"t{i}": rng.randint(10**6, 10**9) for i in range(300)}
    return problem(
        sizes,
        [store(name, room(sum(sizes.values()))) for name in "abcde"],
        pin={f"t{i}": (rng.choice("abcde"),) for i in range(60)},
    )


def test_three_hundred_tables_that_are_too_many_bytes_are_told_at_once():
    started = time.monotonic()
    assert "over the capacity of" in message(three_hundred_tables(lambda total: total // 6))
    assert time.monotonic() - started < infeasible.MOST_S


def test_a_conflict_of_a_few_bytes_in_three_hundred_tables_ends_in_time(monkeypatch):
    monkeypatch.setattr(infeasible, "MOST_S", 1.0)
    started = time.monotonic()
    assert "over the capacity of" in message(three_hundred_tables(lambda total: total // 5 - 1))
    assert time.monotonic() - started < 30.0


def test_with_a_work_limit_the_message_does_not_hang_on_the_clock(monkeypatch):
    made = problem({"t": 6000, "u": 6000, "v": 6000}, [store("a", 10_000), store("b", 11_000)])
    known = message(made)
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))
    assert "not found out within 10 s: raise [place].time_limit_s" in message(made)
    assert message(replace(made, work_limit=100)) == known


def test_a_work_limit_bounds_the_search_for_a_conflict():
    made = problem({"t": 6000, "u": 6000, "v": 6000}, [store("a", 10_000), store("b", 11_000)])
    assert "not found out within 1 steps: raise [place].work_limit" in message(
        replace(made, work_limit=1)
    )
