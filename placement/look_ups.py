"""Look-ups: rows of a large table that an index finds by the keys of a filtered one beside it.

Both are in one fragment, so that nothing is fetched for it: a row store reads through its primary
key the few rows that the join keeps, not the whole table.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Source

FEWEST_ROWS = 100_000
"""Rows of a table below which reading it as a whole takes no time worth saving."""
MOST_KEYS = 1_000
"""Rows of a filtered source whose keys are worth looking up."""
MOST_KEPT = 0.5
"""What its own filters may keep of that source, as a share."""
MOST_SHARE = 0.01
"""What a look-up may find of a table's rows, as a share.

Measured on store_sales at scale factor 1 in PostgreSQL 18, in memory: at 0.1 % the query takes a
tenth of the time, at 1.9 % somewhat more than by reading it all.
"""
DEARER = 50.0
"""Times that reading a row through the index costs what reading it in order costs (the same)."""
ORDERED = 0.9
"""From this correlation on rows with neighbouring keys lie together, and are read in order."""
MOST_SHARE_ORDERED = 0.1
"""What a look-up may find of such a table's rows (inventory, 3.4 %: a fifth of the time)."""
DEARER_ORDERED = 3.0
"""Times that reading a row of such a table through the index costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp:
    """Rows of the source `source` are found by their key's first column, in the source `by`.

    `share` is the estimated share of its rows that are found. `spared_bytes` is what a row store
    then need not read, as if in order, and `spared_rows` are those that enter no join.
    """

    source: str
    by: str
    share: float
    spared_bytes: float
    spared_rows: float


def look_ups(
    block: Block, sources: Sequence[Source], estimator: CardinalityEstimator
) -> tuple[LookUp, ...]:
    """Return the look-ups within `sources`, some or all of a block's; one for each source at most.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    best: dict[str, LookUp] = {}
    for source, by in _pairs(block, sources, estimator):
        entering = estimator.rows_of_sources(block.name, [source.alias])
        found = estimator.rows_of_sources(block.name, [source.alias, by.alias])
        share = found / entering if entering else 1.0
        ordered = _is_ordered(source, estimator)
        most = MOST_SHARE_ORDERED if ordered else MOST_SHARE
        if share > most or (source.name in best and best[source.name].share <= share):
            continue
        dearer = DEARER_ORDERED if ordered else DEARER
        best[source.name] = LookUp(
            source=source.name,
            by=by.name,
            share=share,
            spared_bytes=estimator.table(source).bytes * max(0.0, 1.0 - dearer * share),
            spared_rows=entering - found,
        )
    return tuple(best[name] for name in sorted(best))


def spared_by_keys(
    block: Block, source: Source, senders: Collection[str], estimator: CardinalityEstimator
) -> float:
    """Return the bytes of a source that a row store need not read, since keys are sent to it.

    `senders` are the aliases of the sources that they are of. As in `look_ups`, but for their
    number: the rows are found in any case, and what is sent has its own price.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    table = estimator.table(source)
    if not table.primary_key or table.rows < FEWEST_ROWS:
        return 0.0
    first = (source.alias, table.primary_key[0].lower())
    ordered = _is_ordered(source, estimator)
    most, dearer = (MOST_SHARE_ORDERED, DEARER_ORDERED) if ordered else (MOST_SHARE, DEARER)
    spared = 0.0
    for join in block.joins:
        for (alias, column), (other, _) in ((join.left, join.right), (join.right, join.left)):
            if (alias, column.lower()) != first or other not in senders or join.computed:
                continue
            entering = estimator.rows_of_sources(block.name, [alias])
            share = estimator.rows_of_sources(block.name, [alias, other]) / entering
            if share <= most:
                spared = max(spared, table.bytes * (1.0 - dearer * share))
    return spared


def _is_ordered(source: Source, estimator: CardinalityEstimator) -> bool:
    """Whether a source's rows lie in the order of its key's first column, as far as is known."""
    table = estimator.table(source)
    first = table.primary_key[0].lower()
    for column in table.columns:
        if column.name.lower() == first and column.statistics is not None:
            return abs(column.statistics.correlation or 0.0) >= ORDERED
    return False


def _pairs(
    block: Block, sources: Sequence[Source], estimator: CardinalityEstimator
) -> Iterator[tuple[Source, Source]]:
    """Yield large sources with filtered ones that their key's first column is compared with."""
    known = {source.alias: source for source in sources if not source.needs}
    for join in block.joins:
        if join.kind != "inner" or join.computed:
            continue
        for (alias, column), (other, _) in ((join.left, join.right), (join.right, join.left)):
            if alias == other or not {alias, other} <= known.keys():
                continue
            table = estimator.table(known[alias])
            first = table.primary_key[0].lower() if table.primary_key else None
            if column.lower() != first or table.rows < FEWEST_ROWS:
                continue
            keys = estimator.rows_of_sources(block.name, [other])
            if keys <= min(MOST_KEYS, MOST_KEPT * estimator.table(known[other]).rows):
                yield known[alias], known[other]
