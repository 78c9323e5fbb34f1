"""Parts of a partition of the tables, given to the stores."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np

from placement.arrays.compiled import Booleans, Integers
from placement.plan import PlacementPlan
from placement.routing.routing import plan_for
from placement.search.breaches import NONE
from placement.search.descents import repair
from placement.search.moves import Position
from placement.search.terrain import Terrain
from placement.time_limit import cut_by, ends_of

ALL_ORDERS = 5
"""Up to so many stores every order of parts is priced; beyond, parts change stores in pairs."""


def plan_of_parts(terrain: Terrain, strategy: str, part_of_unit: Sequence[int]) -> PlacementPlan:
    """Return the plan of a partition: part i in store i, or in the order that costs least.

    What that breaks is repaired by single moves. Pinned units are where they are pinned.
    """
    parts = np.array(part_of_unit, dtype=np.int64)
    order = _best_order(terrain, parts)
    position = Position(terrain, _held(terrain, parts, [order])[:, :, 0])
    problem = terrain.problem
    done = repair(position, ends=ends_of(problem))
    plan = plan_for(problem, strategy, terrain.placement(position.held))
    return plan if done else replace(plan, cut=cut_by(problem, "the repair of limits"))


def _best_order(terrain: Terrain, parts: Integers) -> tuple[int, ...]:
    """Return part → store, by number: what breaks least, and costs least among those."""
    stores = len(terrain.problem.stores)
    best = tuple(range(stores))
    if stores <= ALL_ORDERS:
        return _least(terrain, parts, list(permutations(best)))
    while (better := _least(terrain, parts, [best, *_exchanged(best)])) != best:
        best = better
    return best


def _exchanged(order: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for left, right in combinations(range(len(order)), 2):
        after = list(order)
        after[left], after[right] = after[right], after[left]
        yield tuple(after)


def _least(terrain: Terrain, parts: Integers, orders: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    breach, seconds = terrain.weigh(_held(terrain, parts, orders))
    ranks = zip(np.where(breach < NONE, 0.0, breach).tolist(), seconds.tolist(), strict=True)
    return min(zip(ranks, orders, strict=True), key=lambda ranked: ranked[0])[1]


def _held(terrain: Terrain, parts: Integers, orders: Sequence[tuple[int, ...]]) -> Booleans:
    """Return (T by S by P): the units in the stores of their parts, or in those of their pins."""
    shape = (len(terrain.problem.table_bytes), len(terrain.problem.stores), len(orders))
    held = np.zeros(shape, dtype=bool)
    store_of = np.array(orders, dtype=np.int64).T[parts]
    for number, unit in enumerate(terrain.units):
        for table in unit.tables.tolist():
            if unit.pinned.any():
                held[table] = unit.pinned[:, None]
            else:
                held[table, store_of[number], np.arange(len(orders))] = True
    return held
