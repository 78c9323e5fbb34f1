"""The fragments of a query: every part of it that one store can run alone."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from placement.fragment import Coverage, EstimatedWork, Fragment, Reduction
from placement.fragments.block_work import (
    Works,
    aggregate_rows,
    combines,
    index_reads,
    look_ups_within,
    read_bytes,
    readings,
)
from placement.fragments.decimals import number_of_decimals
from placement.fragments.join_order import JoinOrder
from placement.fragments.joinable_sets import joinable_sets
from placement.fragments.look_ups import found_where_clustered, spared_where_clustered
from placement.fragments.matches import Matches
from placement.fragments.unpacked import table_rows, unpacked_values
from placement.stores import Capability
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Footprint, Source


def enumerate_fragments(
    footprint: Footprint, estimator: CardinalityEstimator, limit_per_block: int = 400
) -> tuple[Fragment, ...]:
    """Return every fragment of a query, with its estimates.

    A block with more than `limit_per_block` joinable sets of sources has the smallest of them:
    at least all pairs, and always the largest set of each connected part.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    found: list[tuple[Fragment, float]] = []
    combining = _Combining(footprint, estimator)
    works = Works(footprint, estimator)
    for index, block in enumerate(footprint.blocks):
        if index == 0 or block.closed:
            kind = Capability.QUERY if index == 0 else Capability.BLOCK
            whole = _whole(footprint, block, kind, works)
            if whole.sources:
                found.append((whole, combining.rows_a_source(block.name, itself=False)))
        alone = ((source,) for source in block.sources)
        parts = [
            _part(footprint, block, sources, estimator)
            for sources in (*alone, *joinable_sets(block, limit_per_block))
        ]
        above = combining.rows_a_source(block.name, itself=True)
        found += [(part, above) for part in parts]
    sources = sum(len(block.sources) for block in footprint.blocks)
    delivered = estimator.rows_of_block(footprint.blocks[0].name) / max(1, sources)
    matches = Matches(footprint, estimator.table)
    shared_out = (_with_shares(each, above, delivered) for each, above in found)
    return tuple(map(matches.decided, shared_out))


def _with_shares(fragment: Fragment, combined: float, delivered: float) -> Fragment:
    """Return a fragment with its share of the engine's work, which is rows for each source."""
    sources = len(fragment.sources)
    shares = replace(
        fragment.work, combine_rows=sources * combined, delivered_rows=sources * delivered
    )
    return replace(fragment, work=shares)


class _Combining:
    """Return the engine's work for each block that no fragment runs whole."""

    def __init__(self, footprint: Footprint, estimator: CardinalityEstimator) -> None:
        self._below = {
            block.name: frozenset(inner.name for inner in footprint.below(block.name))
            for block in footprint.blocks
        }
        counts = {block.name: len(block.sources) for block in footprint.blocks}
        self._a_source = {}
        for block in footprint.blocks:
            sources = sum(counts[name] for name in self._below[block.name])
            made = aggregate_rows(block, estimator)
            if combines(block):
                made += estimator.joined_rows(block.name)
            self._a_source[block.name] = made / sources if sources else 0.0

    def rows_a_source(self, block: str, *, itself: bool) -> float:
        """Return the rows of the blocks above one of `block`'s sources, shared out."""
        return sum(
            rows
            for name, rows in self._a_source.items()
            if block in self._below[name] and (itself or name != block)
        )


def _part(
    footprint: Footprint, block: Block, sources: tuple[Source, ...], estimator: CardinalityEstimator
) -> Fragment:
    """Return the fragment of some sources of a block: a scan or a join."""
    aliases = [source.alias for source in sources]
    rows = estimator.rows_of_sources(block.name, aliases)
    join_rows = 0.0
    if len(sources) > 1:
        join_rows = JoinOrder(block, estimator).joined_rows(aliases)
    found_by_keys = look_ups_within(block, sources, estimator)
    clustered = found_where_clustered(block, sources, estimator)
    join_rows -= sum(each.spared_rows for each in found_by_keys)
    scan_bytes, column_bytes = read_bytes(sources, estimator)
    kind = Capability.JOIN if len(sources) > 1 else Capability.SCAN
    return Fragment(
        coverage=_coverage(footprint, block, kind, sources),
        work=EstimatedWork(
            scan_bytes=scan_bytes - sum(each.spared_bytes for each in found_by_keys),
            clustered_bytes=scan_bytes - spared_where_clustered(clustered),
            column_bytes=column_bytes,
            join_rows=join_rows,
            aggregate_rows=0.0,
            rows_out=rows,
            row_bytes_out=estimator.width(block.name, aliases),
            decimals_out=number_of_decimals(estimator.columns(block.name, aliases)),
            features=_condition_features(sources),
            tables_bytes=_tables_bytes(sources, estimator),
            read_row_bytes=_row_bytes(sources, estimator),
            read_row_values=unpacked_values(block, sources, estimator, rows=rows),
            index_reads=index_reads(block, sources, estimator, clustered, found_by_keys),
        ),
        reduction=Reduction(look_ups=found_by_keys),
    )


def _coverage(
    footprint: Footprint, block: Block, kind: Capability, sources: Collection[Source]
) -> Coverage:
    return Coverage(
        query=footprint.query,
        kind=kind,
        block=block.name,
        sources=tuple(sorted(source.name for source in sources)),
        tables=frozenset(source.table for source in sources),
    )


def _condition_features(sources: Sequence[Source]) -> frozenset[str]:
    """Return the features of the conditions of outer joins; a source alone is joined to none."""
    if len(sources) == 1:
        return frozenset()
    return frozenset[str]().union(*(source.condition_features for source in sources))


def _whole(footprint: Footprint, block: Block, kind: Capability, works: Works) -> Fragment:
    """Return the fragment of a block with all that is below it, each block counted once."""
    below = footprint.below(block.name)
    sources = [source for inner in below for source in inner.sources]
    done = [works.of(inner) for inner in below]
    found_by_keys = tuple(each for work in done for each in work.look_ups)
    read = [each for work in done for each in work.read_bytes]
    scan_bytes = sum((scan for scan, _ in read), 0.0)
    return Fragment(
        coverage=_coverage(footprint, block, kind, sources),
        work=EstimatedWork(
            scan_bytes=scan_bytes - sum(each.spared_bytes for each in found_by_keys),
            clustered_bytes=scan_bytes - sum(work.spared_where_clustered for work in done),
            column_bytes=sum((columns for _, columns in read), 0.0),
            join_rows=sum(work.join_rows for work in done)
            - sum(each.spared_rows for each in found_by_keys),
            aggregate_rows=sum(work.aggregate_rows for work in done),
            conditions=sum(work.conditions for work in done),
            rows_out=works.estimator.rows_of_block(block.name),
            row_bytes_out=works.estimator.width_of_block(block.name),
            decimals_out=number_of_decimals(works.estimator.columns_of_block(block.name)),
            features=frozenset[str]().union(*(inner.features for inner in below)),
            readings=readings(block, below, works),
            tables_bytes=_tables_bytes(sources, works.estimator),
            read_row_bytes=_row_bytes(sources, works.estimator),
            read_row_values=_row_values(below, works),
            index_reads=tuple(each for work in done for each in work.index_reads),
        ),
        reduction=Reduction(look_ups=found_by_keys),
    )


def _row_bytes(sources: Sequence[Source], estimator: CardinalityEstimator) -> float:
    """Return the mean bytes of a row that a row store reads, over all sources."""
    tables = [estimator.table(source) for source in sources]
    return sum(float(table.bytes) for table in tables) / max(1, sum(table.rows for table in tables))


def _row_values(blocks: Sequence[Block], works: Works) -> float:
    """Return the mean number of unpacked values of a row, over the sources of all blocks."""
    rows = [table_rows(block.sources, works.estimator) for block in blocks]
    values = (n * works.of(block).row_values for n, block in zip(rows, blocks, strict=True))
    return sum(values) / max(1.0, sum(rows))


def _tables_bytes(sources: Iterable[Source], estimator: CardinalityEstimator) -> float:
    tables = {source.table: estimator.table(source) for source in sources}
    return float(sum(table.bytes for table in tables.values()))
