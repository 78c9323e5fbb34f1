"""Estimated rows and widths of what queries read and return, from statistics alone.

Scans and joins are System R's (`selectivity`, `join_size`); groups are Cardenas's; a derived
table or a CTE has the rows of its block.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workloads.catalog import Catalog, Column, Table
from workloads.footprint import Block, ColumnRef, Filter, Footprint, Source
from workloads.join_size import Relation, joined_rows
from workloads.outer_joins import joinings
from workloads.selectivity import Combine, backed_off, groups, independent, merged, null_test, share

MIN_ROWS = 1.0
"""No result is estimated smaller: a store answers one row as fast as none."""


class Estimator:
    """Estimates for one query.

    `backoff` takes several filters of one table to depend on each other, instead of System R's
    independence.
    """

    def __init__(self, catalog: Catalog, footprint: Footprint, *, backoff: bool = False) -> None:
        self.catalog = catalog
        self.footprint = footprint
        self._combine: Combine = backed_off if backoff else independent
        self._tables = {name.lower(): table for name, table in catalog.tables.items()}
        self._blocks = {block.name: block for block in footprint.blocks}
        self._relations_of: dict[str, dict[str, Relation]] = {}
        self._rows_of: dict[str, float] = {}
        self._columns_of: dict[str, dict[str, Column]] = {}
        self._joined_of: dict[tuple[str, frozenset[str]], float] = {}

    def table(self, source: Source) -> Table:
        """Return the table of `source`.

        Raises:
            CatalogError: The catalog has none of that name.
        """
        return self._tables.get(source.table.lower()) or self.catalog.table(source.table)

    def rows_of_sources(self, block: str, aliases: Iterable[str]) -> float:
        """Return the rows of the join of some relations of a block after their own filters.

        A source that no fragment may join is fetched alone and without its filters.
        """
        found, wanted = self._blocks[block], frozenset(aliases)
        for source in found.sources:
            if wanted == {source.alias} and source.needs - self._relations(found).keys():
                return max(MIN_ROWS, self.table(source).rows)
        return max(MIN_ROWS, self._joined(found, wanted))

    def joined_rows(self, block: str) -> float:
        """Return the rows that a block has before grouping, DISTINCT and LIMIT."""
        found = self._blocks[block]
        if found.kind == "set":
            return sum(self.rows_of_block(child) for child in found.children)
        return max(MIN_ROWS, self._joined(found, frozenset(self._relations(found))))

    def rows_of_block(self, name: str) -> float:
        """Return the rows that a block returns."""
        limit = self._blocks[name].output.limit
        rows = self.rows_before_limit(name)
        return rows if limit is None else max(MIN_ROWS, min(rows, limit))

    def rows_before_limit(self, name: str) -> float:
        """Return the rows that a block has before LIMIT: those that it sorts."""
        if name not in self._rows_of:
            block = self._blocks[name]
            rows = self._set_rows(block) if block.kind == "set" else self._select_rows(block)
            self._rows_of[name] = max(MIN_ROWS, rows)
        return self._rows_of[name]

    def width(self, block: str, aliases: Iterable[str]) -> float:
        """Return the bytes of a row of the columns that a block needs of some of its sources."""
        wanted = frozenset(aliases)
        sources = (s for s in self._blocks[block].sources if s.alias in wanted)
        return max(1.0, sum(self.needed_bytes(source) for source in sources))

    def needed_bytes(self, source: Source) -> float:
        """Return the bytes of a row of the columns that are needed of `source`."""
        needed = {name.lower() for name in source.columns}
        table = self.table(source)
        return sum(c.width_bytes for c in table.columns if c.name.lower() in needed)

    def width_of_block(self, name: str) -> float:
        """Return the bytes of a row that a block returns."""
        return max(1.0, self._blocks[name].output.width_bytes)

    def _joined(self, block: Block, aliases: frozenset[str]) -> float:
        key = (block.name, aliases)
        if key not in self._joined_of:
            relations = self._relations(block)
            chosen = [relations[alias] for alias in relations if alias in aliases]
            rows = joined_rows(chosen, block.joins) if chosen else MIN_ROWS
            self._joined_of[key] = rows * self._residual(block, aliases)
        return self._joined_of[key]

    def _residual(self, block: Block, aliases: frozenset[str]) -> float:
        """Share that the filters over several of `aliases` keep."""
        relations = self._relations(block)

        def column_of(ref: ColumnRef) -> Column | None:
            relation = relations.get(ref[0])
            return relation.columns.get(ref[1].lower()) if relation else None

        spanning = [
            condition
            for condition in block.filters
            if len(found := _aliases(condition)) > 1 and found <= aliases
        ]
        return self._combine(share(condition, column_of, self._combine) for condition in spanning)

    def _relations(self, block: Block) -> Mapping[str, Relation]:
        if block.name not in self._relations_of:
            found = {
                source.alias: Relation(
                    alias=source.alias,
                    rows=max(MIN_ROWS, self.table(source).rows),
                    columns={c.name.lower(): c for c in self.table(source).columns},
                    key=frozenset(name.lower() for name in self.table(source).primary_key),
                )
                for source in block.sources
            }
            found |= {alias: self._input(alias, child) for alias, child in block.inputs.items()}
            kinds = joinings(block)
            self._relations_of[block.name] = {
                alias: replace(
                    relation,
                    combine=self._combine,
                    shares=_shares(block, relation, self._combine, outer=alias in kinds),
                    kind=kinds[alias].kind if alias in kinds else "inner",
                    after=kinds[alias].after if alias in kinds else frozenset(),
                )
                for alias, relation in found.items()
            }
        return self._relations_of[block.name]

    def _input(self, alias: str, child: str) -> Relation:
        output = self._blocks[child].output
        keyed = output.group_by is not None and output.grouping_sets == 1
        return Relation(
            alias=alias,
            rows=self.rows_of_block(child),
            columns=self._columns_of_block(child),
            key_width=len(output.group_by or ()) if keyed else None,
        )

    def _columns_of_block(self, name: str) -> dict[str, Column]:
        """Return what is known of a block's result, by name.

        A column that it hands on under its own name keeps its statistics; a footprint does not
        say where the others come from.
        """
        if name in self._columns_of:
            return self._columns_of[name]
        block = self._blocks[name]
        found: dict[str, Column] = {}
        if block.kind == "set":
            found = self._columns_of_block(block.children[0]) if block.children else {}
        needed = {s.alias: {column.lower() for column in s.columns} for s in block.sources}
        for alias, relation in self._relations(block).items():
            for key, column in relation.columns.items():
                if key in needed.get(alias, (key,)) and column.statistics is not None:
                    distinct = self._distinct(block, (alias, key))
                    found.setdefault(key, _with_distinct(column, distinct))
        rows = self.rows_of_block(name)
        self._columns_of[name] = {key: _with_distinct(c, rows) for key, c in found.items()}
        return self._columns_of[name]

    def _set_rows(self, block: Block) -> float:
        """Unions add up, duplicates or not; the others keep at most an operand."""
        rows = [self.rows_of_block(child) for child in block.children]
        match block.set_operator:
            case "intersect":
                return min(rows)
            case "except":
                return rows[0]
            case _:
                return sum(rows)

    def _select_rows(self, block: Block) -> float:
        rows = self.joined_rows(block.name)
        output = block.output
        if output.group_by is not None:
            columns = output.group_by
            if output.grouping_sets == len(columns) + 1:  # ROLLUP: one set for each prefix
                return sum(self._groups(block, columns[:n], rows) for n in range(len(columns) + 1))
            return min(rows, self._groups(block, columns, rows)) * output.grouping_sets
        if output.distinct:
            projected = _projected(block)
            if len(projected) == len(output.columns):
                return self._groups(block, projected, rows)
        return rows

    def _groups(self, block: Block, columns: Sequence[ColumnRef], rows: float) -> float:
        """Return the groups of `rows` by `columns`: of one relation never more than its rows."""
        relations = self._relations(block)
        by_alias: dict[str, float] = {}
        for ref in dict.fromkeys(columns):
            if ref[0] in relations:
                by_alias[ref[0]] = by_alias.get(ref[0], 1.0) * self._distinct(block, ref)
        together = math.prod(
            min(distinct, max(MIN_ROWS, relations[alias].filtered_rows))
            for alias, distinct in by_alias.items()
        )
        return groups(together, rows)

    def _distinct(self, block: Block, ref: ColumnRef) -> float:
        """Return a column's distinct values after the filters of its block, joins included."""
        relations = self._relations(block)
        equal = {ref}
        for join in block.joins:
            if join.kind == "inner" and ref in (join.left, join.right):
                equal |= {join.left, join.right}
        return min(
            _distinct_after_filters(block, relations[alias], name)
            for alias, name in equal
            if alias in relations
        )


def _shares(
    block: Block, relation: Relation, combine: Combine, *, outer: bool
) -> tuple[float, ...]:
    """Shares of the filters on one relation alone.

    NULL tests of an outer join's nullable side say how it is joined, not which rows it has.
    """
    own = [f for f in block.filters if _aliases(f) == {relation.alias}]
    return tuple(
        share(condition, lambda ref: relation.columns.get(ref[1].lower()), combine)
        for condition in merged(own)
        if not (outer and null_test(condition))
    )


def _distinct_after_filters(block: Block, relation: Relation, name: str) -> float:
    column = relation.columns.get(name.lower())
    if column is None or column.statistics is None:
        return max(MIN_ROWS, relation.filtered_rows)
    kept = 1.0
    for condition in merged(f for f in block.filters if f.columns == ((relation.alias, name),)):
        if condition.kind not in ("null", "not_null", "other"):
            kept *= share(condition, lambda _: column)
    distinct = max(1.0, column.statistics.distinct * kept)
    return max(MIN_ROWS, groups(distinct, relation.filtered_rows))


def _with_distinct(column: Column, most: float) -> Column:
    known = column.statistics
    if known is None:
        return column
    distinct = max(1, round(min(known.distinct, most)))
    return replace(column, statistics=replace(known, distinct=distinct))


def _projected(block: Block) -> tuple[ColumnRef, ...]:
    """Return the columns that a block needs for neither a join nor a filter: those it returns."""
    used = {ref for join in block.joins for ref in (join.left, join.right)}
    used |= {ref for condition in block.filters for ref in condition.columns}
    needed = ((source.alias, name) for source in block.sources for name in source.columns)
    return tuple(ref for ref in needed if ref not in used)


def _aliases(condition: Filter) -> frozenset[str]:
    return frozenset(alias for alias, _ in condition.columns)
