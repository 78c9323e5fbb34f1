"""Look-ups: rows of a large table that an index finds by the keys of a filtered one beside it.

Both are in one fragment, so that nothing is fetched for it: a row store reads through its primary
key the few rows that the join keeps, not the whole table.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from placement.fragment import LookUp
from placement.fragments.key_ranges import spared_by_ranges
from placement.fragments.key_types import compare_alike
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, ColumnRef, Source

FEWEST_ROWS = 100_000
"""Rows of a table below which reading it as a whole takes no time worth saving."""
MOST_KEYS = 1_000
"""Rows of a filtered source whose keys are worth looking up."""
MOST_KEPT = 0.5
"""The share of that source that its own filters may keep."""
MOST_SHARE = 0.01
"""The share of a table's rows that an index lookup may find.

Measured on store_sales at scale factor 1 in PostgreSQL 18, in memory: at 0.1 % the query takes a
tenth of the time, at 1.9 % somewhat more than by reading it all.
"""
DEARER = 50.0
"""Times that reading a row through the index costs what reading it in order costs (the same)."""
ORDERED = 0.9
"""From this correlation on rows with neighbouring keys lie together, and are read in order."""
MOST_SHARE_ORDERED = 0.1
"""The share that a lookup may find in such a table (inventory, 3.4 %: a fifth of the time)."""
DEARER_ORDERED = 3.0
"""Times that reading a row of such a table through the index costs."""


def look_ups(
    block: Block, sources: Sequence[Source], estimator: CardinalityEstimator
) -> tuple[LookUp, ...]:
    """Return the look-ups within `sources`, some or all of a block's; one for each source at most.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    best: dict[str, LookUp] = {}
    for source, by in _pairs(block, sources, estimator):
        share = share_found(block, source.alias, by.alias, estimator)
        ordered = _is_ordered(source, estimator)
        most = MOST_SHARE_ORDERED if ordered else MOST_SHARE
        if share > most or (source.name in best and best[source.name].share <= share):
            continue
        entering = estimator.rows_of_sources(block.name, [source.alias])
        best[source.name] = LookUp(
            source=source.name,
            by=by.name,
            share=share,
            spared_bytes=spared_bytes(estimator.table(source).bytes, share, ordered=ordered),
            spared_rows=entering * (1.0 - share),
        )
    return tuple(best[name] for name in sorted(best))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spared:
    """Bytes of tables that a row store need not read, since it finds rows by their keys.

    In one they lie in the order of their primary keys (clustered), in the other as they came. A
    store that reads `key_ranges` spares whole blocks.
    """

    heap_bytes: float = 0.0
    clustered_bytes: float = 0.0
    key_range_bytes: float = 0.0


def spared_by_keys(
    block: Block,
    source: Source,
    senders: Collection[str],
    different: Callable[[str], float],
    estimator: CardinalityEstimator,
) -> Spared:
    """Return what of a source need not be read, since keys of others are sent to it.

    `senders` are the aliases of the sources that they are of, `different` tells how many different
    ones are sent of each. As in `look_ups`, but for their number: the rows are found in any case,
    and what is sent has its own price.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    shares = {
        other: share_found(block, source.alias, other, estimator)
        for other in _compared_with_first(block, source, estimator)
        if other in senders and _is_sent(block, source, other, estimator)
    }
    if not shares:
        return Spared()
    ordered = _is_ordered(source, estimator)
    size, least = estimator.table(source).bytes, min(shares.values())
    return Spared(
        heap_bytes=spared_bytes(size, least, ordered=ordered),
        clustered_bytes=spared_bytes(size, least, ordered=True),
        key_range_bytes=max(
            # By several columns fewer rows match than lie in the ranges of the first.
            spared_by_ranges(size, share, different(other))
            if len(list(_compared(block, source.alias, other))) == 1
            else 0.0
            for other, share in shares.items()
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundByKey:
    """Rows of a source are found by the source `by`, which spares bytes of its table."""

    by: str
    spared_bytes: float


def found_where_clustered(
    block: Block, sources: Sequence[Source], estimator: CardinalityEstimator
) -> Mapping[str, FoundByKey]:
    """Return alias → how a store finds its rows that has them in the order of their keys.

    Such a store, which joins by nested loops, begins with those of few rows. As in `look_ups`, but
    whatever the rows' order is elsewhere, and for any number of keys.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    known = {source.alias: source for source in sources if not source.needs}
    pairs = sorted(
        (share_found(block, source.alias, other, estimator), source.alias, other)
        for source in known.values()
        for other in _compared_with_first(block, source, estimator)
        if other in known and is_filtered(block, known[other], estimator)
    )
    found = dict[str, FoundByKey]()
    for share, alias, other in pairs:
        if alias in found or leads_to(other, alias, {each: by.by for each, by in found.items()}):
            continue
        size = spared_bytes(estimator.table(known[alias]).bytes, share, ordered=True)
        if size:
            found[alias] = FoundByKey(by=other, spared_bytes=size)
    return found


def spared_where_clustered(found: Mapping[str, FoundByKey]) -> float:
    """Return the bytes that a store need not read which finds rows by their keys."""
    return sum((each.spared_bytes for each in found.values()), 0.0)


def leads_to(start: str, end: str, found_by: Mapping[str, str]) -> bool:
    """Whether the rows of `start` are found, in the end, by those of `end`."""
    while start in found_by and start != end:
        start = found_by[start]
    return start == end


def spared_bytes(size: float, share: float, *, ordered: bool) -> float:
    """Return the bytes of a table of which a share of rows is found by their keys."""
    most, dearer = (MOST_SHARE_ORDERED, DEARER_ORDERED) if ordered else (MOST_SHARE, DEARER)
    return size * max(0.0, 1.0 - dearer * share) if share <= most else 0.0


def share_found(block: Block, alias: str, other: str, estimator: CardinalityEstimator) -> float:
    """Return the share of a source's rows, after its filters, that joins one of another's."""
    entering = estimator.rows_of_sources(block.name, [alias])
    found = estimator.rows_of_sources(block.name, [alias, other])
    return found / entering


def is_filtered(block: Block, source: Source, estimator: CardinalityEstimator) -> bool:
    """Whether a source's own filters keep few enough of its rows to begin a join with them."""
    rows = estimator.rows_of_sources(block.name, [source.alias])
    return rows <= MOST_KEPT * estimator.table(source).rows


def _compared_with_first(
    block: Block, source: Source, estimator: CardinalityEstimator
) -> Iterator[str]:
    """Yield the aliases that the first column of a large source's key is compared with."""
    table = estimator.table(source)
    if not table.primary_key or table.rows < FEWEST_ROWS:
        return
    first = table.primary_key[0].lower()
    for name, (other, _) in _compared(block, source.alias):
        if name.lower() == first:
            yield other


def _compared(
    block: Block, alias: str, with_alias: str | None = None
) -> Iterator[tuple[str, ColumnRef]]:
    """Yield columns of a source, each with the other column that inner joins want equal to it."""
    for join in block.joins:
        if join.kind != "inner" or join.computed:
            continue
        for (own, name), theirs in ((join.left, join.right), (join.right, join.left)):
            if own == alias != theirs[0] and with_alias in (None, theirs[0]):
                yield name, theirs


def _is_sent(block: Block, source: Source, other: str, estimator: CardinalityEstimator) -> bool:
    """Whether values of `other` may be sent to the first column of the source's key."""
    tables = {each.alias: estimator.table(each) for each in block.sources if not each.needs}
    table = tables[source.alias]
    return other in tables and any(
        compare_alike([table.type_of(name), tables[other].type_of(theirs)])
        for name, (_, theirs) in _compared(block, source.alias, other)
        if name.lower() == table.primary_key[0].lower()
    )


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
    for source in known.values():
        for other in _compared_with_first(block, source, estimator):
            few = other in known and is_filtered(block, known[other], estimator)
            if few and estimator.rows_of_sources(block.name, [other]) <= MOST_KEYS:
                yield source, known[other]
