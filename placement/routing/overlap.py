"""The fastest exact cover of a query's sources, where stores run at the same time."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from operator import le

from placement.plan import execution_s
from placement.pricing import Option, routed
from placement.problem import PlacementProblem, QueryProblem
from placement.programs.solver import Program, Status
from placement.routing.cover import cheapest_cover, priced, source_prices
from placement.time_limit import OutOfTimeError, left_s

MOST_LABELS = 5_000
"""Partial covers that the search looks at before it leaves a query to the solver."""
SLACK = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """A query's options as numbers: the sources as a mask, the store as its place.

    `store_s` and `engine_s` are the seconds in the store and in the engine. A source's price in
    `engine_prices` and in `even_prices` is less than what any cover takes the engine for it, and
    than that with an even share of the stores' seconds.
    """

    masks: Sequence[int]
    stores: Sequence[int]
    store_s: Sequence[float]
    engine_s: Sequence[float]
    everything: int
    engine_prices: Sequence[float]
    even_prices: Sequence[float]

    @property
    def store_count(self) -> int:
        return max(self.stores) + 1

    def bound_s(self, covered: int, loads_s: Sequence[float], engine_s: float) -> float:
        """Return a bound on the seconds of any cover that a partial one is completed to."""
        open_ = self.everything & ~covered
        slowest_s = max(loads_s) + engine_s + priced(self.engine_prices, open_)
        even_s = sum(loads_s) / len(loads_s) + engine_s + priced(self.even_prices, open_)
        return max(slowest_s, even_s)


def fastest_cover(
    problem: PlacementProblem, query: QueryProblem, available: Sequence[Option]
) -> list[Option] | None:
    """Choose the options that cover each source exactly once and end first; None if none do."""
    cheapest = cheapest_cover(problem, query, available)
    if not cheapest or len({option.store for option in available}) == 1:
        return cheapest
    available = _undominated(available)
    made = _numbers(query, available)
    known_s = execution_s(routed(problem, query, cheapest), "latency")
    found = _search(made, known_s)
    if found is None:
        found = _solve(problem, made)
    return None if found is None else [available[index] for index in found]


def _undominated(available: Sequence[Option]) -> list[Option]:
    """Keep of each set of sources in a store what no other takes less time than in both."""
    kept: dict[tuple[tuple[str, ...], str], list[Option]] = {}
    for option in available:
        others = kept.setdefault((option.fragment.sources, option.store), [])
        if not any(_no_slower(other, option) for other in others):
            others[:] = [other for other in others if not _no_slower(option, other)]
            others.append(option)
    return [option for others in kept.values() for option in others]


def _no_slower(one: Option, other: Option) -> bool:
    in_store = one.cost_s - one.engine_s <= other.cost_s - other.engine_s
    return in_store and one.engine_s <= other.engine_s


def _numbers(query: QueryProblem, available: Sequence[Option]) -> _Options:
    bit = {source: 1 << index for index, source in enumerate(query.sources)}
    place = {name: i for i, name in enumerate(dict.fromkeys(o.store for o in available))}
    masks = [sum(bit[source] for source in option.fragment.sources) for option in available]
    store_s = [option.cost_s - option.engine_s for option in available]
    engine_s = [option.engine_s for option in available]
    even_s = [s / len(place) + e for s, e in zip(store_s, engine_s, strict=True)]
    return _Options(
        masks=masks,
        stores=[place[option.store] for option in available],
        store_s=store_s,
        engine_s=engine_s,
        everything=(1 << len(bit)) - 1,
        engine_prices=source_prices(len(bit), masks, engine_s),
        even_prices=source_prices(len(bit), masks, even_s),
    )


def _search(made: _Options, known_s: float) -> tuple[int, ...] | None:
    """Search partial covers, best first; None where it takes too many.

    Of two that cover the same sources the one with as much or more in every store and in the
    engine is dropped, and so is what cannot be faster than a cover of `known_s` seconds.
    """
    by_lowest: dict[int, list[int]] = {}
    for i, mask in enumerate(made.masks):
        by_lowest.setdefault(mask & -mask, []).append(i)
    start = (0.0,) * made.store_count
    queue: list[tuple[float, int, tuple[float, ...], float, tuple[int, ...]]]
    queue = [(made.bound_s(0, start, 0.0), 0, start, 0.0, ())]
    fronts: dict[int, list[tuple[float, ...]]] = {}
    labels = 0
    while queue:
        _, covered, loads_s, engine_s, chosen = heapq.heappop(queue)
        if covered == made.everything:
            return chosen
        labels += 1
        if labels > MOST_LABELS:
            return None
        open_ = made.everything & ~covered
        for i in by_lowest.get(open_ & -open_, ()):
            if made.masks[i] & covered:
                continue
            reached = covered | made.masks[i]
            after = _loaded(loads_s, made.stores[i], made.store_s[i])
            engine_after = engine_s + made.engine_s[i]
            bound = made.bound_s(reached, after, engine_after)
            if bound <= known_s * (1 + SLACK) and _enters(fronts, reached, (*after, engine_after)):
                heapq.heappush(queue, (bound, reached, after, engine_after, (*chosen, i)))
    return None


def _loaded(loads_s: tuple[float, ...], store: int, seconds: float) -> tuple[float, ...]:
    return (*loads_s[:store], loads_s[store] + seconds, *loads_s[store + 1 :])


def _enters(
    fronts: dict[int, list[tuple[float, ...]]], covered: int, label: tuple[float, ...]
) -> bool:
    """Whether no other cover of the same sources is as good in everything; keep it if so."""
    front = fronts.setdefault(covered, [])
    if any(all(map(le, other, label)) for other in front):
        return False
    front.append(label)
    return True


def _solve(problem: PlacementProblem, made: _Options) -> tuple[int, ...] | None:
    """Choose the cover by the solver; None if there is none.

    Raises:
        OutOfTimeError: The time was over before there was any.
    """
    program = Program()
    unit_s = max(*made.store_s, *made.engine_s) or 1.0
    chosen = [program.binary() for _ in made.masks]
    slowest = program.continuous()
    program.price(slowest, 1.0)
    for i, variable in enumerate(chosen):
        program.price(variable, made.engine_s[i] / unit_s)
    for source in range(made.everything.bit_length()):
        inside = [(chosen[i], 1.0) for i, mask in enumerate(made.masks) if mask >> source & 1]
        program.row(inside, at_least=1.0, at_most=1.0)
    for store in range(made.store_count):
        inside = [
            (chosen[i], made.store_s[i] / unit_s) for i, s in enumerate(made.stores) if s == store
        ]
        program.row([*inside, (slowest, -1.0)], at_most=0.0)
    answer = program.solve(seed=problem.seed, time_limit_s=left_s(problem))
    if answer.values is None:
        if answer.status is Status.STOPPED:
            raise OutOfTimeError(
                "No way to run a query was found in time: raise [place].time_limit_s."
            )
        return None
    return tuple(i for i, variable in enumerate(chosen) if answer.chosen(variable))
