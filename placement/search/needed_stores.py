"""The stores that a cheapest plan needs, where there are more of them.

Stores stand in order, and each is made at least as good as all after it: a set of sources costs
in it what it costs at least in one of these. No plan gets dearer so. Then of two stores whose
tables fit the first of them together, the second one can be left empty at no cost; nor need a
store be empty before one that is not. So there is a cheapest plan in the first few stores, of which
each two hold more than the first of them can take. With few bytes for the capacities there are, a
plan has no tables for many such stores: those after them are left out. The bound on what is left
holds for the whole problem.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from placement.arrays.compiling import SourceSet, cheapest_sets, drop_dominated, looks_at
from placement.pricing import Option, priced
from placement.problem import Constraints, PlacementProblem, QueryProblem
from placement.search.terrain import capacities_bytes
from placement.stores import Store
from placement.time_limit import Looks


@dataclass(frozen=True, slots=True, kw_only=True)
class FewStores:
    """A problem in its first stores, each as good as all after it, and the options there.

    No plan of the whole problem costs less than the cheapest one of this with what is `offered`.
    """

    problem: PlacementProblem
    offered: Mapping[str, Sequence[Option]]

    @property
    def options(self) -> int:
        """Return the number of options."""
        return sum(len(options) for options in self.offered.values())


def in_few_stores(problem: PlacementProblem) -> FewStores | None:
    """Return the problem in the stores that it needs; None where it may need all of them.

    Raises:
        OutOfTimeError: The problem's time was over before that was done.
    """
    if not _alike(problem):
        return None
    better = _as_good_as_later(problem.stores)
    ordered = replace(problem, stores=better)
    count = most_used(capacities_bytes(ordered), _most_bytes(problem))
    if count >= len(better):
        return None
    few = replace(problem, stores=better[:count])
    looks = looks_at(problem)
    offered = {query.name: _offered(problem, query, few.stores, looks) for query in problem.queries}
    return FewStores(problem=few, offered=offered)


def most_used(capacities: Sequence[int], most_bytes: int) -> int:
    """Return how many stores can be used if each two hold more than the first of them can take.

    `capacities` descend. Over all pairs of m stores, these hold more than the sum of the first
    ones' capacities; and each store is in m - 1 pairs.
    """
    used = 1
    for count in range(2, len(capacities) + 1):
        first = sum(c * (count - place) for place, c in enumerate(capacities[:count], start=1))
        pairs = count * (count - 1) // 2
        if first + pairs > (count - 1) * most_bytes:
            break
        used = count
    return used


def _alike(problem: PlacementProblem) -> bool:
    """Whether no limit but the capacities tells one store from another, or their number."""
    limits = problem.constraints
    free = Constraints(
        max_copies=limits.max_copies,
        max_copy_bytes=limits.max_copy_bytes,
        together=limits.together,
        tags=limits.tags,
    )
    return problem.objective == "work" and not problem.current and limits == free


def _as_good_as_later(stores: Sequence[Store]) -> tuple[Store, ...]:
    """Return the stores in their order, each as roomy, and written to as fast, as any later one."""
    better: list[Store] = []
    for store in reversed(stores):
        better.append(_as_good_as(store, better[-1]) if better else store)
    return tuple(reversed(better))


def _as_good_as(store: Store, other: Store) -> Store:
    """Return the store as roomy, and written to as fast, as another one."""
    strength, theirs = store.strength, other.strength
    unlimited = store.capacity_bytes is None or other.capacity_bytes is None
    return replace(
        store,
        capacity_bytes=None
        if unlimited
        else max(store.capacity_bytes or 0, other.capacity_bytes or 0),
        strength=replace(
            strength,
            write_start_s=min(strength.write_start_s, theirs.write_start_s),
            write_rows_per_s=max(strength.write_rows_per_s, theirs.write_rows_per_s),
        ),
    )


def _most_bytes(problem: PlacementProblem) -> int:
    """Return the most bytes that all copies may have."""
    limits, total = problem.constraints, sum(problem.table_bytes.values())
    most = total * min(limits.max_copies, len(problem.stores))
    return most if limits.max_copy_bytes is None else min(most, total + limits.max_copy_bytes)


def _offered(
    problem: PlacementProblem, query: QueryProblem, few: Sequence[Store], looks: Looks
) -> list[Option]:
    """Return a query's options in the first stores at what they cost at least there or later."""
    found = cheapest_sets(problem, query, looks)
    for each in found:
        _lower(each)
    for column in range(len(few)):
        drop_dominated(found, column, looks)
    return [
        replace(
            priced(problem, query, query.offered[each.fragment[column]], store),
            cost_s=each.cost_s[column],
        )
        for each in found
        for column, store in enumerate(few)
        if each.fragment[column] >= 0
    ]


def _lower(found: SourceSet) -> None:
    """Let a set cost in each store at most what it does in any later one."""
    for column in reversed(range(len(found.cost_s) - 1)):
        if found.cost_s[column + 1] < found.cost_s[column]:
            found.cost_s[column] = found.cost_s[column + 1]
            found.fragment[column] = found.fragment[column + 1]
