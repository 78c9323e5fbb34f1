import random
from dataclasses import replace

import numpy as np
import pytest

from placement.arrays.compiled_part import part, readers
from placement.arrays.evaluator import Evaluator
from placement.limits.limits import limits
from placement.routing.routing import plan_for
from placement.search.breaches import NONE
from placement.search.descents import improve, repair
from placement.search.moves import Position
from placement.search.terrain import Terrain
from tests.unit.placement.problems import problem, query, store
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError


def random_placement(rng, made):
    names = [each.name for each in made.stores]
    return {
        table: tuple(sorted(rng.sample(names, rng.randint(1, min(2, len(names))))))
        for table in made.table_bytes
    }


def test_nothing_is_broken_exactly_where_the_check_finds_nothing():
    found = {True: 0, False: 0}
    for seed in range(1500):
        rng = random.Random(seed)
        made = random_problem(rng, tables=(2, 4))
        # a routing may be chosen for its money, which breaches of the fastest do not know
        made = replace(made, constraints=replace(made.constraints, max_money=None))
        placement = random_placement(rng, made)
        held = np.zeros((len(made.table_bytes), len(made.stores), 1), dtype=bool)
        terrain = Terrain(made)
        held = terrain.reads.compiled.held([placement])
        (breach,), _ = terrain.weigh(held)
        try:
            feasible = not plan_for(made, "random", placement).violations
        except InfeasibleError:
            feasible = False
        assert (breach < NONE) == feasible
        found[feasible] += 1
    assert min(found.values()) > 100


def test_seconds_are_those_of_the_routed_plan():
    for seed in range(200):
        rng = random.Random(seed)
        made = random_problem(rng, tables=(2, 5))
        placement = random_placement(rng, made)
        terrain = Terrain(made)
        try:
            plan = plan_for(made, "random", placement)
        except InfeasibleError:
            continue
        if made.constraints.max_money is None:
            _, (seconds,) = terrain.weigh(terrain.reads.compiled.held([placement]))
            assert seconds == pytest.approx(plan.predicted_s)


def test_some_queries_cost_alone_what_they_cost_among_all():
    rng = random.Random(3)
    made = random_problem(rng, tables=(6, 6), stores=(3, 3), queries=(12, 12))
    made = replace(made, objective="work")
    compiled = Evaluator(made).compiled
    held = compiled.held([random_placement(rng, made) for _ in range(20)])
    everything = compiled.query_s(held)
    for queries in readers(compiled).values():
        assert np.array_equal(part(compiled, queries).query_s(held), everything[queries])


def test_the_readers_of_a_table_are_the_queries_over_it():
    asked = [query("q0", ("t", "u")), query("q1", ("u",)), query("q2", ("t",))]
    made = problem({"t": 1, "u": 1, "v": 1}, [store("a")], asked)
    found = readers(Evaluator(made).compiled)
    assert {table: queries.tolist() for table, queries in found.items()} == {
        0: [0, 2],
        1: [0, 1],
        2: [],
    }


def test_gains_of_moves_are_those_of_the_placements_that_they_lead_to():
    for seed in range(40):
        rng = random.Random(seed)
        made = random_problem(rng, tables=(3, 6), queries=(3, 6))
        terrain = Terrain(made)
        position = Position(terrain, terrain.held(random_placement(rng, made)))
        for _ in range(3):
            moves = position.moves()
            if not len(moves.unit):
                break
            chosen = rng.randrange(len(moves.unit))
            (breach,) = position.breach_after(moves, np.array([chosen]))
            before = position.seconds
            position.take(int(moves.unit[chosen]), moves.stores[chosen])
            assert position.breach == pytest.approx(breach)
            assert before - position.seconds == pytest.approx(moves.gain_s[chosen], abs=1e-9)
            (weighed,), (seconds,) = terrain.weigh(position.held[:, :, None])
            assert (position.breach, position.seconds) == pytest.approx((weighed, seconds))


def test_two_tables_change_stores_where_no_single_move_helps():
    made = problem({"t": 30, "u": 20, "v": 10}, [store("a", 30), store("b", 30)])
    terrain = Terrain(made)
    position = Position(terrain, terrain.held({"t": ("a",), "u": ("a",), "v": ("b",)}))
    repair(position)
    assert limits(made, terrain.placement(position.held)) == ()


def test_copies_that_take_the_room_of_a_table_are_dropped():
    """No single move and no swap helps `v` out of `a`: `b` and `c` are full of copies."""
    made = problem(
        {"t": 30, "u": 30, "v": 50},
        [store("a", 40), store("b", 60), store("c", 60)],
        max_copies=2,
    )
    terrain = Terrain(made)
    start = {"t": ("b", "c"), "u": ("b", "c"), "v": ("a",)}
    position = Position(terrain, terrain.held(start))
    repair(position)
    assert limits(made, terrain.placement(position.held)) == ()


def test_a_move_that_is_worth_less_is_taken_where_the_worthier_ones_break_limits(monkeypatch):
    monkeypatch.setattr("placement.search.descents.LOOKED_AT", 1)
    asked = [query(name, (name,), executions=often) for name, often in (("t", 9.0), ("u", 1.0))]
    made = problem({"t": 30, "u": 10}, [store("a"), store("b", 10, speed=5.0)], asked)
    terrain = Terrain(made)
    position = Position(terrain, terrain.held({"t": ("a",), "u": ("a",)}))
    improve(position, lambda moves: moves.gain_s)
    assert terrain.placement(position.held) == {"t": ("a",), "u": ("b",)}


def test_a_descent_breaks_no_limit_that_it_kept():
    for seed in range(40):
        made = random_problem(random.Random(seed), tables=(3, 6), queries=(3, 6))
        terrain = Terrain(made)
        position = Position(terrain, terrain.held(random_placement(random.Random(seed), made)))
        repair(position)
        before, seconds = position.breach, position.seconds
        improve(position, lambda moves: moves.gain_s)
        assert position.breach <= max(NONE, before + 1e-6)
        assert position.seconds <= seconds


def test_what_a_move_breaks_is_what_its_placement_breaks():
    broken = 0
    for seed in range(400):
        rng = random.Random(seed)
        made = random_problem(rng, tables=(2, 6))
        terrain = Terrain(made)
        held = terrain.reads.compiled.held([random_placement(rng, made)])[:, :, 0]
        units = [rng.randrange(len(terrain.units)) for _ in range(12)]
        stores = np.array([[rng.random() < 0.5 for _ in made.stores] for _ in units])
        after = np.repeat(held[:, :, None], len(units), axis=2)
        for column, unit in enumerate(units):
            after[terrain.units[unit].tables, :, column] = stores[column]
        tables = [terrain.units[unit].tables for unit in units]
        expected = terrain.breaches.of(after)
        assert terrain.breaches.after(held, tables, stores) == pytest.approx(expected)
        broken += np.count_nonzero(expected)
    assert broken > 1000


@pytest.mark.parametrize("most_units", [0, 100])
def test_a_descent_ends_where_no_move_gains_however_units_are_priced(most_units):
    gained = 0
    for seed in range(100):
        made = random_problem(random.Random(seed), tables=(3, 7), queries=(2, 6))
        terrain = Terrain(made)
        position = Position(terrain, terrain.held(random_placement(random.Random(seed), made)))
        before_s, before = position.seconds, position.breach
        improve(position, lambda moves: moves.gain_s, most_units=most_units)
        assert position.seconds <= before_s
        assert position.breach <= max(before, NONE)
        moves = Position(terrain, position.held).moves()
        gaining = np.flatnonzero(moves.gain_s > 1e-8 * position.seconds)
        after = position.breach_after(moves, gaining)
        assert (after >= max(position.breach, NONE) - 1e-9).all()
        gained += position.seconds < before_s
    assert gained > 50


def test_a_repair_that_prices_little_again_mends_as_much():
    """Both are greedy and go ways of their own: one may mend what the other does not."""
    mended = by_eager = by_lazy = 0
    for seed in range(100):
        made = random_problem(random.Random(seed), tables=(4, 8), queries=(2, 6))
        terrain = Terrain(made)
        held = terrain.held(random_placement(random.Random(seed), made))
        eager, lazy = Position(terrain, held), Position(terrain, held)
        repair(eager, most_units=100)
        repair(lazy, most_units=0)
        by_eager += eager.breach < NONE
        by_lazy += lazy.breach < NONE
        mended += Position(terrain, held).breach > NONE > lazy.breach
    assert by_lazy >= by_eager
    assert mended > 10
