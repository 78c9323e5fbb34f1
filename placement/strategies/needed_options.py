"""Options that some plan with indexes may need, out of all of a problem's."""

from collections.abc import Mapping, Sequence

from placement.advising.gains import gains
from placement.arrays.compiling import looks_at, replaced
from placement.pricing import Option
from placement.problem import PlacementProblem
from placement.time_limit import Looks


def needed(
    problem: PlacementProblem, run: Mapping[str, Sequence[Option]]
) -> Mapping[str, tuple[Option, ...]]:
    """Return query → those of its options in `run` that may be cheaper than what replaces them.

    Others of the same store replace an option where without an index they cost no more than it does
    with all that may be chosen. It is for problems whose seconds add up.

    Raises:
        OutOfTimeError: The problem's time was over before that was done.
    """
    looks = looks_at(problem)
    found = {}
    for query in problem.queries:
        position = {source: 1 << index for index, source in enumerate(query.sources)}
        kept = set[int]()
        for store in problem.stores:
            there = [each for each in run[query.name] if each.store == store.name]
            kept |= {id(each) for each in _needed(problem, there, position, looks)}
        found[query.name] = tuple(each for each in run[query.name] if id(each) in kept)
    return found


def _needed(
    problem: PlacementProblem,
    options: Sequence[Option],
    position: Mapping[str, int],
    looks: Looks,
) -> list[Option]:
    """Return those of one store's options that are needed."""
    mask = {id(o): sum(position[source] for source in o.fragment.sources) for o in options}
    cheapest: dict[int, Option] = {}
    for each in options:
        before = cheapest.get(mask[id(each)])
        if before is None or each.cost_s < before.cost_s:
            cheapest[mask[id(each)]] = each
    cost_s = {sources: each.cost_s for sources, each in cheapest.items()}
    by_first: dict[int, list[int]] = {}
    for sources in cost_s:
        by_first.setdefault(sources & -sources, []).append(sources)
    kept = []
    for each in options:
        looks.step()
        sources, least_s = mask[id(each)], _least_s(problem, each)
        if cheapest[sources] is not each and cost_s[sources] <= least_s:
            continue
        if sources.bit_count() > 1 and replaced(sources, least_s, cost_s, by_first, looks):
            continue
        kept.append(each)
    return kept


def _least_s(problem: PlacementProblem, option: Option) -> float:
    """Return what an option costs at least, whatever indexes are chosen."""
    most: dict[str, float] = {}
    for gain in gains(problem, option, problem.candidates.get(option.store, ())):
        most[gain.source] = max(most.get(gain.source, 0.0), gain.seconds)
    return option.cost_s - sum(most.values())
