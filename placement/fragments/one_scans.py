"""Scans of one table that want different rows of it: the engine reads the table once for all.

A store that runs no SQL reads a table as often as it is scanned, however few rows are wanted. One
scan hands out the rows that any of the fragments wants, and each takes its own from them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from placement.fragment import Fragment, SharedFragment
from placement.fragments.decimals import number_of_decimals
from placement.fragments.shared_fragments import Described, as_one, choices
from placement.stores import Capability
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Footprint, Source

LEAST_BYTES = 16e6
"""Tables with fewer bytes are sooner scanned again than their rows are kept."""


def one_scans(
    footprint: Footprint, estimator: CardinalityEstimator, fragments: Sequence[Fragment]
) -> tuple[SharedFragment, ...]:
    """Return for scans of one large table among `fragments` what reads it once for several.

    What keys reduce is left out, and so is what is restricted by the first column of the table's
    primary key: such a scan does not read the whole table.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    finding = _OneScans(footprint, estimator)
    return tuple(finding.offered(fragments))


class _OneScans:
    def __init__(self, footprint: Footprint, estimator: CardinalityEstimator) -> None:
        self._blocks = {block.name: block for block in footprint.blocks}
        self._sources = {source.name: source for source in footprint.sources()}
        self._order = {name: place for place, name in enumerate(self._sources)}
        self._described = Described(footprint)
        self._estimator = estimator

    def offered(self, fragments: Sequence[Fragment]) -> Iterator[SharedFragment]:
        together: dict[str, list[Fragment]] = defaultdict(list)
        for each in fragments:
            if self._reads_all(each):
                together[self._source(each).table].append(each)
        for scans in together.values():
            scans.sort(key=lambda each: self._order[each.sources[0]])
            for chosen in choices(scans):
                if len({self._described.rows_of(each) for each in chosen}) > 1:
                    yield as_one(chosen, self._read(chosen))

    def _source(self, scan: Fragment) -> Source:
        return self._sources[scan.sources[0]]

    def _reads_all(self, fragment: Fragment) -> bool:
        """Whether it is a scan of a whole large table."""
        reduction, work = fragment.reduction, fragment.work
        if fragment.kind is not Capability.SCAN or reduction.reducers or reduction.preaggregated:
            return False
        source = self._source(fragment)
        key = [name.lower() for name in self._estimator.table(source).primary_key[:1]]
        restricted = {
            name
            for each in self._blocks[source.block].filters
            for alias, name in each.columns
            if alias == source.alias and len(each.columns) == 1 and not each.outer
        }
        return work.scan_bytes >= LEAST_BYTES and restricted.isdisjoint(key)

    def _read(self, chosen: Sequence[Fragment]) -> Fragment:
        """Return the first of some scans with the rows and columns that any of them wants."""
        first = chosen[0]
        table = self._estimator.table(self._source(first))
        wanted = {self._described.filters_of(each): each.work.rows_out for each in chosen}
        rows = min(float(table.rows), sum(wanted.values()))
        names = {name for each in chosen for name in self._source(each).columns}
        columns = [each for each in table.columns if each.name.lower() in names]
        width = sum(each.width_bytes for each in columns)
        work = replace(
            first.work,
            rows_out=max(rows, first.work.rows_out),
            row_bytes_out=max(1.0, width),
            decimals_out=number_of_decimals(columns),
            column_bytes=table.rows * width,
        )
        return replace(first, work=work, reduction=replace(first.reduction, one_scan=True))
