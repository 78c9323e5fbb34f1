"""Migrations, replayed step by step without the code that ordered them."""

import heapq
import re
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from placement.movement.copy_indexes import copy_indexes
from placement.movement.migration import migrate
from placement.movement.migration_steps import Step
from placement.movement.move_greedy import greedy
from placement.movement.move_rules import move_rules
from tests.unit.placement.problems import fragment, problem, query, store
from workloads.errors import InfeasibleError


def replay(asked, start, steps):
    """Follow the steps; fail on any that a real store or a running query would fail on."""
    held = {table: set(stores) for table, stores in start.items()}
    read = {table: set(stores) for table, stores in start.items()}
    waiting, verified = set(), set()
    capacity = {each.name: each.capacity_bytes for each in asked.stores}
    for step in steps:
        table, source, target = step.table, step.source, step.target
        if step.kind == "copy":
            assert source in read[table], "reads a table from where it is not"
            assert target not in held[table]
            assert target not in asked.constraints.exclude.get(table, ())
            held[table].add(target)
            waiting.add((table, target))
            assert capacity[target] is None or bytes_in(asked, held, target) <= capacity[target]
        elif step.kind == "verify":
            assert (table, target) in waiting
            assert source in read[table]
            waiting.discard((table, target))
            verified.add((table, target))
        elif step.kind == "switch":
            assert target in start[table] or (table, target) in verified
            assert target in held[table]
            read[table] = (read[table] | {target}) - {source}
        else:
            assert source not in read[table], "drops what queries read"
            assert source not in asked.constraints.pin.get(table, ())
            held[table].discard(source)
            verified.discard((table, source))
        assert all(read.values()), "a table without a copy that is read"
        for each in asked.constraints.apart:
            for name in capacity:
                assert sum(name in held[table] for table in each) <= 1
        assert step.held_bytes == {name: bytes_in(asked, held, name) for name in capacity}
    assert not waiting
    assert held == read
    return {table: tuple(sorted(stores)) for table, stores in held.items()}


def bytes_in(asked, held, name):
    return sum(size for table, size in asked.table_bytes.items() if name in held[table])


def cheapest(asked, start, goal):
    """The fewest bytes copied and the peak, by Dijkstra over single copies and drops; or None."""
    first, last = ({t: frozenset(p[t]) for t in asked.table_bytes} for p in (start, goal))
    queue, seen, number = [(0, total(asked, first), 0, first)], set(), 0
    while queue:
        copied, peak, _, state = heapq.heappop(queue)
        if state == last:
            return copied, peak
        if tuple(state.values()) in seen:
            continue
        seen.add(tuple(state.values()))
        for after, cost, held in neighbours(asked, state):
            number += 1
            heapq.heappush(queue, (copied + cost, max(peak, held), number, after))
    return None


def total(asked, state):
    return sum(asked.table_bytes[table] * len(stores) for table, stores in state.items())


def neighbours(asked, state):
    """Every state that one copy or one drop leads to, with the bytes copied and held."""
    for table, each in product(state, asked.stores):
        stores, size, name = state[table], asked.table_bytes[table], each.name
        if name in stores:
            if len(stores) > 1 and name not in asked.constraints.pin.get(table, ()):
                yield {**state, table: stores - {name}}, 0, total(asked, state)
        elif copy_allowed(asked, state, table, each):
            yield {**state, table: stores | {name}}, size, total(asked, state) + size


def copy_allowed(asked, state, table, into):
    groups = [group for group in asked.constraints.apart if table in group]
    room = into.capacity_bytes
    return (
        into.name not in asked.constraints.exclude.get(table, ())
        and not any(into.name in state[other] for group in groups for other in group - {table})
        and (room is None or bytes_in(asked, state, into.name) + asked.table_bytes[table] <= room)
    )


@st.composite
def migrations(draw, tables=4, stores=3):
    """A problem with two placements that keep its limits."""
    sizes = {f"t{i}": draw(st.integers(1, 6)) for i in range(draw(st.integers(1, tables)))}
    names = [f"s{i}" for i in range(draw(st.integers(2, stores)))]
    some = st.sets(st.sampled_from(names), min_size=1, max_size=2).map(lambda s: tuple(sorted(s)))
    start = {table: draw(some) for table in sizes}
    goal = {table: draw(some) for table in sizes}
    capacities = {}
    for name in names:
        most = max(bytes_in(problem(sizes, ()), each, name) for each in (start, goal))
        capacities[name] = draw(st.sampled_from((None, most, most + 2, most + 5)))
    exclude, pin = {}, {}
    for table in sizes:
        kept = set(start[table]) & set(goal[table])
        free = set(names) - set(start[table]) - set(goal[table])
        if kept and draw(st.integers(0, 3)) == 0:
            pin[table] = (min(kept),)
        if free and draw(st.integers(0, 3)) == 0:
            exclude[table] = (min(free),)
    asked = problem(
        sizes, [store(n, capacities[n]) for n in names], pin=pin, exclude=exclude, max_copies=2
    )
    apart = frozenset(draw(st.sets(st.sampled_from(sorted(sizes)), max_size=2)))
    legal = all(
        not set(p[a]) & set(p[b]) for p in (start, goal) for a in apart for b in apart - {a}
    )
    if len(apart) == 2 and legal:
        asked = replace(asked, constraints=replace(asked.constraints, apart=(apart,)))
    return asked, start, goal


@settings(max_examples=400, deadline=None)
@given(migrations())
def test_every_migration_ends_in_its_goal_with_the_fewest_bytes_or_there_is_none(case):
    asked, start, goal = case
    known = cheapest(asked, start, goal)
    try:
        found = migrate(asked, start, goal)
    except InfeasibleError as error:
        assert known is None
        assert_room_is_the_least(asked, start, goal, str(error))
        return
    assert replay(asked, start, found.steps) == goal
    assert found.fewest_bytes
    assert found.lowest_peak
    copied = sum(step.bytes for step in found.steps if step.kind == "copy")
    held = [sum(step.held_bytes.values()) for step in found.steps]
    held.append(sum(asked.table_bytes[table] * len(stores) for table, stores in start.items()))
    assert (copied, max(held)) == known
    assert found.copied_bytes == copied


@settings(max_examples=200, deadline=None)
@given(migrations(tables=12, stores=4))
def test_the_order_for_many_tables_keeps_every_promise_too(case):
    asked, start, goal = case
    moves = greedy(move_rules(asked, start, goal, copy_indexes(asked, start, goal, {})))
    assume(moves is not None)
    held = {table: set(stores) for table, stores in start.items()}
    tables, names = list(asked.table_bytes), [each.name for each in asked.stores]
    for move in moves:
        stores = held[tables[move.table]]
        (stores.add if move.enters else stores.remove)(names[move.store])
        assert stores
        if move.enters:
            capacity = asked.stores[move.store].capacity_bytes
            assert capacity is None or bytes_in(asked, held, names[move.store]) <= capacity
    assert {table: tuple(sorted(stores)) for table, stores in held.items()} == goal


def assert_room_is_the_least(asked, start, goal, message):
    """With the room that the message names there is an order, with a byte less there is none."""
    named = re.search(r"\[stores\.(\w+)\]\.capacity to (\d+) B", message)
    if named is None:
        assert "with [constraints].exclude" in message
        return
    assert "and no store lacks less" in message

    def order_with(name, capacity):
        stores = [
            replace(s, capacity_bytes=capacity) if s.name == name else s for s in asked.stores
        ]
        return cheapest(replace(asked, stores=tuple(stores)), start, goal)

    lacking = int(named[2]) - asked.store(named[1]).capacity_bytes
    assert order_with(named[1], int(named[2]))
    for each in asked.stores:
        if each.capacity_bytes is not None:
            assert order_with(each.name, each.capacity_bytes + lacking - 1) is None


TWO_FULL = {"a": 10, "b": 10}


def swap(*others, exclude=None):
    """Tables `a` and `b` change places in two stores that are full."""
    stores = [store("left", 10), store("right", 10), *others]
    return problem(TWO_FULL, stores, exclude=exclude)


def test_two_tables_in_full_stores_change_places_through_a_third():
    asked = swap(store("third", 10))
    start, goal = {"a": ("left",), "b": ("right",)}, {"a": ("right",), "b": ("left",)}
    found = migrate(asked, start, goal)
    assert replay(asked, start, found.steps) == goal
    assert found.detour_bytes == 10
    assert found.peak_bytes == {"left": 10, "right": 10, "third": 10}


def test_without_a_third_store_the_missing_room_is_named_to_the_byte():
    asked = swap()
    start, goal = {"a": ("left",), "b": ("right",)}, {"a": ("right",), "b": ("left",)}
    with pytest.raises(InfeasibleError, match=r"'left' lacks 10 B of .* to 20 B"):
        migrate(asked, start, goal)
    roomy = replace(asked, stores=(store("left", 20), asked.stores[1]))
    assert replay(roomy, start, migrate(roomy, start, goal).steps) == goal
    tight = replace(asked, stores=(store("left", 19), asked.stores[1]))
    with pytest.raises(InfeasibleError, match="'left' lacks 1 B of room"):
        migrate(tight, start, goal)


def test_no_detour_leads_through_a_store_from_which_a_table_is_excluded():
    start, goal = {"a": ("left",), "b": ("right",)}, {"a": ("right",), "b": ("left",)}
    one = swap(store("third", 10), exclude={"a": ("third",)})
    steps = migrate(one, start, goal).steps
    assert {step.table for step in steps if step.target == "third"} == {"b"}
    both = swap(store("third"), exclude={"a": ("third",), "b": ("third",)})
    with pytest.raises(InfeasibleError, match="10 B of room"):
        migrate(both, start, goal)


def test_a_table_moves_out_before_another_moves_in():
    asked = problem({"big": 10, "new": 8}, [store("full", 10), store("wide")])
    start, goal = {"big": ("full",), "new": ("wide",)}, {"big": ("wide",), "new": ("full",)}
    steps = migrate(asked, start, goal).steps
    assert [step.table for step in steps if step.kind == "copy"] == ["big", "new"]


def test_a_move_is_copied_verified_switched_and_dropped():
    asked = problem({"a": 10}, [store("left"), store("right")])
    steps = migrate(asked, {"a": ("left",)}, {"a": ("right",)}).steps
    assert [(s.kind, s.source, s.target, s.bytes) for s in steps] == [
        ("copy", "left", "right", 10),
        ("verify", "left", "right", 10),
        ("switch", "left", "right", 0),
        ("drop", "left", None, 10),
    ]
    assert isinstance(steps[0], Step)
    assert [step.held_bytes["left"] for step in steps] == [10, 10, 10, 0]


def test_a_copy_is_read_from_the_store_that_hands_it_out_fastest():
    stores = [store("slow", speed=0.1), store("fast"), store("new")]
    asked = problem({"a": 10}, stores, max_copies=3)
    steps = migrate(asked, {"a": ("fast", "slow")}, {"a": ("fast", "new", "slow")}).steps
    assert steps[0].source == "fast"
    assert steps[0].estimated_s == pytest.approx(10 / 1000)


def test_a_table_never_has_its_only_copy_where_its_queries_cannot_read_it():
    asked_query = query("q", ["a"], whole=False)
    unable = replace(
        asked_query, fragments=(fragment("q", ("a",), {"a": "a"}, features=("rollup",)),)
    )
    stores = [store("left", 10), store("right", 10), store("third", lacks=("rollup",))]
    asked = problem(TWO_FULL, stores, [unable])
    start, goal = {"a": ("left",), "b": ("right",)}, {"a": ("right",), "b": ("left",)}
    detours = {step.table for step in migrate(asked, start, goal).steps if step.target == "third"}
    assert detours == {"b"}


def test_a_placement_that_breaks_a_limit_is_refused():
    asked = problem({"a": 10}, [store("left"), store("right", 5)])
    with pytest.raises(InfeasibleError, match="breaks a limit: Store 'right' would hold 10 B"):
        migrate(asked, {"a": ("left",)}, {"a": ("right",)})


def test_nothing_is_done_where_nothing_changes():
    asked = problem(TWO_FULL, [store("left"), store("right")])
    same = {"a": ("left",), "b": ("right",)}
    found = migrate(asked, same, same)
    assert (found.steps, found.estimated_s) == ((), 0)


def test_three_hundred_tables_are_ordered_in_seconds():
    sizes = {f"t{i}": 10 + i % 7 for i in range(300)}
    names = [f"s{i}" for i in range(5)]
    start = {table: (names[i % 5],) for i, table in enumerate(sizes)}
    goal = {table: (names[(i * 3 + 1) % 5],) for i, table in enumerate(sizes)}
    full = [max(bytes_in(problem(sizes, ()), p, n) for p in (start, goal)) + 12 for n in names]
    asked = problem(sizes, [store(n, c) for n, c in zip(names, full, strict=True)])
    found = migrate(asked, start, goal)
    assert replay(asked, start, found.steps) == goal
    assert found.fewest_bytes
