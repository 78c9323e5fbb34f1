"""Chosen indexes of the copies of a migration: those that they have, and those that they get."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from placement.problem import PlacementProblem
from workloads.indexes import NamedIndex

Placement = Mapping[str, tuple[str, ...]]
Indexes = Mapping[str, Collection[NamedIndex]]
"""Store → indexes that are chosen for the copies in it."""
Copy = tuple[str, str]
"""A table and a store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyIndexes:
    """The chosen indexes of copies, each in order.

    `before` are those of the start's copies, and `after` of the goal's.
    """

    before: Mapping[Copy, tuple[NamedIndex, ...]]
    after: Mapping[Copy, tuple[NamedIndex, ...]]

    @property
    def staying(self) -> tuple[Copy, ...]:
        """Return the copies that both the start and the goal have."""
        return tuple(copy for copy in self.after if copy in self.before)

    def moving(self, copy: Copy) -> tuple[NamedIndex, ...]:
        """Return what a copy has while tables move: of one that stays, what it has at both ends."""
        if copy not in self.before:
            return self.after.get(copy, ())
        if copy not in self.after:
            return self.before[copy]
        return tuple(each for each in self.before[copy] if each in self.after[copy])

    def added(self, copy: Copy) -> tuple[NamedIndex, ...]:
        """Return the indexes that a copy which stays gets."""
        return tuple(each for each in self.after[copy] if each not in self.before[copy])

    def dropped(self, copy: Copy) -> tuple[NamedIndex, ...]:
        """Return the indexes that a copy which stays loses."""
        return tuple(each for each in self.before[copy] if each not in self.after[copy])


def copy_indexes(
    problem: PlacementProblem, start: Placement, goal: Placement, had: Indexes
) -> CopyIndexes:
    """Return the indexes of all copies: `had` are those at the start, the problem's at the goal.

    Those that the problem does not know the bytes of are left out.
    """
    return CopyIndexes(
        before=dict(_of(problem.with_indexes(had), start)), after=dict(_of(problem, goal))
    )


def _of(
    problem: PlacementProblem, placement: Placement
) -> Iterator[tuple[Copy, tuple[NamedIndex, ...]]]:
    for store in problem.stores:
        for table in problem.table_bytes:
            if store.name in placement[table]:
                yield (table, store.name), problem.chosen(table, store)


def total_bytes(problem: PlacementProblem, indexes: Iterable[NamedIndex]) -> int:
    """Return the bytes of indexes together."""
    return sum(problem.index_bytes[each] for each in indexes)
