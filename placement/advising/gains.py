"""The seconds that an index that may be chosen saves a fragment in a store."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from placement.access_paths import (
    cheapest_reads,
    chosen_reads,
    disk_s,
    is_there,
    offered_reads,
    scan_bytes,
    worth_s,
)
from placement.fragment import EstimatedWork, IndexRead, members
from placement.plan import RoutedFragment
from placement.pricing import Option
from placement.problem import PlacementProblem
from placement.stores import Strength
from workloads.indexes import NamedIndex

NO_READ = IndexRead(source="", clustered=False, rows=0.0, spared_bytes=0.0)
"""A scan: it spares nothing."""


Candidate = tuple[str, NamedIndex]
"""A store, and an index that may be chosen there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """The seconds of one execution that an index saves by finding the rows of a source."""

    source: str
    index: NamedIndex
    seconds: float


def gains(
    problem: PlacementProblem, option: Option, candidates: Collection[NamedIndex]
) -> tuple[Gain, ...]:
    """Return what each of the candidates saves where a fragment runs, by its source.

    Of one source a store takes one of them. Savings of several sources add up: exactly, but where
    less is read from the disk of a store because of them. There each has the most that it saves
    beside any of the others, so that a sum is never less than what all of them save. Corrections of
    prices hold for what is saved, as they do for the work that it is a part of.
    """
    strength = problem.store(option.store).strength
    first = members(option.fragment)[0]
    if strength.index_rows_per_s is None or first.reduction.repeats is not None:
        return ()
    work = first.work
    had = {each.source: each for each in cheapest_reads(work, strength)}
    with_all = replace(strength, indexes=strength.indexes.union(candidates))
    offered = offered_reads(work, with_all)
    missed = _Missed.of(work, strength, offered)
    times = work.readings if strength.repeats_ctes else 1.0
    if (corrections := problem.costs.corrections) is not None:
        times *= corrections.factors(option.fragment, option.store).work
    best: dict[tuple[str, NamedIndex], float] = {}
    for source, reads in offered.items():
        before = had.get(source, NO_READ)
        for seconds, read in reads:
            if read.index is not None and not is_there(strength, read):
                faster_s = seconds - worth_s(before, work, strength)
                faster_s += missed.most_s(read.spared_bytes - before.spared_bytes)
                key = source, read.index
                best[key] = max(best.get(key, 0.0), faster_s)
    return tuple(
        Gain(source=source, index=index, seconds=times * seconds)
        for (source, index), seconds in best.items()
        if seconds > 0.0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Missed:
    """The seconds of reading from a store's disk, as `FragmentWork.missed_s` has them.

    A fragment reads between `least` and `most` bytes, by the indexes that there are.
    """

    strength: Strength
    tables_bytes: float
    least: float
    most: float

    @classmethod
    def of(
        cls,
        work: EstimatedWork,
        strength: Strength,
        offered: Mapping[str, Sequence[tuple[float, IndexRead]]],
    ) -> "_Missed":
        """Return it for the reads that are there, and those which are candidates, by source."""
        most = scan_bytes(work, strength)
        least = most
        for reads in offered.values():
            least -= max(each.spared_bytes for _, each in reads)
            # Otherwise it may be scanned.
            if any(seconds > 0.0 and is_there(strength, each) for seconds, each in reads):
                most -= min(each.spared_bytes for _, each in reads)
        return cls(
            strength=strength,
            tables_bytes=work.tables_bytes,
            least=max(0.0, least),
            most=most,
        )

    def most_s(self, spared_bytes: float) -> float:
        """Return the most that reading so many bytes less saves, whatever else is read.

        The seconds are straight up to the size of the cache, and from there on grow ever less up to
        the size of the tables: the saving is largest at one of the bends.
        """
        cache = self.strength.kept_bytes
        if cache is None:
            return 0.0
        bends = [cache, cache - spared_bytes]
        bends += [self.tables_bytes, self.tables_bytes - spared_bytes]
        last = max(self.least, self.most - spared_bytes)
        places = [self.least, last, *(min(max(each, self.least), last) for each in bends)]
        return max(self._seconds(each + spared_bytes) - self._seconds(each) for each in places)

    def _seconds(self, read: float) -> float:
        return disk_s(read, self.tables_bytes, self.strength)


def by_store(candidates: Iterable[Candidate]) -> Mapping[str, frozenset[NamedIndex]]:
    """Return store → its candidates."""
    found: dict[str, set[NamedIndex]] = {}
    for store, index in candidates:
        found.setdefault(store, set()).add(index)
    return {store: frozenset(indexes) for store, indexes in found.items()}


def worthwhile(
    problem: PlacementProblem, run: Mapping[str, Collection[Option]]
) -> Mapping[Candidate, float]:
    """Return the candidates that may save more than they cost, and how many seconds a period.

    Queries are `run` by these options. A query has one of its options for each source: an index
    saves it the most of any of them. All plans save at most the sum by several indexes.
    """
    saved_s: dict[Candidate, float] = defaultdict(float)
    each_s: dict[Candidate, dict[tuple[str, int, str], float]] = defaultdict(dict)
    for query in problem.queries:
        most: dict[tuple[Candidate, str], float] = defaultdict(float)
        for number, option in enumerate(run[query.name]):
            for gain in gains(problem, option, problem.candidates.get(option.store, ())):
                candidate = option.store, gain.index
                each_s[candidate][query.name, number, gain.source] = gain.seconds
                key = candidate, gain.source
                most[key] = max(most[key], gain.seconds)
        for (candidate, _), seconds in most.items():
            saved_s[candidate] += query.executions * seconds
    net_s = {
        (store, index): saved_s[store, index] - problem.index_s(index, problem.store(store))
        for store, index in _not_matched(problem, each_s)
    }
    return {candidate: seconds for candidate, seconds in net_s.items() if seconds > 0.0}


def indexes_read(
    problem: PlacementProblem, routing: Mapping[str, tuple[RoutedFragment, ...]]
) -> Mapping[str, frozenset[NamedIndex]]:
    """Return store → the indexes by which a routing reads there, without those of all copies."""
    found: dict[str, set[NamedIndex]] = {}
    for query in routing.values():
        for each in query:
            strength = problem.store(each.store).strength
            if each.fragment.reduction.repeats is None:
                read = chosen_reads(each.fragment.work, strength)
                found.setdefault(each.store, set()).update(read)
    return {store: frozenset(indexes) for store, indexes in found.items()}


def _not_matched(
    problem: PlacementProblem,
    each_s: Mapping[Candidate, Mapping[tuple[str, int, str], float]],
) -> Iterator[Candidate]:
    """Yield the candidates of which no smaller one on the same columns, or fewer, saves as much.

    It saves as much for each source of each option. Where less is read from a store's disk gains
    are bounds, which say nothing of one index beside another.
    """
    for (store, index), seconds in each_s.items():
        size = problem.index_bytes[index]
        smaller = (
            other
            for (where, other), as_much in each_s.items()
            if where == store
            and other.table == index.table
            and other != index
            and index.columns[: len(other.columns)] == other.columns
            and problem.index_bytes[other] < size
            and all(as_much.get(key, 0.0) >= least_s for key, least_s in seconds.items())
        )
        has_bounds = problem.store(store).strength.kept_bytes is not None
        if has_bounds or next(smaller, None) is None:
            yield store, index
