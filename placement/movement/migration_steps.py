"""Moves written as steps: copy, verify, switch, drop.

The indexes of copies that stay change in steps of their own (`reindexing`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from placement.movement.copy_indexes import CopyIndexes
from placement.movement.move_rules import Move, MoveRules, bits
from placement.problem import PlacementProblem
from placement.stores import Store
from workloads.indexes import NamedIndex

Kind = Literal["copy", "verify", "switch", "drop", "index", "drop_index"]
ROUTED: frozenset[Kind] = frozenset({"switch", "index", "drop_index"})
"""Kinds of steps after which queries may be run otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a migration, of one copy of `table`.

    `copy` and `verify`: of the copy in `target`, against the one in `source`. `switch`: from now
    on queries read the copy in `target` and none in `source` (None: there is none that they
    leave). `drop`: of the copy in `source`. `index`: the copy in `target`, which stays, gets
    `index`. `drop_index`: the copy in `source`, which stays, loses it. `bytes` are those copied,
    compared, made or dropped; `held_bytes` is store → bytes after the step. `estimated_s` is by the
    stores' rates. `indexes` are the chosen ones that a copy has after a step which makes it, or
    changes its indexes.
    """

    kind: Kind
    table: str
    source: str | None
    target: str | None
    bytes: int
    held_bytes: Mapping[str, int]
    estimated_s: float
    index: NamedIndex | None = None
    indexes: tuple[NamedIndex, ...] = ()


def write_steps(
    problem: PlacementProblem, rules: MoveRules, moves: Sequence[Move], indexes: CopyIndexes
) -> tuple[Step, ...]:
    """Return the steps that make the moves; nothing is dropped before queries have left it."""
    walk = _Walk(
        problem=problem,
        tables=tuple(problem.table_bytes),
        sizes=rules.size_bytes,
        indexes=indexes,
        masks=list(rules.start),
        held=rules.held_bytes(rules.start),
    )
    steps: list[Step] = []
    for index, move in enumerate(moves):
        if move.enters:
            following = moves[index + 1] if index + 1 < len(moves) else None
            steps += walk.enter(move, following)
        else:
            entered = index > 0 and moves[index - 1] == _entering(moves, index)
            steps += walk.leave(move, switched=entered)
    return tuple(steps)


def _entering(moves: Sequence[Move], index: int) -> Move | None:
    """Return the move before a leaving one if it enters the same table elsewhere."""
    before = moves[index - 1]
    return before if before.enters and before.table == moves[index].table else None


@dataclass(slots=True, kw_only=True)
class _Walk:
    """The copies during a migration, as bits of stores by table, and the bytes in each store."""

    problem: PlacementProblem
    tables: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]
    indexes: CopyIndexes
    masks: list[int]
    held: list[int]

    def enter(self, move: Move, following: Move | None) -> Iterator[Step]:
        """Copy from the store that reads fastest, verify, and let the queries read it."""
        stores = self.problem.stores
        source, target = self._source(move), stores[move.store]
        size, read = self._size(move), self.problem.table_bytes[self.tables[move.table]]
        self.masks[move.table] |= 1 << move.store
        self.held[move.store] += size
        copy_s = max(self.problem.costs.load_s(size, target), _read_s(read, source))
        made = self.indexes.moving((self.tables[move.table], target.name))
        copy = self._step("copy", move, source.name, target.name, copy_s)
        yield replace(copy, indexes=made)
        compare_s = max(scan_s(read, source), scan_s(read, target))
        verify = self._step("verify", move, source.name, target.name, compare_s)
        yield replace(verify, indexes=made)
        leaves = following is not None and not following.enters and following.table == move.table
        left = stores[following.store].name if following is not None and leaves else None
        yield replace(self._step("switch", move, left, target.name, 0.0), indexes=made)

    def leave(self, move: Move, *, switched: bool) -> Iterator[Step]:
        """Let the queries leave the copy, unless they have, and drop it."""
        name = self.problem.stores[move.store].name
        left = self.masks[move.table] & ~(1 << move.store)
        if not switched:
            stays = self.problem.stores[next(bits(left))].name
            yield self._step("switch", move, name, stays, 0.0)
        self.masks[move.table] = left
        self.held[move.store] -= self._size(move)
        yield self._step("drop", move, name, None, 0.0)

    def _step(
        self, kind: Kind, move: Move, source: str | None, target: str | None, estimated_s: float
    ) -> Step:
        names = [store.name for store in self.problem.stores]
        return Step(
            kind=kind,
            table=self.tables[move.table],
            source=source,
            target=target,
            bytes=0 if kind == "switch" else self._size(move),
            held_bytes=dict(zip(names, self.held, strict=True)),
            estimated_s=estimated_s,
        )

    def _source(self, move: Move) -> Store:
        holding = [self.problem.stores[number] for number in bits(self.masks[move.table])]
        read_bytes = self.problem.table_bytes[self.tables[move.table]]
        return min(holding, key=lambda store: _read_s(read_bytes, store))

    def _size(self, move: Move) -> int:
        return self.sizes[move.table][move.store]


def _read_s(size_bytes: int, store: Store) -> float:
    """Return the seconds in which a store hands a whole table out; writing goes on meanwhile."""
    return size_bytes / store.strength.transfer_bytes_per_s


def scan_s(size_bytes: int, store: Store) -> float:
    """Return the seconds in which a store reads a whole table for itself."""
    return store.strength.start_s + size_bytes / store.strength.typical_scan_bytes_per_s
