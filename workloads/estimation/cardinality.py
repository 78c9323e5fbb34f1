"""Estimated rows and widths of what queries read and return.

Scans, joins and groups are counted on samples where the catalog has them (`sampling`), otherwise
estimated from statistics by formulas (`selectivity`, `join_size`, `distinct_values`). A derived
table or a CTE has the rows of its block, a lateral one those for all rows beside it (`laterals`).
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from workloads.catalog import Catalog, Column, Table
from workloads.estimation.block_filters import MIN_ROWS
from workloads.estimation.block_joins import BlockJoins
from workloads.estimation.block_outputs import select_columns, set_columns
from workloads.estimation.group_values import kept_groups
from workloads.estimation.laterals import decorrelated
from workloads.estimation.read_columns import needed_columns, read_columns
from workloads.estimation.relation import Relation
from workloads.estimation.sample_database import SampleDatabase
from workloads.estimation.sampling import Sampling
from workloads.estimation.selectivity import Combine, backed_off, independent
from workloads.footprint import UNNESTED, Block, ColumnRef, Footprint, Source
from workloads.semi_joins import with_sources_above

__all__ = ["MIN_ROWS", "Estimator"]


class Estimator:
    """Estimates for one query, a `CardinalityEstimator`.

    `samples` are the catalog's, shared by all queries; without them formulas say all. `backoff`
    takes several filters of one table to depend on each other, instead of System R's
    independence.
    """

    def __init__(
        self,
        catalog: Catalog,
        footprint: Footprint,
        *,
        backoff: bool = False,
        samples: SampleDatabase | None = None,
    ) -> None:
        self.catalog = catalog
        unnested = decorrelated(footprint)
        self.footprint = footprint = unnested.footprint
        self._keys_of = unnested.keys
        self._samples = samples
        self._combine: Combine = backed_off if backoff else independent
        self._tables = {name.lower(): table for name, table in catalog.tables.items()}
        self._blocks = {block.name: block for block in footprint.blocks}
        self._read = read_columns(footprint)
        self._joins_of: dict[str, BlockJoins] = {}
        self._joins_above_of: dict[str, BlockJoins] = {}
        self._rows_of: dict[str, float] = {}
        self._columns_of: dict[str, tuple[Column, ...]] = {}

    def table(self, source: Source) -> Table:
        """Return the table of `source`.

        Raises:
            CatalogError: The catalog has none of that name.
        """
        return self._tables.get(source.table.lower()) or self.catalog.table(source.table)

    def rows_of_sources(self, block: str, aliases: Iterable[str]) -> float:
        """Return the rows of the join of some relations of a block after their own filters.

        Sources above that it inherits a semi-join from may be among them (`with_sources_above`).
        A source that no fragment may join is fetched alone and without its filters.
        """
        wanted = frozenset(aliases)
        joins = self._joins_of_sources(block, wanted)
        for source in self._blocks[block].sources:
            if wanted == {source.alias} and source.needs:
                movable = source.needs <= joins.relations.keys()
                rows = joins.rows_alone(source.alias) if movable else self.table(source).rows
                return max(MIN_ROWS, rows)
        return max(MIN_ROWS, joins.rows(wanted))

    def groups_of_sources(
        self, block: str, aliases: Iterable[str], columns: Iterable[ColumnRef]
    ) -> float:
        """Return the groups by `columns` of the join of some sources of a block."""
        wanted = frozenset(aliases)
        rows = self.rows_of_sources(block, wanted)
        joins = self._joins_of_sources(block, wanted)
        return max(MIN_ROWS, joins.groups_within(wanted, tuple(columns), rows))

    def joined_rows(self, block: str) -> float:
        """Return the rows that a block has before grouping, DISTINCT and LIMIT."""
        found = self._blocks[block]
        if found.kind == "set":
            return sum(self.rows_of_block(child) for child in self._operands(found))
        joins = self._joins(found)
        return max(MIN_ROWS, joins.rows(frozenset(joins.relations)))

    def rows_of_block(self, name: str) -> float:
        """Return the rows that a block returns."""
        limit = self._blocks[name].output.limit
        rows = self.rows_before_limit(name)
        if limit is None:
            return rows
        return max(MIN_ROWS, min(rows, limit * self._times_limited(name, rows)))

    def _times_limited(self, name: str, rows: float) -> float:
        """Return for how many values of its keys a lateral derived table has its LIMIT."""
        keys = self._keys_of.get(name)
        return self._joins(self._blocks[name]).groups(keys, rows) if keys else 1

    def rows_before_limit(self, name: str) -> float:
        """Return the rows that a block has before LIMIT: those that it sorts."""
        if name not in self._rows_of:
            # The innermost first: a union of hundreds is as many blocks deep.
            for block in reversed(self._sets(self._blocks[name])):
                self._rows_of[block.name] = max(MIN_ROWS, self._set_rows(block))
        if name not in self._rows_of:
            self._rows_of[name] = max(MIN_ROWS, self._select_rows(self._blocks[name]))
        return self._rows_of[name]

    def width(self, block: str, aliases: Iterable[str]) -> float:
        """Return the bytes of a row of the columns that a block needs of some of its sources."""
        return max(1.0, sum(each.width_bytes for each in self.columns(block, aliases)))

    def columns(self, block: str, aliases: Iterable[str]) -> tuple[Column, ...]:
        """Return the columns that a block needs of some of its sources."""
        wanted = frozenset(aliases)
        sources = (s for s in self._blocks[block].sources if s.alias in wanted)
        return tuple(
            column for each in sources for column in needed_columns(each, self.table(each))
        )

    def needed_bytes(self, source: Source) -> float:
        """Return the bytes of a row of the columns that are needed of `source`."""
        return sum(each.width_bytes for each in needed_columns(source, self.table(source)))

    def width_of_block(self, name: str) -> float:
        """Return the bytes of a row that a block returns."""
        return max(1.0, sum(each.width_bytes for each in self.columns_of_block(name)))

    def _joins(self, block: Block) -> BlockJoins:
        if block.name not in self._joins_of:
            self._joins_of[block.name] = self._new_joins(block)
        return self._joins_of[block.name]

    def _joins_of_sources(self, name: str, aliases: frozenset[str]) -> BlockJoins:
        """Return the joins of a block, with the sources above where `aliases` are of these too."""
        joins = self._joins(self._blocks[name])
        if aliases <= joins.relations.keys() or name not in self._with_above:
            return joins
        if name not in self._joins_above_of:
            self._joins_above_of[name] = self._new_joins(self._with_above[name])
        return self._joins_above_of[name]

    @cached_property
    def _with_above(self) -> Mapping[str, Block]:
        return with_sources_above(self.footprint)

    def _new_joins(self, block: Block) -> BlockJoins:
        tables = {source.alias: self.table(source) for source in block.sources}
        relations = [
            Relation(
                alias=alias,
                rows=max(MIN_ROWS, float(table.rows)),
                columns={c.name.lower(): c for c in table.columns},
                key=frozenset(name.lower() for name in table.primary_key),
            )
            for alias, table in tables.items()
        ]
        relations += [self._input(block, alias) for alias in block.inputs]
        sampling = Sampling(block, tables, self._samples) if self._samples else None
        return BlockJoins(block, relations, self._combine, sampling)

    def _input(self, above: Block, alias: str) -> Relation:
        """Return a derived table as a relation: its groups are a key, if it hands them all on."""
        child = above.inputs[alias]
        block = self._blocks[child]
        output = block.output
        width = None
        if output.distinct or block.set_operator in ("union", "intersect", "except"):
            width = len(output.columns)
        elif output.group_by is not None and output.grouping_sets == 1:
            width = len(output.group_by)
        return Relation(
            alias=alias,
            rows=MIN_ROWS if _is_value(above, alias) else self.rows_of_block(child),
            columns={column.name.lower(): column for column in self.columns_of_block(child)},
            key_width=width,
            derived=True,
        )

    def columns_of_block(self, name: str) -> tuple[Column, ...]:
        """Return the columns of a block's result, with statistics where they are known."""
        if name not in self._columns_of:
            block = self._blocks[name]
            rows = self.rows_of_block(name)
            if block.kind == "set":
                operands = [self.columns_of_block(child) for child in self._operands(block)]
                self._columns_of[name] = set_columns(block, operands, rows)
            else:
                per_group = self.joined_rows(name) / self.rows_before_limit(name)
                self._columns_of[name] = select_columns(
                    block,
                    self._joins(block),
                    rows=rows,
                    group_rows=per_group,
                    read=self._read.get(name, frozenset()),
                )
        return self._columns_of[name]

    def _operands(self, block: Block) -> tuple[str, ...]:
        return tuple(c for c in block.children if self._blocks[c].role == "operand")

    def _sets(self, block: Block) -> list[Block]:
        """Return `block` and its operands, and theirs, that are set operations, outermost first."""
        found = [block] if block.kind == "set" else []
        for outer in found:
            operands = (self._blocks[child] for child in self._operands(outer))
            found += [operand for operand in operands if operand.kind == "set"]
        return found

    def _set_rows(self, block: Block) -> float:
        """Return the rows of a set operation.

        Its operands are taken for random subsets of all combinations of values that their filters
        leave: of two they share |A|·|B| / |all|.
        """
        operands = self._operands(block)
        rows = [self.rows_of_block(child) for child in operands]
        if block.set_operator == "union all":
            return sum(rows)
        distinct = [self._distinct_rows(child) for child in operands]
        every = max(*distinct, *(self._domain(child) for child in operands))
        # As |all| · Π(|A| / |all|): the product of many operands' rows is beyond floats.
        shared = min(*distinct, every * math.prod(rows / every for rows in distinct))
        match block.set_operator:
            case "intersect":
                return shared
            case "except":
                return distinct[0] - shared
            case _:
                return sum(distinct) - shared

    def _distinct_rows(self, name: str) -> float:
        """Return how many different rows a block returns."""
        block, rows = self._blocks[name], self.rows_of_block(name)
        columns = _projected(block)
        if block.kind == "set" or not columns:
            return rows
        return min(rows, self._joins(block).groups(columns, self.joined_rows(name)))

    def _domain(self, name: str) -> float:
        """Return how many different rows a block could return."""
        block = self._blocks[name]
        if block.kind == "set":
            return max(self._domain(child) for child in self._operands(block))
        columns = _projected(block)
        return self._joins(block).domain(columns) if columns else self.rows_of_block(name)

    def _select_rows(self, block: Block) -> float:
        rows = self.joined_rows(block.name)
        output, joins = block.output, self._joins(block)
        if output.group_by is not None:
            sets = _grouping_sets(output.group_by, output.grouping_sets)
            found = [joins.groups(columns, rows) if columns else MIN_ROWS for columns in sets]
            per_group = rows / max(MIN_ROWS, found[0])
            kept = kept_groups(output.having, per_group, joins.column)
            return sum(found) * kept
        if output.distinct and (columns := _projected(block)):
            return joins.groups(columns, rows)
        return rows


def _is_value(block: Block, alias: str) -> bool:
    """Whether a derived table stands for a subquery that is a value: it has one row at most."""
    return alias.startswith(UNNESTED) and not any(
        join.kind != "inner" and alias in (join.left[0], join.right[0]) for join in block.joins
    )


def _grouping_sets(columns: Sequence[ColumnRef], count: int) -> list[tuple[ColumnRef, ...]]:
    """Return the sets of columns that a block groups by: footprints tell their number.

    As many as columns and one more are ROLLUP's prefixes, two to the columns CUBE's subsets;
    others are taken to be the longest prefixes.
    """
    if count == 2 ** len(columns) and count > len(columns) + 1:
        subsets = itertools.chain.from_iterable(
            itertools.combinations(columns, size) for size in range(len(columns), -1, -1)
        )
        return list(subsets)
    return [tuple(columns[: max(0, len(columns) - less)]) for less in range(count)]


def _projected(block: Block) -> tuple[ColumnRef, ...]:
    """Return the columns that make the rows of a block; none where one of them is not known."""
    found = [column.origin or column.carries for column in block.output.columns]
    return () if None in found else tuple(ref for ref in found if ref is not None)
