"""Rows of joins counted on samples.

The sample of a tree's root is joined with all that the tree looks up: a join synopsis (Acharya et
al., SIGMOD 1999), which is a sample of the join. Each condition becomes a bit of a row; counting
rows by their bits answers for every part of the tree at once, with all correlation between the
conditions in it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from workloads.catalog import Table
from workloads.duck import quoted
from workloads.estimation.join_trees import JoinTrees, Tree
from workloads.estimation.sample_database import SampleDatabase
from workloads.footprint import Block, ColumnRef, Filter, Join

ENOUGH = 10
"""From so many matching rows of a sample on, their number is taken as it is."""

MOST_SHARED = 24
"""So many look-ups share a query at most: one of 60 takes DuckDB half a second."""

_SUBQUERY = re.compile(r"\bSELECT\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bit:
    """A condition in SQL and the sources that it reads: it applies where they are all there."""

    sql: str
    aliases: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Rows of a synopsis by the bits that hold; one stands for `scale` rows of the join."""

    bits: tuple[Bit, ...]
    by_mask: Mapping[int, float]
    scale: float
    exact: bool

    def rows(self, aliases: frozenset[str]) -> float:
        """Return the rows of the join of `aliases`."""
        wanted = self._wanted(aliases)
        found = self.matching(wanted)
        if found >= ENOUGH or self.exact:
            return found * self.scale
        expected = self._expected(wanted)
        weight = found / ENOUGH
        return self.scale * (weight * found + (1 - weight) * expected)

    def found(self, aliases: frozenset[str]) -> float:
        """Return the rows of the synopsis that are in the join of `aliases`."""
        return self.matching(self._wanted(aliases))

    def _wanted(self, aliases: frozenset[str]) -> int:
        return sum(1 << p for p, bit in enumerate(self.bits) if bit.aliases <= aliases)

    def matching(self, wanted: int) -> float:
        """Return the rows of the synopsis in which all of these bits hold."""
        return sum(count for mask, count in self.by_mask.items() if mask & wanted == wanted)

    def _expected(self, wanted: int) -> float:
        """Return the rows to be expected if the rarest conditions did not depend on the others.

        Conditions are left out, the most selective first, until enough rows match; each that was
        left out keeps its share of all rows.
        """
        total = self.matching(0)
        left_out, kept = [], wanted
        while kept and self.matching(kept) < ENOUGH:
            single = [1 << p for p in range(kept.bit_length()) if kept >> p & 1]
            loosest = max(single, key=lambda bit: self.matching(kept & ~bit))
            left_out.append(loosest)
            kept &= ~loosest
        rows = self.matching(kept)
        for bit in left_out:
            # A condition that no row meets may still be met by one of the rows not drawn.
            rows *= max(self.matching(bit), 0.5) / max(1.0, total)
        return rows


class Synopsis:
    """Join synopses of one block. `tables` are those of its sources that have samples."""

    def __init__(self, block: Block, tables: Mapping[str, Table], database: SampleDatabase) -> None:
        self.block = block
        self.tables = tables
        self.database = database
        self.trees = JoinTrees(block, tables, database.can_look_up)
        self._counts: dict[Tree, Counts | None] = {}

    def rows(self, aliases: frozenset[str]) -> float | None:
        """Return the rows of the join of `aliases`, if it is one tree; None if samples cannot."""
        trees = self.trees.of(aliases)
        if trees is None or len(trees) > 1:
            return None
        largest = self.trees.tree(trees[0].root, frozenset(self.tables))
        largest = replace(largest, lookups=largest.lookups[:MOST_SHARED])
        counts = self.counts(largest if largest.holds(aliases) else trees[0])
        if counts is None:
            return None
        if not counts.exact and not counts.found(aliases) and self.lacks_rows(aliases):
            return 0.0
        return counts.rows(aliases)

    def lacks_rows(self, aliases: frozenset[str]) -> bool:
        """Whether one of several inner joined sources is known to have no row that it keeps."""
        nullable = {source.alias for source in self.block.sources if source.needs}
        return len(aliases) > 1 and any(
            self.database.is_whole(self.tables[alias]) and self.rows(frozenset({alias})) == 0
            for alias in aliases - nullable
        )

    def can_join(self, aliases: frozenset[str]) -> bool:
        """Whether all of `aliases` have samples, and equal columns, not expressions, join them."""
        return aliases <= self.tables.keys() and not any(
            join.computed and {join.left[0], join.right[0]} <= aliases for join in self.block.joins
        )

    def count_alone(self, alias: str, conditions: Sequence[str]) -> int | None:
        """Return how many rows of the sample of a source meet conditions."""
        sample = self.database.sample(self.tables[alias])
        where = " AND ".join(conditions) or "TRUE"
        sql = f"SELECT count(*) FROM {sample} AS {quoted(alias)} WHERE {where}"  # noqa: S608
        answer = self.database.ask(sql)
        return int(answer[0][0]) if answer is not None else None

    def counts(self, tree: Tree) -> Counts | None:
        """Return the counts of a tree, counted once."""
        if tree not in self._counts:
            bits = self.bits(tree)
            sql = f"SELECT {mask(bits)} AS mask, count(*) FROM {self.relation(tree)} GROUP BY ALL"  # noqa: S608
            answer = self.database.ask(sql)
            root = self.tables[tree.root]
            self._counts[tree] = (
                None
                if answer is None
                else Counts(
                    bits=bits,
                    by_mask=dict(answer),
                    scale=self.database.scale(root),
                    exact=self.database.is_whole(root),
                )
            )
        return self._counts[tree]

    def relation(self, tree: Tree, root: str = "") -> str:
        """Return the FROM clause of a tree: its root, if not given its sample, and look-ups."""
        first = root or self.database.sample(self.tables[tree.root])
        parts = [f"{first} AS {quoted(tree.root)}"]
        for lookup in tree.lookups:
            on = [equal((lookup.alias, own), other) for own, other in lookup.on]
            on += [f"({condition.sql})" for condition in lookup.conditions]
            whole = self.database.whole(self.tables[lookup.alias])
            parts.append(f"LEFT JOIN {whole} AS {quoted(lookup.alias)} ON {' AND '.join(on)}")
        return " ".join(parts)

    def bits(self, tree: Tree) -> tuple[Bit, ...]:
        """Return the conditions within a tree: one for each source, and those on several."""
        members = tree.aliases
        own: dict[str, list[str]] = {alias: [] for alias in sorted(members)}
        for lookup in tree.lookups:
            if not lookup.left:
                own[lookup.alias].append(f"{column((lookup.alias, lookup.on[0][0]))} IS NOT NULL")
        several = []
        for condition in self.conditions(members):
            aliases = aliases_of(condition)
            if len(aliases) == 1:
                own[min(aliases)].append(f"({condition.sql})")
            else:
                several.append(Bit(sql=f"({condition.sql})", aliases=aliases))
        several += [joined_bit(join) for join in self.trees.beside((tree,))]
        singles = (
            Bit(sql=" AND ".join(parts), aliases=frozenset({alias}))
            for alias, parts in own.items()
            if parts
        )
        return (*singles, *several)

    def conditions(self, members: frozenset[str]) -> list[Filter]:
        """Return the filters that read `members` alone and that rows of samples can be tried on."""
        return [
            condition
            for condition in self._conditions
            if aliases_of(condition) <= members and condition not in self.foreign
        ]

    @cached_property
    def foreign(self) -> frozenset[Filter]:
        """The filters that DuckDB cannot evaluate: with parameters, or functions it lacks."""
        if not self._conditions or self._can_evaluate(self._conditions):
            return frozenset()
        return frozenset(each for each in self._conditions if not self._can_evaluate([each]))

    @cached_property
    def _conditions(self) -> list[Filter]:
        return [
            condition
            for condition in self.block.filters
            if condition.columns
            and not condition.outer
            and aliases_of(condition) <= self.tables.keys()
            and can_be_counted(condition)
        ]

    def _can_evaluate(self, conditions: Sequence[Filter]) -> bool:
        aliases = sorted(frozenset[str]().union(*map(aliases_of, conditions)))
        relations = ", ".join(
            f"{self.database.sample(self.tables[alias])} AS {quoted(alias)}" for alias in aliases
        )
        where = " AND ".join(f"({condition.sql})" for condition in conditions)
        return self.database.ask(f"SELECT 1 FROM {relations} WHERE {where} LIMIT 0") is not None  # noqa: S608


def can_be_counted(condition: Filter) -> bool:
    """Whether a condition can be evaluated on rows of its sources alone."""
    return bool(condition.sql) and not _SUBQUERY.search(condition.sql)


def joined_bit(join: Join) -> Bit:
    """Return an equality as a condition."""
    aliases = frozenset({join.left[0], join.right[0]})
    return Bit(sql=equal(join.left, join.right), aliases=aliases)


def mask(bits: Sequence[Bit], offset: int = 0) -> str:
    """Return the SQL of a row's bits as a number; a condition that is NULL does not hold.

    The first bit stands at the place `offset`.
    """
    parts = [f"CASE WHEN {b.sql} THEN {1 << p} ELSE 0 END" for p, b in enumerate(bits, offset)]
    return " + ".join(parts) or "0"


def equal(left: ColumnRef, right: ColumnRef) -> str:
    """Return an equality as SQL."""
    return f"{column(left)} = {column(right)}"


def column(ref: ColumnRef) -> str:
    """Return a column as SQL."""
    return f"{quoted(ref[0])}.{quoted(ref[1])}"


def aliases_of(condition: Filter) -> frozenset[str]:
    """Return the sources and inputs that a condition reads."""
    return frozenset(alias for alias, _ in condition.columns)
