"""The cheapest exact cover of a query's sources by fragments: best-first, or by the solver."""

import heapq
from collections.abc import Sequence

from placement.pricing import Option
from placement.problem import PlacementProblem, QueryProblem
from placement.programs.solver import Program, Status
from placement.time_limit import OutOfTimeError, left_s

MOST_STATES = 20_000
"""Sets of covered sources that the search looks at before it leaves a query to the solver."""
SLACK = 1e-9


def cheapest_cover(
    problem: PlacementProblem, query: QueryProblem, available: Sequence[Option]
) -> list[Option] | None:
    """Choose the cheapest options that cover each source exactly once; None if none do."""
    if not query.sources:
        return []
    available = _cheapest_stores(available)
    width = {
        source: sum(source in option.fragment.sources for option in available)
        for source in query.sources
    }
    # A source with few options is covered first, so that the search branches little.
    ordered = sorted(query.sources, key=lambda source: width[source])
    bit = {source: 1 << index for index, source in enumerate(ordered)}
    masks = [sum(bit[source] for source in option.fragment.sources) for option in available]
    costs = [option.cost_s for option in available]
    prices = source_prices(len(ordered), masks, costs)
    keep = _promising(len(ordered), masks, costs, prices)
    found = _search(len(ordered), masks, costs, prices, keep)
    if found is None:
        found = _solve(problem, masks, costs, keep)
    return None if found is None else [available[index] for index in found]


def _cheapest_stores(available: Sequence[Option]) -> list[Option]:
    """Keep of each set of sources the cheapest fragment, in the cheapest of its stores."""
    best: dict[tuple[str, ...], Option] = {}
    for option in available:
        sources = option.fragment.sources
        if sources not in best or option.cost_s < best[sources].cost_s:
            best[sources] = option
    return list(best.values())


def source_prices(sources: int, masks: Sequence[int], costs: Sequence[float]) -> list[float]:
    """Return a price for each source, such that no option is cheaper than what it covers.

    Their sum bounds any cover from below: a feasible solution of the relaxation's dual, found by
    giving each source its smallest even share and then raising one after the other.
    """
    covering = [[i for i, mask in enumerate(masks) if mask >> s & 1] for s in range(sources)]
    prices = [min(costs[i] / masks[i].bit_count() for i in inside) for inside in covering]
    slack = [cost - priced(prices, mask) for mask, cost in zip(masks, costs, strict=True)]
    for source, inside in enumerate(covering):
        raised = max(0.0, min(slack[i] for i in inside))
        prices[source] += raised
        for i in inside:
            slack[i] -= raised
    return prices


def _promising(
    sources: int, masks: Sequence[int], costs: Sequence[float], prices: Sequence[float]
) -> list[int]:
    """Return the options that can be in a best cover: the others cost too much over the bound."""
    pairs = list(zip(masks, costs, strict=True))
    everything = (1 << sources) - 1
    known = [cost for mask, cost in pairs if mask == everything]
    single = {mask: cost for mask, cost in pairs if mask.bit_count() == 1}
    if len(single) == sources:
        alone = [single[1 << source] for source in range(sources)]
        known += [cost + priced(alone, everything & ~mask) for mask, cost in pairs]
    bound = sum(prices)
    room = min(known, default=float("inf")) - bound + SLACK * bound
    return [i for i, mask in enumerate(masks) if costs[i] - priced(prices, mask) <= room]


def _search(
    sources: int,
    masks: Sequence[int],
    costs: Sequence[float],
    prices: Sequence[float],
    keep: Sequence[int],
) -> tuple[int, ...] | None:
    """Search sets of covered sources, best first (A*); None where it takes too many.

    A state is a mask; its estimate adds the prices of the sources that are still to be covered.
    """
    by_lowest: list[list[int]] = [[] for _ in range(sources)]
    for i in keep:
        by_lowest[(masks[i] & -masks[i]).bit_length() - 1].append(i)
    everything = (1 << sources) - 1
    queue: list[tuple[float, int, float, tuple[int, ...]]] = [(sum(prices), 0, 0.0, ())]
    best = {0: 0.0}
    states = 0
    while queue:
        _, covered, cost, chosen = heapq.heappop(queue)
        if covered == everything:
            return chosen
        if cost > best[covered]:
            continue
        states += 1
        if states > MOST_STATES:
            return None
        open_ = everything & ~covered
        for i in by_lowest[(open_ & -open_).bit_length() - 1]:
            if masks[i] & covered:
                continue
            after, reached = cost + costs[i], covered | masks[i]
            if reached not in best or after < best[reached]:
                best[reached] = after
                estimate = after + priced(prices, everything & ~reached)
                heapq.heappush(queue, (estimate, reached, after, (*chosen, i)))
    return None


def _solve(
    problem: PlacementProblem, masks: Sequence[int], costs: Sequence[float], keep: Sequence[int]
) -> tuple[int, ...] | None:
    """Choose the cover by the solver; None if there is none.

    Raises:
        OutOfTimeError: The time was over before there was any.
    """
    program = Program()
    unit = max(costs) or 1.0
    chosen = {i: program.binary() for i in keep}
    for i, variable in chosen.items():
        program.price(variable, costs[i] / unit)
    for source in range(max(masks).bit_length()):
        inside = [(chosen[i], 1.0) for i in keep if masks[i] >> source & 1]
        program.row(inside, at_least=1.0, at_most=1.0)
    answer = program.solve(seed=problem.seed, time_limit_s=left_s(problem))
    if answer.values is None:
        if answer.status is Status.STOPPED:
            raise OutOfTimeError(
                "No way to run a query was found in time: raise [place].time_limit_s."
            )
        return None
    return tuple(i for i, variable in chosen.items() if answer.chosen(variable))


def priced(prices: Sequence[float], mask: int) -> float:
    """Return the sum of the prices of the sources in `mask`."""
    total = 0.0
    while mask:
        lowest = mask & -mask
        total += prices[lowest.bit_length() - 1]
        mask ^= lowest
    return total
