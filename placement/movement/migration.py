"""The ordered steps from one placement to another, while the queries keep running."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from placement.limits.limits import limits
from placement.movement.copy_indexes import Indexes, Placement, copy_indexes
from placement.movement.migration_steps import Step, write_steps
from placement.movement.missing_room import missing_room
from placement.movement.move_greedy import greedy
from placement.movement.move_rules import Move, MoveRules, bits, move_rules
from placement.movement.move_search import Found, MoveCost, search
from placement.movement.reindexing import with_index_steps
from placement.problem import PlacementProblem
from workloads.errors import InfeasibleError


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """The steps from `start` to `goal`.

    `copied_bytes` are those of all copies, `detour_bytes` what is copied beyond the copies that
    the goal has and the start lacks. `fewest_bytes`: no order copies less. `lowest_peak`: and of
    those none keeps fewer bytes in all stores at once, the indexes that change on copies that stay
    aside.
    """

    start: Placement
    goal: Placement
    steps: tuple[Step, ...]
    copied_bytes: int
    detour_bytes: int
    fewest_bytes: bool
    lowest_peak: bool

    @property
    def indexed_bytes(self) -> int:
        """Return the bytes of the indexes that copies get which stay."""
        return sum(step.bytes for step in self.steps if step.kind == "index")

    @property
    def estimated_s(self) -> float:
        """Return the seconds of all steps, one after another."""
        return sum(step.estimated_s for step in self.steps)

    @property
    def peak_bytes(self) -> Mapping[str, int]:
        """Return store → the most bytes that it holds after any step."""
        peaks: dict[str, int] = {}
        for step in self.steps:
            for store, held in step.held_bytes.items():
                peaks[store] = max(held, peaks.get(store, 0))
        return peaks


def migrate(
    problem: PlacementProblem,
    start: Placement,
    goal: Placement,
    indexes: Indexes = MappingProxyType({}),
) -> Migration:
    """Return the steps that copy the fewest bytes, and of those the ones with the lowest peak.

    Every table has a verified copy at every step, and no store is filled over its capacity.
    Room is taken by chosen indexes too: copies that are there have `indexes`, by their store, and
    those of the goal get the problem's, whether they are new or stay.
    Small migrations are solved exactly; for large ones `fewest_bytes` and `lowest_peak` say what
    is proven.

    Raises:
        InfeasibleError: `goal` breaks a limit, or the stores lack the room for any order; the
            message says how much, and where.
    """
    for broken in limits(problem, goal):
        raise InfeasibleError(f"The placement to go to breaks a limit: {broken}")
    of_copies = copy_indexes(problem, start, goal, indexes)
    rules = move_rules(problem, start, goal, of_copies)
    found, fewest = _order(problem, rules)
    missing = rules.missing_bytes(rules.start)
    names = [store.name for store in problem.stores]
    return Migration(
        start={table: start[table] for table in problem.table_bytes},
        goal={table: goal[table] for table in problem.table_bytes},
        steps=with_index_steps(
            problem,
            of_copies,
            write_steps(problem, rules, found.moves or (), of_copies),
            dict(zip(names, rules.held_bytes(rules.start), strict=True)),
        ),
        copied_bytes=found.cost.copied_bytes,
        detour_bytes=found.cost.copied_bytes - missing,
        fewest_bytes=fewest,
        lowest_peak=fewest and found.complete,
    )


def _order(problem: PlacementProblem, rules: MoveRules) -> tuple[Found, bool]:
    """Return the best order found, and whether none copies fewer bytes."""
    made = greedy(rules)
    known = None if made is None else Found(moves=made, cost=_cost(rules, made), complete=False)
    least = MoveCost(copied_bytes=rules.missing_bytes(rules.start), peak_bytes=_least_peak(rules))
    if known is not None and known.cost == least:
        return Found(moves=known.moves, cost=known.cost, complete=True), True
    most = None if known is None else known.cost.copied_bytes
    exact = search(rules, most_bytes=most)
    if exact.moves is not None:
        return exact, True
    if exact.complete and known is None:
        raise InfeasibleError(missing_room(problem, rules))
    if known is not None and known.cost.copied_bytes == least.copied_bytes:
        return known, True
    quick = search(rules, most_bytes=most, by_peak=False)
    ways = [way for way in (known, quick) if way is not None and way.moves is not None]
    if not ways:
        raise InfeasibleError(missing_room(problem, rules))
    best = min(ways, key=lambda way: (way.cost.copied_bytes, way.cost.peak_bytes))
    return best, quick.moves is not None


def _cost(rules: MoveRules, moves: Sequence[Move]) -> MoveCost:
    """Return what the moves copy, and the most bytes in all stores."""
    total = peak = sum(rules.held_bytes(rules.start))
    copied = 0
    for move in moves:
        size = rules.size_bytes[move.table][move.store]
        copied += size if move.enters else 0
        total += size if move.enters else -size
        peak = max(peak, total)
    return MoveCost(copied_bytes=copied, peak_bytes=peak)


def _least_peak(rules: MoveRules) -> int:
    """Return what all stores hold at least at once: each table has a copy, one of them two."""
    once = sum(map(min, rules.size_bytes))
    two = max(
        (
            min(sizes[store] for store in bits(after & ~before))
            for sizes, before, after in zip(rules.size_bytes, rules.start, rules.goal, strict=True)
            if after & ~before
        ),
        default=0,
    )
    ends = (sum(rules.held_bytes(state)) for state in (rules.start, rules.goal))
    return max(once + two, *ends)
