"""An order of the moves for many tables: move out before moving in, with detours when stuck."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from placement.movement.move_rules import Move, MoveRules, State, bits

Copy = tuple[int, int]
"""A table in a store, both as numbers."""


def greedy(rules: MoveRules) -> tuple[Move, ...] | None:
    """Return an order of moves, None where this finds none.

    Copies that are not wanted any more leave at once. Of the copies that fit, the one comes first
    whose table then leaves the most room in stores that others wait for. When none fits, a table
    leaves a store that others wait for, into any store with room: a detour.
    """
    walk = _Walk(rules=rules, masks=list(rules.start))
    walk.tidy()
    while tuple(walk.masks) != rules.goal:
        chosen = walk.best_copy()
        if chosen is not None:
            walk.enter(*chosen)
        elif not walk.detour():
            return None
        walk.tidy()
    return tuple(walk.moves)


@dataclass(slots=True, kw_only=True)
class _Walk:
    """The state on the way. `left` are the detours' starts: each is left once, so they end."""

    rules: MoveRules
    masks: list[int]
    moves: list[Move] = field(default_factory=list)
    left: set[Copy] = field(default_factory=set)

    @property
    def state(self) -> State:
        return tuple(self.masks)

    def enter(self, table: int, store: int) -> None:
        self.masks[table] |= 1 << store
        self.moves.append(Move(table=table, store=store, enters=True))

    def leave(self, table: int, store: int) -> None:
        self.masks[table] &= ~(1 << store)
        self.moves.append(Move(table=table, store=store, enters=False))

    def tidy(self) -> None:
        """Drop what the goal lacks of every table that is where it should be."""
        for table, goal in enumerate(self.rules.goal):
            if not self.masks[table] & goal:
                continue
            for store in bits(self.masks[table] & ~goal):
                if self.rules.may_leave(self.state, table, store):
                    self.leave(table, store)

    def missing(self) -> list[Copy]:
        """Return the goal's copies that are not there and may come."""
        state = self.state
        return [
            (table, store)
            for table, goal in enumerate(self.rules.goal)
            for store in bits(goal & ~self.masks[table])
            if self.rules.may_enter(state, table, store)
        ]

    def best_copy(self) -> Copy | None:
        held = self.rules.held_bytes(self.state)
        missing = self.missing()
        fits = [copy for copy in missing if self._fits(held, *copy)]
        waited_for = {store for table, store in missing if not self._fits(held, table, store)}

        def rank(copy: Copy) -> tuple[bool, int, bool, Copy]:
            table, _ = copy
            leaving = set(bits(self.masks[table] & ~self.rules.goal[table]))
            sizes = self.rules.size_bytes[table]
            freed = sum(sizes[store] for store in leaving & waited_for)
            # What left by a detour comes back last, or it would take the room again.
            return copy in self.left, -freed, not leaving, copy

        return min(fits, key=rank, default=None)

    def detour(self) -> bool:
        """Move one table out of a store that others wait for; False where none can."""
        held = self.rules.held_bytes(self.state)
        sizes = self.rules.size_bytes
        waiting: dict[int, int] = {}
        for table, store in self.missing():
            size = sizes[table][store]
            waiting[store] = min(size, waiting.get(store, size))

        def rank(leaving: tuple[Copy, int | None]) -> tuple[bool, int, Copy, int]:
            (table, store), into = leaving
            size = sizes[table][store]
            after = held[store] - size + waiting[store]
            enough = not self.rules.over_bytes(store, after)
            extra = 0 if into is None else sizes[table][into]
            extra += size if self.rules.goal[table] >> store & 1 else 0
            return not enough, extra if enough else -size, (table, store), into or 0

        chosen = min(self._detours(held, waiting), key=rank, default=None)
        if chosen is None:
            return False
        (table, store), into = chosen
        self.left.add((table, store))
        if into is not None:
            self.enter(table, into)
        self.leave(table, store)
        return True

    def _detours(
        self, held: list[int], waiting: dict[int, int]
    ) -> Iterator[tuple[Copy, int | None]]:
        """Yield each copy that may leave, with the store it enters: none if there is another."""
        state = self.state
        for store in waiting:
            for table in range(len(state)):
                if not state[table] >> store & 1 or (table, store) in self.left:
                    continue
                if self.rules.may_leave(state, table, store):
                    yield (table, store), None
                    continue
                for into in range(len(held)):
                    entered = (*state[:table], state[table] | 1 << into, *state[table + 1 :])
                    if (
                        self.rules.may_enter(state, table, into)
                        and self._fits(held, table, into)
                        and self.rules.may_leave(entered, table, store)
                    ):
                        yield (table, store), into

    def _fits(self, held: list[int], table: int, store: int) -> bool:
        size = self.rules.size_bytes[table][store]
        return not self.rules.over_bytes(store, held[store] + size)
