"""Steps that change the indexes of copies that stay, around the moves of tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from placement.movement.copy_indexes import Copy, CopyIndexes, total_bytes
from placement.movement.migration_steps import Kind, Step, scan_s
from placement.problem import PlacementProblem
from workloads.indexes import NamedIndex


def with_index_steps(
    problem: PlacementProblem,
    indexes: CopyIndexes,
    moves: Sequence[Step],
    held_bytes: Mapping[str, int],
) -> tuple[Step, ...]:
    """Return the steps `moves` with those that give copies which stay the goal's indexes.

    Tables move while such copies have what they have at both ends: with that, stores hold
    `held_bytes` at first. Where a store has room for all indexes all the way, missing ones are made
    first and others dropped last, so that queries lose none before they have the new ones.
    Elsewhere they are dropped first and made last, which needs no more room than the moves and the
    goal. So it is for a copy that leaves its store for a while: it is made anew.
    """
    remade = {(step.table, step.source) for step in moves if step.kind == "drop"}
    roomy = _roomy(problem, indexes, moves, held_bytes)
    early = [each for each in indexes.staying if each[1] in roomy and each not in remade]
    late = [each for each in indexes.staying if each not in early]
    walk = _Walk(problem=problem, indexes=indexes, held=dict(held_bytes))
    for copy in indexes.staying:
        walk.begin_with(copy)
    return (
        *(step for copy in late for step in walk.drop(copy)),
        *(step for copy in early for step in walk.make(copy)),
        *walk.move(moves, held_bytes),
        *(step for copy in late for step in walk.make(copy)),
        *(step for copy in early for step in walk.drop(copy)),
    )


def _roomy(
    problem: PlacementProblem,
    indexes: CopyIndexes,
    moves: Sequence[Step],
    held_bytes: Mapping[str, int],
) -> frozenset[str]:
    """Return the stores with room for old and new indexes beside all that moves."""
    found = set()
    for store in problem.stores:
        most = max([held_bytes[store.name], *(step.held_bytes[store.name] for step in moves)])
        for copy in indexes.staying:
            if copy[1] == store.name:
                most += total_bytes(problem, (*indexes.added(copy), *indexes.dropped(copy)))
        if store.capacity_bytes is None or most <= store.capacity_bytes:
            found.add(store.name)
    return frozenset(found)


@dataclass(slots=True, kw_only=True)
class _Walk:
    """The bytes in each store, and the indexes of copies that stay, while these change."""

    problem: PlacementProblem
    indexes: CopyIndexes
    held: dict[str, int]
    had: dict[Copy, tuple[NamedIndex, ...]] = field(default_factory=dict)

    def begin_with(self, copy: Copy) -> None:
        """Count the indexes that a copy has at the start and is to lose."""
        self.had[copy] = self.indexes.before[copy]
        self.held[copy[1]] += total_bytes(self.problem, self.indexes.dropped(copy))

    def make(self, copy: Copy) -> Iterator[Step]:
        """Make the indexes that a copy lacks: its rows are read, and their entries written."""
        table, name = copy
        store = self.problem.store(name)
        read_s = scan_s(self.problem.table_bytes[table], store)
        for index in self.indexes.added(copy):
            size = self.problem.index_bytes[index]
            self.held[name] += size
            self.had[copy] = tuple(sorted((*self.had[copy], index)))
            made_s = read_s + self.problem.costs.load_s(size, store)
            yield self._step("index", copy, index, made_s)

    def drop(self, copy: Copy) -> Iterator[Step]:
        """Drop the indexes that a copy is to lose."""
        for index in self.indexes.dropped(copy):
            self.held[copy[1]] -= self.problem.index_bytes[index]
            self.had[copy] = tuple(each for each in self.had[copy] if each != index)
            yield self._step("drop_index", copy, index, 0.0)

    def move(self, moves: Sequence[Step], held_bytes: Mapping[str, int]) -> Iterator[Step]:
        """Yield the moves with what stores hold of indexes beside them."""
        beside = {name: held - held_bytes[name] for name, held in self.held.items()}
        for step in moves:
            self.held = {name: held + beside[name] for name, held in step.held_bytes.items()}
            yield replace(step, held_bytes=dict(self.held))

    def _step(self, kind: Kind, copy: Copy, index: NamedIndex, estimated_s: float) -> Step:
        table, store = copy
        return Step(
            kind=kind,
            table=table,
            source=store if kind == "drop_index" else None,
            target=store if kind == "index" else None,
            bytes=self.problem.index_bytes[index],
            held_bytes=dict(self.held),
            estimated_s=estimated_s,
            index=index,
            indexes=self.had[copy],
        )
