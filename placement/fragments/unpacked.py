"""The values of a row that a row store unpacks: up to the last one that it looks at.

PostgreSQL keeps no offsets of a row's values. It finds one by walking over those before it, and
reads no further than what is asked for: first for the conditions, then for the rows that are left.
"""

from collections.abc import Collection, Mapping, Sequence

from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Source


def unpacked_values(
    blocks: Mapping[str, Block], sources: Sequence[Source], estimator: CardinalityEstimator
) -> float:
    """Return how many values of a row are unpacked in the mean, over all rows of all sources.

    `blocks` are those of the sources, by name. Every row is unpacked up to what it is tested by:
    the columns of the source's own filters, and the first key of a join. Those that pass the
    filters and the joins are unpacked up to the last column that is needed.
    """
    rows = values = 0.0
    for source in sources:
        table, block = estimator.table(source), blocks[source.block]
        places = {each.name.lower(): place for place, each in enumerate(table.columns, 1)}
        last = _last(places, source.columns)
        tested = min(last, _tested(places, block, source.alias, last))
        rows += table.rows
        values += table.rows * tested + _passing(block, source, estimator) * (last - tested)
    return values / max(1.0, rows)


def _tested(places: Mapping[str, int], block: Block, alias: str, last: int) -> int:
    """Return the place of the last value by which every row of a source is tested."""
    filtered = [
        column
        for each in block.filters
        for of, column in each.columns
        if each.aggregate is None and {other for other, _ in each.columns} == {alias} == {of}
    ]
    keys = [
        places.get(column.lower(), last)
        for each in block.joins
        for of, column in (each.left, each.right)
        if of == alias
    ]
    if not filtered and not keys:
        return last
    return max(_last(places, filtered), min(keys, default=0))


def _last(places: Mapping[str, int], columns: Collection[str]) -> int:
    return max((places.get(each.lower(), 0) for each in columns), default=0)


def _passing(block: Block, source: Source, estimator: CardinalityEstimator) -> float:
    """Return how many of a source's rows pass its own filters and the block's joins."""
    own = estimator.rows_of_sources(block.name, [source.alias])
    return min(float(estimator.table(source).rows), own, estimator.joined_rows(block.name))
