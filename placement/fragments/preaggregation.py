"""Fragments that hand out partial aggregates: one row for each group that the engine tells apart.

A fragment of a block that counts equal rows once hands out distinct rows: groups without
aggregates.

A scan or join that holds all that a block aggregates is grouped in its store by the columns that
the rest of the block still reads, and the engine aggregates the groups: eager aggregation (Yan,
Larson: Eager Aggregation and Lazy Aggregation, VLDB 1995). All rows of a group join the same rows
outside it, pass the same conditions and fall into the same groups of the block.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from placement.fragment import Fragment
from placement.fragments.decimals import number_of_decimals
from placement.fragments.tabled_reducers import without_tables
from placement.stores import Capability
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Aggregation, Block, ColumnRef, Footprint

MOST_KEPT = 0.5
"""The share of rows that grouping may leave at most: estimates of groups are less sure."""
FEWEST_DROPPED = 2_000
"""Rows that have to stay in the store: fewer are fetched sooner than they are grouped."""
PARTIAL_BYTES = 8.0
"""Width of a partial aggregate: a number."""


def preaggregated_fragments(
    footprint: Footprint, estimator: CardinalityEstimator, fragments: Sequence[Fragment]
) -> tuple[Fragment, ...]:
    """Return scans and joins among `fragments` again, grouped where that is worth it.

    A fragment may be grouped that holds every argument of its block's aggregates, at least one,
    and whatever its sources need to be joined: no row of it is made by an outer join outside. In a
    block that counts equal rows once the arguments are none, and each such fragment may be.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    grouping = {
        block.name: _Grouping(block, block.aggregation, estimator)
        for block in footprint.blocks
        if block.aggregation is not None
        and (block.aggregation.arguments or block.aggregation.distinct)
    }
    parts = [
        fragment
        for fragment in without_tables(fragments)
        if fragment.coverage.block in grouping
        and fragment.kind in (Capability.SCAN, Capability.JOIN)
    ]
    # What rules out others comes first: large ones, of which few columns are read outside, and
    # those that are not reduced.
    ordered = sorted(parts, key=lambda each: (bool(each.reduction.reducers), -len(each.sources)))
    grouped = {each.name: grouping[each.coverage.block].preaggregated(each) for each in ordered}
    found = (grouped[each.name] for each in parts)
    return tuple(each for each in found if each is not None)


class _Grouping:
    """The fragments of one block that may be grouped before the block is."""

    def __init__(
        self, block: Block, aggregation: Aggregation, estimator: CardinalityEstimator
    ) -> None:
        self._block = block
        self._aggregation = aggregation
        self._estimator = estimator
        self._sources = {source.alias: source for source in block.sources}
        self._arguments = {alias for alias, _ in aggregation.arguments}
        self._refused: set[frozenset[str]] = set()
        # Columns of one source by which it has too many groups, and not too many.
        self._many: list[frozenset[ColumnRef]] = []
        self._few: list[frozenset[ColumnRef]] = []

    def preaggregated(self, fragment: Fragment) -> Fragment | None:
        """Return the fragment grouped; None where it may not be, or too many groups are left."""
        own = frozenset(name.partition(".")[2] for name in fragment.sources)
        rows = fragment.work.rows_out
        if rows < FEWEST_DROPPED or not self._may_be_grouped(own) or self._is_whole(own):
            return None
        # Fewer rows have no fewer groups, as a share.
        if own in self._refused:
            return None
        columns = tuple(self._columns(own))
        if not columns and self._aggregation.distinct:
            return None
        if self._hardly_repeat(own, columns, rows):
            return None
        reducers = (name.partition(".")[2] for name in fragment.reduction.reducers)
        groups = self._estimator.groups_of_sources(self._block.name, own.union(reducers), columns)
        groups = min(groups, rows)
        if groups > MOST_KEPT * rows or rows - groups < FEWEST_DROPPED:
            self._refused.add(own)
            return None
        width = sum(self._width(*column) for column in columns)
        work = replace(
            fragment.work,
            aggregate_rows=rows,
            conditions=rows * self._block.output.conditions,
            rows_out=groups,
            row_bytes_out=width + PARTIAL_BYTES * self._aggregation.partials,
            # Stores sum most numbers up to decimals.
            decimals_out=self._aggregation.partials + self._decimals(columns),
            features=fragment.work.features | self._aggregation.features,
        )
        return replace(
            fragment, work=work, reduction=replace(fragment.reduction, preaggregated=True)
        )

    def _may_be_grouped(self, own: frozenset[str]) -> bool:
        return self._arguments <= own and all(self._sources[alias].needs <= own for alias in own)

    def _is_whole(self, own: frozenset[str]) -> bool:
        """Whether the block itself is a fragment that any store can run that can group these."""
        block = self._block
        alone = block.closed and not block.children and own == self._sources.keys()
        return alone and block.features <= self._aggregation.features

    def _hardly_repeat(
        self, own: frozenset[str], columns: Sequence[ColumnRef], rows: float
    ) -> bool:
        """Whether the largest source alone has too many groups: its columns rule out most.

        It is asked first since it is soon told, and told for many fragments at once: more columns
        make more groups.
        """
        largest = max(own, key=lambda alias: self._estimator.table(self._sources[alias]).rows)
        every = self._rows_alone(largest)
        if rows > every:
            return False
        inside = tuple(sorted(column for column in columns if column[0] == largest))
        if any(few.issuperset(inside) for few in self._few):
            return False
        if any(many.issubset(inside) for many in self._many):
            return True
        groups = self._estimator.groups_of_sources(self._block.name, (largest,), inside)
        told = self._many if groups > MOST_KEPT * every else self._few
        told.append(frozenset(inside))
        return told is self._many

    def _rows_alone(self, alias: str) -> float:
        return self._estimator.rows_of_sources(self._block.name, (alias,))

    def _columns(self, own: frozenset[str]) -> Iterator[ColumnRef]:
        """Yield the columns of these sources that are read outside them, each once."""
        uses = (use for use in self._aggregation.uses if use.column[0] in own)
        return iter(dict.fromkeys(use.column for use in uses if not use.within <= own))

    def _decimals(self, columns: Sequence[ColumnRef]) -> float:
        tables = {alias: self._estimator.table(self._sources[alias]) for alias, _ in columns}
        names = {(alias, name.lower()) for alias, name in columns}
        return sum(
            number_of_decimals(
                each for each in table.columns if (alias, each.name.lower()) in names
            )
            for alias, table in tables.items()
        )

    def _width(self, alias: str, name: str) -> float:
        for column in self._estimator.table(self._sources[alias]).columns:
            if column.name.lower() == name.lower():
                return column.width_bytes
        return PARTIAL_BYTES
