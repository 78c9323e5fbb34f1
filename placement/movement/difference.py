"""The difference of two plans of one problem."""

from collections.abc import Iterator
from dataclasses import dataclass

from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.reasons.query_changes import QueryChange, query_changes
from workloads.indexes import NamedIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChange:
    """A table whose stores differ; `bytes` are those of one copy."""

    table: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    bytes: int

    @property
    def added(self) -> tuple[str, ...]:
        """Return the stores that get a copy."""
        return tuple(store for store in self.after if store not in self.before)

    @property
    def dropped(self) -> tuple[str, ...]:
        """Return the stores that lose theirs."""
        return tuple(store for store in self.before if store not in self.after)

    @property
    def kind(self) -> str:
        """Return ``moved``, ``copied``, ``dropped``, or ``moved and …`` of an uneven change."""
        gained, lost = len(self.added), len(self.dropped)
        if not lost:
            return "copied"
        if not gained:
            return "dropped"
        if gained == lost:
            return "moved"
        return "moved and copied" if gained > lost else "moved and dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexChange:
    """An index that is chosen for the copy in `store` by one of the plans.

    `added` where it is the second. `bytes` is None where it is no candidate any more.
    """

    store: str
    index: NamedIndex
    added: bool
    bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The tables, indexes and queries that differ, the largest tables and changes first.

    `loads_s` are of all new copies.
    """

    before: PlacementPlan
    after: PlacementPlan
    tables: tuple[TableChange, ...]
    indexes: tuple[IndexChange, ...]
    queries: tuple[QueryChange, ...]
    loads_s: float

    @property
    def copied_bytes(self) -> int:
        """Return the bytes of all new copies."""
        return sum(each.bytes * len(each.added) for each in self.tables)

    @property
    def dropped_bytes(self) -> int:
        """Return the bytes of all copies that are dropped."""
        return sum(each.bytes * len(each.dropped) for each in self.tables)


def difference(
    problem: PlacementProblem, before: PlacementPlan, after: PlacementPlan
) -> Difference:
    """Return what differs between two plans that are both of `problem`."""
    changed = [
        TableChange(
            table=table, before=before.placement[table], after=after.placement[table], bytes=size
        )
        for table, size in problem.table_bytes.items()
        if set(before.placement[table]) != set(after.placement[table])
    ]
    return Difference(
        before=before,
        after=after,
        tables=tuple(sorted(changed, key=lambda each: -each.bytes)),
        indexes=tuple(_index_changes(problem, before, after)),
        queries=query_changes((problem, before), (problem, after)),
        loads_s=sum(
            problem.costs.load_s(each.bytes, problem.store(store))
            for each in changed
            for store in each.added
        ),
    )


def _index_changes(
    problem: PlacementProblem, before: PlacementPlan, after: PlacementPlan
) -> Iterator[IndexChange]:
    for store in problem.stores:
        had, has = (set(plan.indexes.get(store.name, ())) for plan in (before, after))
        for index in sorted(had ^ has):
            yield IndexChange(
                store=store.name,
                index=index,
                added=index in has,
                bytes=problem.index_bytes.get(index),
            )
