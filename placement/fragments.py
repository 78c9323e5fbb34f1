"""Fragments: what one store can run alone and hand to the engine."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from placement.block_work import (
    Works,
    aggregate_rows,
    combines,
    look_ups_within,
    read_bytes,
    readings,
)
from placement.joinable_sets import joinable_sets
from placement.look_ups import LookUp, spared_where_clustered
from placement.stores import Capability
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Footprint, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """A part of one query that one store runs alone.

    `kind` is QUERY (the outermost block with all below it), BLOCK (a closed inner block with all
    below it), JOIN (a connected set of sources of one block) or SCAN (one source).
    `sources` are the names of the sources it covers, sorted. Rows and widths are estimates:
    `scan_bytes` and `column_bytes` are what a row store and a column store read, `join_rows` the
    rows that enter joins, `aggregate_rows` those that enter groupings, sorts and set operations.
    `combine_rows` is its share of the rows that the combining query makes: each block that no
    fragment runs whole is joined and aggregated there once, and its rows are shared out over the
    sources below it, so that any exact cover pays them once.
    `features` are the SQL features of all blocks it runs (`Block.features`); JOIN and SCAN have
    those of partial aggregates and of outer joins' conditions (`Source.condition_features`).
    `readings` is how many times as much a store reads that computes a CTE anew for each reader.
    `reducers` are sources outside it whose keys are fetched first and sent along, so that only
    rows with such a key leave the store: `rows_out` are those, and `keys` what is sent at most.
    What a scan need not read since its primary key finds them is not in `scan_bytes`.
    `preaggregated` says that the store hands out partial aggregates, a row for each group that the
    rest of the block tells apart.
    `look_ups` are the large tables in it that a row store reads through their primary keys: what
    it spares by them is not in `scan_bytes`. `tables_bytes` are those of its tables, each once.
    `delivered_rows` is its share of the rows of the query's result, by its sources.
    `clustered_bytes` are the bytes read by a row store that clusters rows by primary key; None, as
    in older plan files, means `scan_bytes`.
    `repeats` is the name of another fragment of the query in the same store that has the same rows:
    these are fetched for it alone, and this one costs what the engine makes of them.
    """

    query: str
    kind: Capability
    block: str
    sources: tuple[str, ...]
    tables: frozenset[str]
    scan_bytes: float
    column_bytes: float
    join_rows: float
    aggregate_rows: float
    rows_out: float
    row_bytes_out: float
    combine_rows: float = 0.0
    features: frozenset[str] = frozenset()
    readings: float = 1.0
    reducers: tuple[str, ...] = ()
    keys: float = 0.0
    preaggregated: bool = False
    look_ups: tuple[LookUp, ...] = ()
    tables_bytes: float = 0.0
    delivered_rows: float = 0.0
    clustered_bytes: float | None = None
    repeats: str | None = None

    @property
    def name(self) -> str:
        """Return a name that is unique in the workload."""
        if self.kind in (Capability.QUERY, Capability.BLOCK):
            return f"{self.query}/{self.block}"
        by = f" by {'+'.join(self.reducers)}" if self.reducers else ""
        grouped = ", pre-aggregated" if self.preaggregated else ""
        return f"{self.query}/{'+'.join(self.sources)}{by}{grouped}"

    @property
    def bytes_out(self) -> float:
        """Estimated bytes of its rows in the engine."""
        return self.rows_out * self.row_bytes_out

    @property
    def bytes_moved(self) -> float:
        """Estimated bytes that the store hands out: none where another fragment's rows are read."""
        return 0.0 if self.repeats is not None else self.bytes_out


def enumerate_fragments(
    footprint: Footprint, estimator: CardinalityEstimator, limit_per_block: int = 400
) -> tuple[Fragment, ...]:
    """Return every fragment of a query, with its estimates.

    A block with more than `limit_per_block` joinable sets of sources has the smallest of them:
    at least all pairs, and always the largest set of each connected part.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    found: list[Fragment] = []
    combining = _Combining(footprint, estimator)
    works = Works(footprint, estimator)
    for index, block in enumerate(footprint.blocks):
        if index == 0 or block.closed:
            kind = Capability.QUERY if index == 0 else Capability.BLOCK
            whole = _whole(footprint, block, kind, works)
            if whole.sources:
                above = combining.rows_a_source(block.name, itself=False)
                found.append(replace(whole, combine_rows=len(whole.sources) * above))
        parts = [_part(footprint, block, (source,), estimator) for source in block.sources]
        parts += [
            _part(footprint, block, sources, estimator)
            for sources in joinable_sets(block, limit_per_block)
        ]
        above = combining.rows_a_source(block.name, itself=True)
        found += [replace(part, combine_rows=len(part.sources) * above) for part in parts]
    sources = sum(len(block.sources) for block in footprint.blocks)
    delivered = estimator.rows_of_block(footprint.blocks[0].name) / max(1, sources)
    return tuple(replace(each, delivered_rows=len(each.sources) * delivered) for each in found)


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
        join_rows = rows + sum(estimator.rows_of_sources(block.name, [a]) for a in aliases)
    found_by_keys = look_ups_within(block, sources, estimator)
    join_rows -= sum(each.spared_rows for each in found_by_keys)
    scan_bytes, column_bytes = read_bytes(sources, estimator)
    return Fragment(
        query=footprint.query,
        kind=Capability.JOIN if len(sources) > 1 else Capability.SCAN,
        block=block.name,
        sources=tuple(sorted(source.name for source in sources)),
        tables=frozenset(source.table for source in sources),
        scan_bytes=scan_bytes - sum(each.spared_bytes for each in found_by_keys),
        clustered_bytes=scan_bytes - spared_where_clustered(block, sources, estimator),
        column_bytes=column_bytes,
        join_rows=join_rows,
        aggregate_rows=0.0,
        rows_out=rows,
        row_bytes_out=estimator.width(block.name, aliases),
        features=_condition_features(sources),
        look_ups=found_by_keys,
        tables_bytes=_tables_bytes(sources, estimator),
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
        query=footprint.query,
        kind=kind,
        block=block.name,
        sources=tuple(sorted(source.name for source in sources)),
        tables=frozenset(source.table for source in sources),
        scan_bytes=scan_bytes - sum(each.spared_bytes for each in found_by_keys),
        clustered_bytes=scan_bytes - sum(work.spared_where_clustered for work in done),
        column_bytes=sum((columns for _, columns in read), 0.0),
        join_rows=sum(work.join_rows for work in done)
        - sum(each.spared_rows for each in found_by_keys),
        aggregate_rows=sum(work.aggregate_rows for work in done),
        rows_out=works.estimator.rows_of_block(block.name),
        row_bytes_out=works.estimator.width_of_block(block.name),
        features=frozenset[str]().union(*(inner.features for inner in below)),
        readings=readings(block, below, works),
        look_ups=found_by_keys,
        tables_bytes=_tables_bytes(sources, works.estimator),
    )


def _tables_bytes(sources: Iterable[Source], estimator: CardinalityEstimator) -> float:
    tables = {source.table: estimator.table(source) for source in sources}
    return float(sum(table.bytes for table in tables.values()))
