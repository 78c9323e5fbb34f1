"""Exact covers of many queries at once: what is left to cover, from nothing up to everything."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from placement.time_limit import Looks
from workloads.errors import AdvisorError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FEW_STATES = 50_000
"""States of a query up to which arrays are made where there is another way."""
MOST_STATES = 1_000_000
"""States of one query: 7 s and half a gigabyte. TPC-DS's largest query has 800,000, one of forty
joins in cycles more than can be counted."""
STEPS_AT_ONCE = 4096
"""Steps of states that are numbered between two looks at the clock."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Level:
    """States that lead to smaller ones alone: state ``first + i`` has the steps from ``starts[i]``.

    A step covers `sets[j]` and leaves the state `rest[j]`; it is of the level's state `owners[j]`.
    """

    first: int
    starts: Integers
    sets: Integers
    rest: Integers
    owners: Integers = field(init=False)

    def __post_init__(self) -> None:
        lengths = np.diff(np.append(self.starts, len(self.sets)))
        object.__setattr__(self, "owners", np.repeat(np.arange(len(lengths)), lengths))

    @property
    def states(self) -> slice:
        """Return the states of the level."""
        return slice(self.first, self.first + len(self.starts))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class States:
    """The states of all queries. State 0 has nothing left to cover, `whole` (Q) everything.

    A query that no sets cover has the state -1.
    """

    count: int
    levels: tuple[Level, ...]
    whole: Integers

    def cheapest(self, set_s: Floats) -> Floats:
        """Return (Q by P) the cost of each query's cheapest cover by sets that cost `set_s`."""
        return self._of_queries(self._costs(set_s))

    def covers(self, set_s: Floats) -> tuple[Floats, Integers]:
        """Return (Q) the cost of each query's cheapest cover, and the sets of all of them."""
        costs, by_step = np.zeros(self.count), []
        for level in self.levels:
            after = set_s[level.sets] + costs[level.rest]
            costs[level.states] = np.minimum.reduceat(after, level.starts)
            by_step.append(after)
        chosen: list[Integers] = []
        # a state has one way that leads to it at most, since queries share none but the empty one
        wanted = np.zeros(self.count, dtype=bool)
        wanted[self.whole[self.whole >= 0]] = True
        for level, after in zip(reversed(self.levels), reversed(by_step), strict=True):
            hit = after <= costs[level.states][level.owners]
            steps = np.flatnonzero(hit & wanted[level.states][level.owners])
            owners = level.owners[steps]
            is_first = np.ones(len(steps), dtype=bool)
            is_first[1:] = owners[1:] != owners[:-1]
            steps = steps[is_first]
            wanted[level.rest[steps]] = True
            chosen.append(level.sets[steps])
        found = np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)
        return self._of_queries(costs), np.sort(found)

    def regret_s(self, set_s: Floats) -> Floats:
        """Return (M): what the cheapest cover with each set costs above the cheapest of all.

        It is inf for a set that is in no cover.
        """
        costs = self._costs(set_s[:, None])[:, 0]
        spent = np.full(self.count, np.inf)
        spent[self.whole[self.whole >= 0]] = 0.0
        total = np.full(self.count, np.inf)
        total[self.whole[self.whole >= 0]] = costs[self.whole[self.whole >= 0]]
        regret = np.full(len(set_s), np.inf)
        for level in reversed(self.levels):
            before = spent[level.states][level.owners] + set_s[level.sets]
            best = total[level.states][level.owners]
            np.minimum.at(regret, level.sets, before + costs[level.rest] - best)
            inner = level.rest > 0
            np.minimum.at(spent, level.rest[inner], before[inner])
            total[level.rest[inner]] = best[inner]
        above: Floats = np.maximum(0.0, regret)
        return above

    def _costs(self, set_s: Floats) -> Floats:
        costs = np.zeros((self.count, set_s.shape[1]))
        for level in self.levels:
            after = set_s[level.sets] + costs[level.rest]
            costs[level.states] = np.minimum.reduceat(after, level.starts, axis=0)
        return costs

    def _of_queries(self, costs: Floats) -> Floats:
        found = costs[np.maximum(self.whole, 0)]
        found[self.whole < 0] = np.inf
        return found


class TooManyStatesError(AdvisorError):
    """A query can be split into fragments in more ways than are looked at one by one."""


class _Steps(NamedTuple):
    """The steps of one query's states: from a state, by a set, to a rest; states by level."""

    state: Integers
    set_: Integers
    rest: Integers
    level: Integers  # of the states from 1 on: the most steps until nothing is left
    whole: int


_KNOWN: dict[tuple[int, tuple[int, ...], int], _Steps] = {}
"""The results of `_steps`: many queries have the same sets."""
NO_END = Looks(inf, "the ways to run the queries were counted")


def states_of(
    covers: Sequence[tuple[int, Sequence[int]]], most: int = MOST_STATES, looks: Looks = NO_END
) -> States:
    """Return the states of queries, each given by its number of sources and its sets as masks.

    Sets are numbered through, query by query.

    Raises:
        TooManyStatesError: A query has more than `most` states.
        OutOfTimeError: The time was over before they were counted.
    """
    parts: list[tuple[Integers, Integers, Integers, Integers]] = []
    whole = np.full(len(covers), -1, dtype=np.int64)
    states, sets = 0, 0
    levels = [np.zeros(1, dtype=np.int64)]
    for query, (sources, masks) in enumerate(covers):
        known = (sources, tuple(masks), most)
        if known not in _KNOWN:
            _KNOWN[known] = _steps(*known, looks)
        found = _KNOWN[known]
        if found.whole >= 0:
            shift = np.where(found.rest > 0, states, 0)
            parts.append((found.state + states, found.set_ + sets, found.rest + shift, found.level))
            levels.append(found.level)
            whole[query] = found.whole + states if found.whole else 0
            states += len(found.level)
        sets += len(masks)
    level = np.concatenate(levels)
    # Levels are contiguous: a state's number is its rank by level.
    order = np.argsort(level, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return States(
        count=len(order),
        levels=_levels(level[order], number, parts),
        whole=np.where(whole >= 0, number[np.maximum(whole, 0)], -1),
    )


def _levels(
    level: Integers, number: Integers, parts: Sequence[tuple[Integers, ...]]
) -> tuple[Level, ...]:
    if not parts:
        return ()
    state, set_, rest = (np.concatenate([part[i] for part in parts]) for i in range(3))
    state, rest = number[state], number[rest]
    order = np.argsort(state, kind="stable")
    state, set_, rest = state[order], set_[order], rest[order]
    found = []
    for depth in range(1, int(level[-1]) + 1):
        first, last = np.searchsorted(level, [depth, depth + 1])
        start, end = np.searchsorted(state, [first, last])
        starts = np.searchsorted(state[start:end], np.arange(first, last))
        found.append(
            Level(first=int(first), starts=starts, sets=set_[start:end], rest=rest[start:end])
        )
    return tuple(found)


def _steps(sources: int, masks: tuple[int, ...], most: int, looks: Looks) -> _Steps:
    """Return the states of one query.

    A source with few sets is covered first, so that there are few ways on.
    """
    inside = [sum(mask >> source & 1 for mask in masks) for source in range(sources)]
    bit = {s: 1 << i for i, s in enumerate(sorted(range(sources), key=inside.__getitem__))}
    by_first: dict[int, list[tuple[int, int]]] = {}
    for number, mask in enumerate(masks):
        turned = sum(bit[source] for source in range(sources) if mask >> source & 1)
        by_first.setdefault(turned & -turned, []).append((number, turned))
    everything = (1 << sources) - 1
    depth, steps = _explored(everything, by_first, most, looks)
    if depth.get(everything, -1) < 0:
        nothing = np.zeros(0, dtype=np.int64)
        return _Steps(nothing, nothing, nothing, nothing, whole=-1)
    alive = [mask for mask, level in depth.items() if level > 0]
    index = {0: 0, **{mask: i + 1 for i, mask in enumerate(alive)}}
    kept: list[tuple[int, int, int]] = []
    for first in range(0, len(steps), STEPS_AT_ONCE):
        looks.step(STEPS_AT_ONCE // 16)
        some = steps[first : first + STEPS_AT_ONCE]
        kept += [(index[a], set_, index[b]) for a, set_, b in some]
    columns = np.array(kept, dtype=np.int64).reshape(-1, 3).T
    level = np.array([depth[mask] for mask in alive], dtype=np.int64)
    return _Steps(columns[0], columns[1], columns[2], level, whole=index[everything])


def _explored(
    everything: int, by_first: dict[int, list[tuple[int, int]]], most: int, looks: Looks
) -> tuple[dict[int, int], list[tuple[int, int, int]]]:
    """Return all states below `everything` with their depths, and the steps between them.

    The depth is -1 for what cannot be covered.
    """
    depth = {0: 0}
    steps: list[tuple[int, int, int]] = []
    stack = [everything]
    while stack:
        looks.step()
        rest = stack[-1]
        if rest in depth:
            stack.pop()
            continue
        if len(depth) > most:
            raise TooManyStatesError(
                f"A query of {everything.bit_count()} sources can be split into fragments in more "
                f"than {most} ways, which only 'optimal' and the baselines can place: "
                "take the others out of [place].strategies."
            )
        ways = [(n, rest ^ mask) for n, mask in by_first.get(rest & -rest, ()) if not mask & ~rest]
        unknown = [after for _, after in ways if after not in depth]
        if unknown:
            stack += unknown
            continue
        stack.pop()
        open_ways = [(number, after) for number, after in ways if depth[after] >= 0]
        depth[rest] = 1 + max((depth[after] for _, after in open_ways), default=-2)
        steps += [(rest, number, after) for number, after in open_ways]
    return depth, steps
