"""Fragments that read the same rows for several parts of a query: fetched once, priced once.

A query over several channels reads its dates, its items or its customers once for each, by the
same filters. Where such fragments run in one store, the engine fetches their rows once.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from placement.fragment import Fragment, SharedFragment
from placement.stores import Capability
from workloads.footprint import Block, ColumnRef, Filter, Footprint, Join, Source

MOST_CHOSEN = 4
"""Fragments with the same rows of which each choice is offered; of more, only all together."""
_PAIR = 2


def shared_fragments(
    footprint: Footprint, fragments: Sequence[Fragment]
) -> tuple[SharedFragment, ...]:
    """Return for scans and joins among `fragments` with the same rows what runs them as one.

    The first of them is the one that a query reads first.

    Same are those of the same tables with the same columns, filters and joins, which are reduced by
    the same sources. Of up to `MOST_CHOSEN` every choice is offered, as some may be run within
    larger fragments. What is pre-aggregated is left out: its groups are seldom the same.
    """
    described = Described(footprint)
    order = {source.name: index for index, source in enumerate(footprint.sources())}
    alike: dict[Hashable, list[Fragment]] = defaultdict(list)
    for fragment in fragments:
        if (
            fragment.kind in (Capability.SCAN, Capability.JOIN)
            and not fragment.reduction.preaggregated
        ):
            alike[described.rows_of(fragment)].append(fragment)
    for same in alike.values():
        same.sort(key=lambda each: min(order[source] for source in each.sources))
    return tuple(as_one(chosen) for same in alike.values() for chosen in choices(same))


def choices(same: Sequence[Fragment]) -> Iterator[tuple[Fragment, ...]]:
    """Yield sets of two and more of the fragments with the same rows that share no source."""
    fewest = _PAIR if len(same) <= MOST_CHOSEN else len(same)
    for size in range(fewest, len(same) + 1):
        for chosen in combinations(same, size):
            sources = [source for each in chosen for source in each.sources]
            if len(set(sources)) == len(sources):
                yield chosen


def as_one(chosen: Sequence[Fragment], read: Fragment | None = None) -> SharedFragment:
    """Return what runs fragments with the same rows as one.

    With `read` this runs in place of the first, and has the rows of all.
    """
    first, *others = chosen
    read = first if read is None else read
    sources = tuple(sorted(source for each in chosen for source in each.sources))
    # The engine reads the rows for each of them.
    combined = sum(each.work.combine_rows for each in chosen)
    combined += sum(each.work.rows_out for each in others)
    delivered = sum(each.work.delivered_rows for each in chosen)
    repeating = (_repeating(each, read) for each in others)
    return SharedFragment(
        coverage=replace(first.coverage, sources=sources),
        work=replace(read.work, combine_rows=combined, delivered_rows=delivered),
        reduction=read.reduction,
        members=(read, *repeating),
    )


def _repeating(fragment: Fragment, read: Fragment) -> Fragment:
    """Return a fragment whose rows are fetched for `read` alone."""
    one_scan = read.reduction.one_scan
    return replace(
        fragment, reduction=replace(fragment.reduction, repeats=read.name, one_scan=one_scan)
    )


class Described:
    """Descriptions of the rows of one query's fragments, without its aliases."""

    def __init__(self, footprint: Footprint) -> None:
        self._blocks = {block.name: block for block in footprint.blocks}
        self._sources = {source.name: source for source in footprint.sources()}

    def rows_of(self, fragment: Fragment) -> Hashable:
        """Return what is equal for fragments with the same rows."""
        sources = [self._sources[name] for name in fragment.sources]
        if len(fragment.tables) < len(sources):
            return fragment.name  # Which of two occurrences is meant by a table's name?
        return (
            fragment.kind,
            self._selected(self._blocks[fragment.coverage.block], sources),
            frozenset(self._reducer(name) for name in fragment.reduction.reducers),
            # These tell columns and keys apart that are read outside.
            (
                fragment.work.rows_out,
                fragment.work.row_bytes_out,
                fragment.reduction.keys,
                fragment.work.scan_bytes,
                fragment.work.key_range_bytes,
                tuple((each.keys, each.rows) for each in fragment.reduction.key_tables),
            ),
        )

    def filters_of(self, scan: Fragment) -> Hashable:
        """Return what is equal for scans of one table with the same rows, of whatever columns."""
        block, source = scan.coverage.block, self._sources[scan.sources[0]]
        return self._selected(self._blocks[block], [source])[1]

    def _reducer(self, name: str) -> Hashable:
        if name in self._sources:
            source = self._sources[name]
            return self._selected(self._blocks[source.block], [source])
        block, _, alias = name.partition(".")
        return self._blocks[block].inputs[alias]

    def _selected(self, block: Block, sources: Sequence[Source]) -> tuple[Hashable, ...]:
        names = {source.alias: source.table for source in sources}
        return (
            tuple((source.table, source.columns, len(source.needs)) for source in sources),
            frozenset(_filters(block, names)),
            frozenset(_joins(block, names)),
        )


def _filters(block: Block, names: Mapping[str, str]) -> Iterator[Hashable]:
    """Yield what the block's filters say of some of its sources alone."""
    for each in block.filters:
        aliases = {alias for alias, _ in each.columns}
        if aliases <= names.keys():
            yield _described(each, names)
            continue
        restrictions = (each.restriction(alias) for alias in sorted(aliases & names.keys()))
        yield from (_described(found, names) for found in restrictions if found is not None)


def _described(condition: Filter, names: Mapping[str, str]) -> Hashable:
    sql = condition.sql
    for alias, table in names.items():
        sql = re.sub(rf"\b{re.escape(alias)}\.", f"{table}.", sql)
    return (
        condition.kind,
        tuple(_column(each, names) for each in condition.columns),
        condition.values,
        condition.outer,
        sql,
        tuple(tuple(_described(each, names) for each in arm) for arm in condition.alternatives),
    )


def _joins(block: Block, names: Mapping[str, str]) -> Iterator[Hashable]:
    """Yield the joins of a block between some of its sources."""
    for each in block.joins:
        if each.left[0] in names and each.right[0] in names:
            yield _join(each, names)


def _join(join: Join, names: Mapping[str, str]) -> Hashable:
    ends = (_column(join.left, names), _column(join.right, names))
    if join.kind == "inner":
        ends = (min(ends), max(ends))
    return (*ends, join.kind, join.computed, join.nulls_match)


def _column(column: ColumnRef, names: Mapping[str, str]) -> ColumnRef:
    alias, name = column
    return names[alias], name
