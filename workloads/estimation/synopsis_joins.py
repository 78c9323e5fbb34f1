"""Rows of joins between trees, which multiply rows.

The sample of one tree is joined with all rows of the other root that it meets, as index-based
join sampling does (Leis et al., "Cardinality Estimation Done Right: Index-Based Join Sampling",
CIDR 2017), or with its sample where it meets too many. Rows with equal join columns and equal
bits are counted before they are joined, so that a join of few values and many rows is cheap.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from workloads.catalog import Table
from workloads.duck import quoted
from workloads.estimation.join_trees import Tree
from workloads.estimation.synopsis import Bit, Counts, Synopsis, aliases_of, column, mask
from workloads.footprint import ColumnRef, Filter, Join

MOST_MET_ROWS = 1_000_000
"""If the sample is expected to meet more rows of another table, that one's sample is taken."""

MOST_PAIRS = 5_000_000
"""The first sample is thinned until its join is expected to have no more pairs."""

MOST_TREES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Crossing:
    """The joins between trees: equalities, other conditions, and the columns that both read."""

    joins: tuple[Join, ...]
    conditions: tuple[Filter, ...]
    columns: tuple[ColumnRef, ...]

    def name(self, ref: ColumnRef) -> str:
        """Return the name under which a column leaves its tree."""
        return f"c{self.columns.index(ref)}"

    def connects(self, trees: Sequence[Tree]) -> bool:
        """Whether the equalities make one of all `trees`."""
        together = trees[0].aliases
        for _ in trees:
            for join in self.joins:
                for tree in trees:
                    if {join.left[0], join.right[0]} & together and tree.aliases & {
                        join.left[0],
                        join.right[0],
                    }:
                        together |= tree.aliases
        return all(tree.aliases <= together for tree in trees)

    def ends(self, tree: Tree) -> list[tuple[ColumnRef, ColumnRef]]:
        """Return each equality of `tree` with others as (own column, the other one)."""
        found = [(join.left, join.right) for join in self.joins]
        found += [(right, left) for left, right in found]
        return [pair for pair in found if pair[0][0] in tree.aliases]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One tree of a join: conditions on its root go to WHERE, the others are bits."""

    tree: Tree
    bits: tuple[Bit, ...]
    where: tuple[Bit, ...]
    from_clause: str
    scale: float


class SynopsisJoins:
    """Joins between the trees of one block."""

    def __init__(self, synopsis: Synopsis) -> None:
        self._synopsis = synopsis
        self._database = synopsis.database
        self._counts: dict[tuple[Tree, ...], Counts | None] = {}

    def rows(self, aliases: frozenset[str], expected: float) -> float | None:
        """Return the rows of the join of `aliases`, of several trees; None if samples cannot.

        `expected` is what formulas say of it: it limits the work, and stands where nothing of the
        samples matches.
        """
        trees = self._synopsis.trees.of(aliases)
        if trees is None or not 1 < len(trees) <= MOST_TREES:
            return None
        grown = self._grown(trees)
        if grown not in self._counts:
            self._counts[grown] = self._counted(grown, expected)
        counts = self._counts[grown]
        if counts is None:
            return None
        found = counts.rows(aliases)
        if counts.exact or found > 0:
            return found
        return 0.0 if self._synopsis.lacks_rows(aliases) else min(expected, counts.scale)

    def _grown(self, trees: Sequence[Tree]) -> tuple[Tree, ...]:
        """Return `trees`, smallest root first, with what they look up and no other tree reads.

        So many sets of sources share one query.
        """
        taken = frozenset().union(*(tree.aliases for tree in trees))
        free = frozenset(self._synopsis.tables) - taken
        grown = []
        for tree in sorted(trees, key=lambda each: self._synopsis.tables[each.root].rows):
            others = taken - tree.aliases
            alone = frozenset(alias for alias in free if not self._meets(alias, others))
            found = self._synopsis.trees.extended(tree, alone)
            free -= found.aliases
            taken |= found.aliases
            grown.append(found.in_order())
        return tuple(grown)

    def _meets(self, alias: str, others: frozenset[str]) -> bool:
        ends = [frozenset({j.left[0], j.right[0]}) for j in self._synopsis.trees.joins]
        ends += [aliases_of(condition) for condition in self._synopsis.block.filters]
        return any(alias in found and found & others for found in ends)

    def _crossing(self, trees: tuple[Tree, ...]) -> _Crossing:
        members = frozenset().union(*(tree.aliases for tree in trees))
        joins = tuple(
            join
            for join in self._synopsis.trees.beside(trees)
            if not any({join.left[0], join.right[0]} <= tree.aliases for tree in trees)
        )
        conditions = tuple(
            condition
            for condition in self._synopsis.conditions(members)
            if not any(aliases_of(condition) <= tree.aliases for tree in trees)
        )
        columns = [ref for join in joins for ref in (join.left, join.right)]
        columns += [ref for condition in conditions for ref in condition.columns]
        return _Crossing(joins=joins, conditions=conditions, columns=tuple(dict.fromkeys(columns)))

    def _counted(self, trees: tuple[Tree, ...], expected: float) -> Counts | None:
        crossing = self._crossing(trees)
        if not crossing.connects(trees):
            return None
        parts = [self._part(index, trees, crossing) for index in range(len(trees))]
        if self._meets_itself(parts):
            return None
        scale = math.prod(part.scale for part in parts)
        thinned = max(1, math.ceil(expected / scale / MOST_PAIRS))
        answer = self._database.ask(_query(parts, crossing, thinned))
        if answer is None:
            return None
        return Counts(
            bits=tuple(bit for part in parts for bit in part.bits),
            by_mask={int(found): float(count) for found, count in answer},
            scale=scale * thinned,
            exact=scale * thinned == 1.0,
        )

    def _meets_itself(self, parts: Sequence[_Part]) -> bool:
        """Whether two trees start from one sample: each of its rows surely meets itself there."""
        drawn = [self._synopsis.tables[p.tree.root].name for p in parts if p.scale > 1]
        return len(set(drawn)) < len(drawn)

    def _part(self, index: int, trees: tuple[Tree, ...], crossing: _Crossing) -> _Part:
        tree = trees[index]
        table = self._synopsis.tables[tree.root]
        bits = self._synopsis.bits(tree)
        root = frozenset({tree.root})
        relation = self._met(index, trees, crossing)
        return _Part(
            tree=tree,
            bits=tuple(bit for bit in bits if bit.aliases != root),
            where=tuple(bit for bit in bits if bit.aliases == root),
            from_clause=self._synopsis.relation(tree, relation),
            scale=1.0 if relation else self._database.scale(table),
        )

    def _met(self, index: int, trees: tuple[Tree, ...], crossing: _Crossing) -> str:
        """Return the rows of a root that one earlier tree meets, as SQL; '' for its sample."""
        tree = trees[index]
        table = self._synopsis.tables[tree.root]
        if self._database.is_whole(table) or not self._database.can_look_up(table):
            return ""
        for position, other in enumerate(trees[:index]):
            pairs = [
                (own, there)
                for own, there in crossing.ends(tree)
                if own[0] == tree.root and there[0] in other.aliases
            ]
            if pairs and self._meets_few(other, table, [own[1] for own, _ in pairs]):
                on = " AND ".join(
                    f"met.{quoted(own[1])} = {_tree_name(position)}.{crossing.name(there)}"
                    for own, there in pairs
                )
                return f"(SELECT met.* FROM {self._database.whole(table)} AS met SEMI JOIN {_tree_name(position)} ON {on})"  # noqa: S608, E501 - quoted
        return ""

    def _meets_few(self, other: Tree, table: Table, names: Sequence[str]) -> bool:
        """Whether few rows of `table` have a value of its columns that a sampled row has."""
        root = self._synopsis.tables[other.root]
        sampled = self._synopsis.rows(frozenset({other.root})) or root.rows
        sampled /= self._database.scale(root)
        known = [table.column(name).statistics for name in names]
        distinct = max((each.distinct for each in known if each is not None), default=1)
        return table.rows * min(1.0, sampled / max(1, distinct)) <= MOST_MET_ROWS


def _tree_name(index: int) -> str:
    """Return the CTE of a tree as SQL; no source of a query is called so, as some are ``t0``."""
    return quoted(f"tree {index}")


def _query(parts: Sequence[_Part], crossing: _Crossing, thinned: int) -> str:
    """Return the SQL that counts the joined rows by their bits."""
    offset, tables = 0, []
    for index, part in enumerate(parts):
        tables.append(_tree_query(index, part, crossing, offset, thinned if index == 0 else 1))
        offset += len(part.bits)
    names = [_tree_name(index) for index in range(len(parts))]
    on = [_equal(join, parts, crossing) for join in crossing.joins]
    on += [f"({condition.sql})" for condition in crossing.conditions]
    bits = " + ".join(f"{name}.mask" for name in names)
    rows = " * ".join(f"{name}.n" for name in names)
    return (
        f"WITH {', '.join(tables)} SELECT {bits} AS mask, sum(CAST({rows} AS DOUBLE))"  # noqa: S608
        f" FROM {', '.join(names)} WHERE {' AND '.join(on)} GROUP BY ALL"
    )


def _equal(join: Join, parts: Sequence[_Part], crossing: _Crossing) -> str:
    ends = []
    for ref in (join.left, join.right):
        (index,) = (i for i, part in enumerate(parts) if ref[0] in part.tree.aliases)
        ends.append(f"{_tree_name(index)}.{crossing.name(ref)}")
    return " = ".join(ends)


def _tree_query(index: int, part: _Part, crossing: _Crossing, offset: int, thinned: int) -> str:
    """Return one tree as a CTE: its columns and bits with the number of rows that have them.

    The columns of a source that other conditions read are there once more as a struct by the
    name of the source, so that the conditions can be left as they are.
    """
    own = [ref for ref in crossing.columns if ref[0] in part.tree.aliases]
    flat = [f"{column(ref)} AS {crossing.name(ref)}" for ref in own]
    read = {ref for condition in crossing.conditions for ref in condition.columns}
    structs = []
    for alias in dict.fromkeys(ref[0] for ref in own if ref in read):
        fields = ", ".join(
            f"{quoted(ref[1])} := {crossing.name(ref)}" for ref in own if ref[0] == alias
        )
        structs.append(f"struct_pack({fields}) AS {quoted(alias)}")
    where = [bit.sql for bit in part.where]
    if thinned > 1:
        where.append(f"{quoted(part.tree.root)}.rowid % {thinned} = 0")
    inner = (
        f"SELECT {', '.join([*flat, f'{mask(part.bits, offset)} AS mask'])}, count(*) AS n"  # noqa: S608
        f" FROM {part.from_clause}"
        + (f" WHERE {' AND '.join(where)}" if where else "")
        + " GROUP BY ALL"
    )
    columns = ", ".join(["*", *structs])
    return f"{_tree_name(index)} AS MATERIALIZED (SELECT {columns} FROM ({inner}))"  # noqa: S608
