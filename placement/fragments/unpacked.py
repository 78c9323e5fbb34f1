"""The values of a row that a row store unpacks: up to the last one that it looks at.

PostgreSQL keeps no offsets of a row's values. It finds one by walking over those before it, and
reads no further than what is asked for: first for the conditions, then for the rows that are left.
"""

from collections.abc import Collection, Mapping, Sequence

from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Footprint, Source


class Unpacked:
    """The unpacked values of the sources of a statement, each told once.

    Every row is unpacked up to what it is tested by: the columns of the source's own filters, and
    the first key of a join. Those that pass the filters and the joins are unpacked up to the last
    column that is needed.
    """

    def __init__(self, footprint: Footprint, estimator: CardinalityEstimator) -> None:
        self._blocks = {block.name: block for block in footprint.blocks}
        self._estimator = estimator
        self._known: dict[str, float] = {}

    def values(self, sources: Sequence[Source]) -> float:
        """Return how many values of a row are unpacked in the mean, over all rows of all sources.

        Raises:
            CatalogError: The estimator's catalog lacks a table.
        """
        rows = sum(float(self._estimator.table(each).rows) for each in sources)
        return sum(map(self._values, sources)) / max(1.0, rows)

    def _values(self, source: Source) -> float:
        """Return how many values of all rows of a source are unpacked together."""
        if source.name not in self._known:
            table, block = self._estimator.table(source), self._blocks[source.block]
            places = {each.name.lower(): place for place, each in enumerate(table.columns, 1)}
            last = _last(places, source.columns)
            tested = min(last, _tested(places, block, source.alias, last))
            further = self._passing(block, source) * (last - tested) if last > tested else 0.0
            self._known[source.name] = float(table.rows) * tested + further
        return self._known[source.name]

    def _passing(self, block: Block, source: Source) -> float:
        """Return how many of a source's rows pass its own filters and the block's joins."""
        own = self._estimator.rows_of_sources(block.name, [source.alias])
        joined = self._estimator.joined_rows(block.name)
        return min(float(self._estimator.table(source).rows), own, joined)


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
