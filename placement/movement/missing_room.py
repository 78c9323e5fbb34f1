"""Missing room of a migration: how much, in which store, and the ways out."""

from placement.movement.move_greedy import greedy
from placement.movement.move_rules import MoveRules
from placement.movement.move_search import least_room
from placement.problem import PlacementProblem
from placement.sizes import human_bytes
from placement.stores import Store

NAMED_TABLES = 3


def missing_room(problem: PlacementProblem, rules: MoveRules) -> str:
    """Say in which store the least room is missing for any order of the moves, and what to do."""
    ways: list[tuple[int, bool, Store, int]] = []
    for number, store in enumerate(problem.stores):
        if store.capacity_bytes is None:
            continue
        enough = _enough(rules, number)
        found, complete = least_room(rules, number, below=enough)
        room = enough if found is None else found
        if room is not None:
            ways.append((room, complete, store, store.capacity_bytes + room))
    if not ways:
        return (
            "There is no order in which the tables can be moved: with [constraints].exclude, pin "
            "and apart as they are, no store may take one for a while to make room for another. "
            "Ease one of them for the time of the move."
        )
    room, exactly, store, capacity = min(ways, key=lambda way: way[0])
    exactly = exactly and all(complete for _, complete, _, _ in ways)
    largest = sorted(problem.table_bytes, key=lambda table: -problem.table_bytes[table])
    tables = list(problem.table_bytes)
    moving = [t for t in largest if rules.start[tables.index(t)] != rules.goal[tables.index(t)]]
    return (
        f"There is no order in which the tables can be moved, not even with detours: store "
        f"'{store.name}' lacks {human_bytes(room)} of room for the time of the move"
        f"{', and no store lacks less' if exactly else ', or less'}. Raise "
        f"[stores.{store.name}].capacity to {capacity} B until it is over, or let "
        f"{'one of ' if len(moving) > 1 else ''}{', '.join(moving[:NAMED_TABLES])} stay."
    )


def _enough(rules: MoveRules, store: int) -> int | None:
    """Return bytes of further room in `store` with which an order is known; None: no room helps."""
    high = sum(map(max, rules.size_bytes))
    if greedy(rules.with_more_room(store, high)) is None:
        return None
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        if greedy(rules.with_more_room(store, middle)) is None:
            low = middle
        else:
            high = middle
    return high
