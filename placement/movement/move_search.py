"""The order of the moves: an exact search, best first, over states of all tables.

A* (Hart, Nilsson, Raphael: A Formal Basis for the Heuristic Determination of Minimum Cost Paths,
1968): a state's estimate is the bytes of the copies that are still missing, which any order has
to copy. Of orders that copy equally many the one is best that keeps the fewest bytes in all stores
at once.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from placement.movement.move_rules import Move, MoveRules, State, bits

MOST_SUCCESSORS = 100_000
"""States made before the search gives up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveCost:
    """The cost of an order of moves: bytes copied, and the most that all stores hold at once."""

    copied_bytes: int = 0
    peak_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The moves, None where there are none; `complete`: the search saw all that mattered."""

    moves: tuple[Move, ...] | None
    cost: MoveCost
    complete: bool


def search(
    rules: MoveRules,
    *,
    most_bytes: int | None = None,
    by_peak: bool = True,
    most_successors: int = MOST_SUCCESSORS,
) -> Found:
    """Return the order of moves that copies the fewest bytes, and of those the lowest peak.

    Orders that copy more than `most_bytes` are not looked at. Without `by_peak` the peak is not
    minimised, which finds an order much sooner where there are many.
    """
    start = rules.start
    peak = sum(rules.held_bytes(start))
    best = {start: (0, peak)}
    came: dict[State, tuple[State, tuple[Move, ...]]] = {}
    expanded: dict[State, tuple[int, int]] = {}
    queue = [(rules.missing_bytes(start), peak if by_peak else 0, _left(rules, start), 0, start)]
    compared = 2 if by_peak else 1
    made = 0
    while queue:
        *_, state = heapq.heappop(queue)
        if expanded.get(state) == best[state]:
            continue
        expanded[state] = copied, peak = best[state]
        if state == rules.goal:
            cost = MoveCost(copied_bytes=copied, peak_bytes=peak)
            return Found(moves=_path(came, state), cost=cost, complete=by_peak)
        if made > most_successors:
            return Found(moves=None, cost=MoveCost(), complete=False)
        for each in _successors(rules, state, None):
            made += 1
            reached = (copied + each.copied_bytes, max(peak, each.held_bytes))
            estimate = reached[0] + rules.missing_bytes(each.state)
            if each.state in best and best[each.state][:compared] <= reached[:compared]:
                continue
            if most_bytes is None or estimate <= most_bytes:
                best[each.state] = reached
                came[each.state] = (state, each.moves)
                key = (estimate, reached[1] if by_peak else 0, _left(rules, each.state))
                heapq.heappush(queue, (*key, made, each.state))
    return Found(moves=None, cost=MoveCost(), complete=True)


def least_room(
    rules: MoveRules, lifted: int, *, below: int | None, most_successors: int = MOST_SUCCESSORS
) -> tuple[int | None, bool]:
    """Return the fewest bytes that store `lifted` lacks for any order, and whether all was seen.

    Only orders that need less than `below` are looked at; None where there are none.
    """
    best = {rules.start: 0}
    expanded: set[State] = set()
    queue = [(0, _left(rules, rules.start), 0, rules.start)]
    made = 0
    while queue:
        over, *_, state = heapq.heappop(queue)
        if state in expanded:
            continue
        expanded.add(state)
        if state == rules.goal:
            return over, True
        if made > most_successors:
            return None, False
        for each in _successors(rules, state, lifted):
            made += 1
            reached = max(over, each.over_bytes)
            known = best.get(each.state, below)
            if known is None or reached < known:
                best[each.state] = reached
                heapq.heappush(queue, (reached, _left(rules, each.state), made, each.state))
    return None, True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Successor:
    """A next state and how it is reached: what is copied, and held and over at the same time."""

    state: State
    moves: tuple[Move, ...]
    held_bytes: int
    copied_bytes: int = 0
    over_bytes: int = 0


def _successors(rules: MoveRules, state: State, lifted: int | None) -> Iterator[_Successor]:
    """Yield each next state; the store `lifted` may be over its capacity."""
    held = rules.held_bytes(state)
    total = sum(held)
    for table, stores in enumerate(state):
        for store in range(len(held)):
            size = rules.size_bytes[table][store]
            if rules.may_leave(state, table, store):
                yield _Successor(
                    state=_with(state, table, stores & ~(1 << store)),
                    moves=(Move(table=table, store=store, enters=False),),
                    held_bytes=total,
                )
            over = rules.over_bytes(store, held[store] + size)
            if (not over or store == lifted) and rules.may_enter(state, table, store):
                after, moves = _entered(rules, state, table, store)
                yield _Successor(
                    state=after,
                    moves=moves,
                    held_bytes=total + size,
                    copied_bytes=size,
                    over_bytes=over,
                )


def _entered(
    rules: MoveRules, state: State, table: int, store: int
) -> tuple[State, tuple[Move, ...]]:
    """Return the state with a new copy, without the copies that are to go once it is there.

    An order that keeps those longer is no cheaper: whatever it reads there it can read here; and
    if it drops the new copy again, it need not have made it.
    """
    moves = [Move(table=table, store=store, enters=True)]
    stores = state[table]
    after = _with(state, table, stores | 1 << store)
    if rules.goal[table] >> store & 1:
        for old in bits(stores & ~rules.goal[table]):
            if rules.may_leave(after, table, old):
                after = _with(after, table, after[table] & ~(1 << old))
                moves.append(Move(table=table, store=old, enters=False))
    return after, tuple(moves)


def _with(state: State, table: int, stores: int) -> State:
    return (*state[:table], stores, *state[table + 1 :])


def _left(rules: MoveRules, state: State) -> int:
    """Return how many copies differ from the goal's."""
    return sum((a ^ b).bit_count() for a, b in zip(state, rules.goal, strict=True))


def _path(came: dict[State, tuple[State, tuple[Move, ...]]], state: State) -> tuple[Move, ...]:
    parts = []
    while state in came:
        state, moves = came[state]
        parts.append(moves)
    return tuple(move for moves in reversed(parts) for move in moves)
