"""Sets of a block's sources as trees of look-ups.

An N:1 join, whose other end is a key, looks up at most one row for each row: it keeps the rows of
the table that it starts from. So a set of sources falls into trees, each a root with what it
looks up, directly or through others: a fact and its dimensions are one tree. Joins between trees
multiply rows (Acharya et al., "Join Synopses for Approximate Query Answering", SIGMOD 1999).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from workloads.catalog import Table
from workloads.footprint import Block, ColumnRef, Filter, Join, JoinKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A source that is joined by a key of its own.

    `on` pairs its columns with those they equal, `parents` are the sources of these. `left` says
    that a row without a match stays; `conditions` are then the other parts of ON.
    """

    alias: str
    on: tuple[tuple[str, ColumnRef], ...]
    parents: frozenset[str]
    left: bool = False
    conditions: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A root and its look-ups, parents first."""

    root: str
    lookups: tuple[Lookup, ...]

    @property
    def aliases(self) -> frozenset[str]:
        """Return the root and all that is looked up."""
        return frozenset({self.root, *(lookup.alias for lookup in self.lookups)})

    def in_order(self) -> "Tree":
        """Return the tree with its look-ups by name, parents first: equal trees are equal then."""
        placed, ordered = {self.root}, []
        waiting = sorted(self.lookups, key=lambda lookup: lookup.alias)
        while waiting:
            following = next(lookup for lookup in waiting if lookup.parents <= placed)
            waiting.remove(following)
            ordered.append(following)
            placed.add(following.alias)
        return Tree(root=self.root, lookups=tuple(ordered))

    def holds(self, aliases: frozenset[str]) -> bool:
        """Whether `aliases` are a part of the tree that stands alone: with root and parents."""
        return (
            self.root in aliases
            and aliases <= self.aliases
            and all(lookup.parents <= aliases for lookup in self.lookups if lookup.alias in aliases)
        )


class JoinTrees:
    """The trees of one block.

    `tables` are those of its sources, by alias; `can_look_up` says which may be looked up.
    """

    def __init__(
        self,
        block: Block,
        tables: Mapping[str, Table],
        can_look_up: Callable[[Table], bool] = lambda _: True,
    ) -> None:
        self.block = block
        self._tables = tables
        self._keys = {
            alias: unique_columns(table) if can_look_up(table) else ()
            for alias, table in tables.items()
        }
        self._needs = {source.alias: source.needs for source in block.sources}
        self.joins = tuple(
            join
            for join in block.joins
            if join.left[0] in tables and join.right[0] in tables and not join.computed
        )

    def of(self, aliases: frozenset[str]) -> tuple[Tree, ...] | None:
        """Return `aliases` as few trees; None if an outer join is none of their look-ups."""
        left, trees = aliases, []
        while left:
            found = [self.tree(root, left) for root in self._ordered(left)]
            if not found:
                return None
            best = max(found, key=lambda tree: len(tree.lookups))
            trees.append(best)
            left -= best.aliases
        return tuple(trees)

    def tree(self, root: str, within: frozenset[str]) -> Tree:
        """Return `root` with all of `within` that it looks up."""
        return self.extended(Tree(root=root, lookups=()), within)

    def extended(self, tree: Tree, within: frozenset[str]) -> Tree:
        """Return `tree` with all of `within` that it looks up beside what it has."""
        reached, lookups = [tree.root, *(found.alias for found in tree.lookups)], [*tree.lookups]
        order = [source.alias for source in self.block.sources]
        grown = True
        while grown:
            grown = False
            for alias in order:
                if alias not in within or alias in reached:
                    continue
                lookup = self._lookup(alias, reached)
                if lookup is not None:
                    reached.append(alias)
                    lookups.append(lookup)
                    grown = True
        return Tree(root=tree.root, lookups=tuple(lookups))

    def _ordered(self, aliases: Iterable[str]) -> list[str]:
        """Return what can be a root, small tables first: more of their rows are in their sample."""
        inner = [alias for alias in aliases if not self._needs[alias]]
        return sorted(inner, key=lambda alias: (self._tables[alias].rows, alias))

    def _lookup(self, alias: str, reached: list[str]) -> Lookup | None:
        needs = self._needs[alias]
        left = bool(needs)
        if not needs <= set(reached):
            return None
        partners: dict[str, ColumnRef] = {}
        for own, other, kind in self._ends(alias):
            if (kind == "left") is not left or other[0] not in (needs or reached):
                continue
            known = partners.get(own.lower())
            if known is None or reached.index(other[0]) < reached.index(known[0]):
                partners[own.lower()] = other
        key = next((key for key in self._keys[alias] if key <= partners.keys()), None)
        if key is None:
            return None
        conditions = self._outer_conditions(alias) if left else ()
        names = partners.keys() if left else key
        parents = {partners[name][0] for name in names}
        parents |= {a for f in conditions for a, _ in f.columns if a != alias}
        if not parents <= set(reached):
            return None
        return Lookup(
            alias=alias,
            on=tuple((name, partners[name]) for name in sorted(names)),
            parents=frozenset(parents),
            left=left,
            conditions=conditions,
        )

    def _ends(self, alias: str) -> list[tuple[str, ColumnRef, JoinKind]]:
        found = [(j.left[1], j.right, j.kind) for j in self.joins if j.left[0] == alias]
        return found + [(j.right[1], j.left, j.kind) for j in self.joins if j.right[0] == alias]

    def _outer_conditions(self, alias: str) -> tuple[Filter, ...]:
        return tuple(
            f for f in self.block.filters if f.outer and any(a == alias for a, _ in f.columns)
        )

    def beside(self, trees: tuple[Tree, ...]) -> tuple[Join, ...]:
        """Return the joins among the sources of `trees` that are none of their look-ups."""
        members = frozenset().union(*(tree.aliases for tree in trees))
        used = {
            frozenset({(lookup.alias, own), (other[0], other[1].lower())})
            for tree in trees
            for lookup in tree.lookups
            for own, other in lookup.on
        }
        return tuple(
            join
            for join in self.joins
            if join.left[0] in members
            and join.right[0] in members
            and frozenset({_lowered(join.left), _lowered(join.right)}) not in used
        )


def unique_columns(table: Table) -> tuple[frozenset[str], ...]:
    """Return the sets of columns, in lower case, that make a row of `table` unique."""
    keys = [frozenset(name.lower() for name in table.primary_key)] if table.primary_key else []
    for column in table.columns:
        known = column.statistics
        if known is not None and known.distinct >= table.rows > 0 and known.null_share == 0:
            keys.append(frozenset({column.name.lower()}))
    return tuple(dict.fromkeys(keys))


def _lowered(ref: ColumnRef) -> ColumnRef:
    return ref[0], ref[1].lower()
