"""Index selection algorithms after their authors' descriptions; none of their code is in here.

All of them ask the same estimate as the server itself has, and have the same bytes to spend. A
query counts once. What each takes from its description, and what it does not, its function says.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Protocol

from benchmarks.index_advisors.asked import Asked, covered
from workloads.indexes import NamedIndex

Indexes = frozenset[NamedIndex]

NONE: Indexes = frozenset()
MOST_COLUMNS = 3
LEAST_SAVED = 0.001
"""Share of the cost of all queries below which `extend` takes no further step."""
DEXTER_SAVES = 0.5
"""Share of a query's cost that its indexes have to save by dexter's rule."""


class Estimated(Protocol):
    """The figures of an estimate: see `what_if.Estimate`."""

    @property
    def cost(self) -> float: ...

    @property
    def used(self) -> Indexes: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A workload, the estimate of it, the size of an index, and what all indexes may take."""

    asked: Mapping[str, Asked]
    keys: Mapping[str, Collection[str]]
    estimate: Callable[[str, Indexes], Estimated]
    size_bytes: Callable[[NamedIndex], float]
    budget_bytes: float

    def cost(self, indexes: Indexes) -> float:
        """Return the cost of all queries."""
        return sum(self.estimate(query, indexes).cost for query in self.asked)

    def bytes_of(self, indexes: Indexes) -> float:
        return sum(map(self.size_bytes, indexes))


def extend(setting: Setting) -> Indexes:
    """Add the index, or the column to one chosen, that saves most per byte; and so on.

    As described by Schlosser, Kossmann and Boissier, "Efficient Scalable Multi-Attribute Index
    Selection Using Recursive Strategies" (ICDE 2019). Here an index has at most `MOST_COLUMNS`.
    An added column is one that a query reads of the table beside the index. An index is looked at
    again only for the queries that it makes cheaper by itself, and not at all if there are none.
    """
    chosen = NONE
    helped: dict[NamedIndex, tuple[str, ...]] = {}
    while True:
        total = setting.cost(chosen)
        best, most = chosen, 0.0
        for index, replaced in _steps(setting, chosen):
            after = chosen - ({replaced} if replaced else NONE) | {index}
            more_bytes = setting.bytes_of(after) - setting.bytes_of(chosen)
            if setting.bytes_of(after) > setting.budget_bytes:
                continue
            if index not in helped:
                helped[index] = tuple(_helped(setting, index))
            queries = {*helped[index], *(helped[replaced] if replaced else ())}
            saved = sum(
                setting.estimate(query, chosen).cost - setting.estimate(query, after).cost
                for query in sorted(queries)
            )
            if saved >= LEAST_SAVED * total and saved / max(more_bytes, 1.0) > most:
                best, most = after, saved / max(more_bytes, 1.0)
        if best == chosen:
            return chosen
        chosen = best


def db2advis(setting: Setting) -> Indexes:
    """Take, by what they save per byte, the indexes that queries use if all candidates are there.

    As described by Valentin, Zuliani, Zilio, Lohman and Skelley, "DB2 Advisor: An Optimizer Smart
    Enough to Recommend Its Own Indexes" (ICDE 2000), without its random variations of the result.
    What a query saves counts for each index that it uses.
    """
    return _taken(setting, least_saved=0.0)


def dexter(setting: Setting) -> Indexes:
    """Take the indexes of queries that save at least half of their cost by them.

    As described by Kane, "Introducing Dexter" (2017): one or two columns. Dexter has no budget:
    where one is exceeded, those that save most per byte are taken.
    """
    return _taken(setting, least_saved=DEXTER_SAVES)


def within_budget(setting: Setting, indexes: Indexes) -> Indexes:
    """Return the indexes of others that keys do not serve; of too many those of most per byte."""
    wanted = frozenset(each for each in indexes if not covered(each, setting.keys))
    if setting.bytes_of(wanted) <= setting.budget_bytes:
        return wanted
    before = setting.cost(NONE)
    saved = {each: before - setting.cost(frozenset({each})) for each in wanted}
    return _best(setting, saved)


def _taken(setting: Setting, *, least_saved: float) -> Indexes:
    saved: dict[NamedIndex, float] = defaultdict(float)
    for query, of_it in setting.asked.items():
        trial = frozenset(
            index
            for table, columns in of_it.found_by.items()
            for width in (1, 2)
            for index in (NamedIndex(table, each) for each in permutations(columns, width))
            if not covered(index, setting.keys)
        )
        before, found = setting.estimate(query, NONE).cost, setting.estimate(query, trial)
        if found.used and before - found.cost >= least_saved * before:
            for each in found.used:
                saved[each] += before - found.cost
    return _best(setting, saved)


def _best(setting: Setting, saved: Mapping[NamedIndex, float]) -> Indexes:
    """Return what fits, the most saved per byte first."""
    chosen, left_bytes = set[NamedIndex](), setting.budget_bytes
    for each in sorted(saved, key=lambda index: (-saved[index] / setting.size_bytes(index), index)):
        if setting.size_bytes(each) <= left_bytes:
            chosen.add(each)
            left_bytes -= setting.size_bytes(each)
    return frozenset(chosen)


def _steps(setting: Setting, chosen: Indexes) -> Iterator[tuple[NamedIndex, NamedIndex | None]]:
    """Yield each next index with the chosen one that it widens, if it does."""
    single = {
        NamedIndex(table, (column,))
        for of_it in setting.asked.values()
        for table, columns in of_it.found_by.items()
        for column in columns
    }
    for index in sorted(single - chosen):
        if not covered(index, setting.keys):
            yield index, None
    for index in sorted(chosen):
        if len(index.columns) < MOST_COLUMNS:
            beside = {
                column
                for of_it in setting.asked.values()
                if set(index.columns) <= set(of_it.read.get(index.table, ()))
                for column in of_it.read[index.table]
            }
            for column in sorted(beside - set(index.columns)):
                yield NamedIndex(index.table, (*index.columns, column)), index


def _helped(setting: Setting, index: NamedIndex) -> Iterator[str]:
    """Yield the queries that an index alone makes cheaper."""
    alone = frozenset({index})
    for query, of_it in setting.asked.items():
        reads = set(index.columns) <= set(of_it.read.get(index.table, ()))
        if reads and setting.estimate(query, alone).cost < setting.estimate(query, NONE).cost:
            yield query
