"""The values of a row that a row store unpacks: up to the last one that it looks at.

PostgreSQL keeps no offsets of a row's values. It finds one by walking over those before it, and
reads no further than what is asked for: first for the conditions, then for the rows that are left.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Source


def unpacked_values(
    block: Block,
    sources: Sequence[Source],
    estimator: CardinalityEstimator,
    *,
    rows: float,
    others: Collection[str] = (),
) -> float:
    """Return how many values of a row are unpacked in the mean, of sources whose join has `rows`.

    Every row is unpacked up to what it is tested by: the columns of the source's own filters, and
    the first of its join keys. Joins are those with one another and with `others` (aliases): these
    are joined as well, or their keys are sent. Which join a store begins with is not known, so that
    it is taken to be the one by the first key. Rows that pass are unpacked up to the last column
    that is needed.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    met = {*others, *(each.alias for each in sources)}
    values = sum(_values(block, each, estimator, rows, met) for each in sources)
    return values / max(1.0, table_rows(sources, estimator))


def table_rows(sources: Iterable[Source], estimator: CardinalityEstimator) -> float:
    """Return the rows of all sources before any filter."""
    return sum(float(estimator.table(each).rows) for each in sources)


def joined_with(block: Block) -> frozenset[str]:
    """Return the aliases that a block compares its sources with, those of enclosing blocks too."""
    return frozenset(end[0] for join in block.joins for end in (join.left, join.right))


def _values(
    block: Block, source: Source, estimator: CardinalityEstimator, rows: float, met: Collection[str]
) -> float:
    table = estimator.table(source)
    places = {each.name.lower(): place for place, each in enumerate(table.columns, 1)}
    last = _last(places, source.columns)
    tested = min(last, _tested(places, block, source.alias, met, last))
    if tested == last:
        return float(table.rows) * last
    own = estimator.rows_of_sources(block.name, [source.alias])
    return table.rows * tested + min(float(table.rows), own, rows) * (last - tested)


def _tested(
    places: Mapping[str, int], block: Block, alias: str, met: Collection[str], last: int
) -> int:
    """Return the place of the last value by which every row of a source is tested."""
    filtered = [
        column
        for each in block.filters
        for of, column in each.columns
        if each.aggregate is None and {other for other, _ in each.columns} == {alias} == {of}
    ]
    ends = (
        each for join in block.joins for each in ((join.left, join.right), (join.right, join.left))
    )
    keys = [
        places.get(key.lower(), last)
        for (of, key), (other, _) in ends
        if of == alias and other in met
    ]
    if not filtered and not keys:
        return last
    return max(_last(places, filtered), min(keys, default=0))


def _last(places: Mapping[str, int], columns: Collection[str]) -> int:
    return max((places.get(each.lower(), 0) for each in columns), default=0)
