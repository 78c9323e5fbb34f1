"""Reads by an index: of which sources few rows are found by filters, by sent keys or by a join.

Only indexes count that every copy of a table gets, and its primary key. A column that its table's
own store reads in another form (text by code point) ends what an index is used for: the server
compares values of that form, which its index does not have.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

from placement.fragment import IndexRead
from placement.fragments.index_findings import MOST_SHARE, IndexFinding, column_of
from placement.fragments.leading_joins import leading_path
from placement.fragments.look_ups import (
    FoundByKey,
    found_where_clustered,
    is_filtered,
    leads_to,
    share_found,
)
from workloads.catalog import Table
from workloads.copied_indexes import copied_indexes
from workloads.estimation.estimator import CardinalityEstimator
from workloads.estimation.selectivity import merged, share
from workloads.footprint import Block, Filter, Source
from workloads.indexes import ORDERED, Index

FEWEST_ROWS = 10_000
"""Rows of a table below which reading it as a whole takes no time worth saving."""


class _Pair(NamedTuple):
    """Rows of one source that an index finds by those of another, in the order they are tried.

    Indexes that every copy has come first: what they find does not hang on those that are chosen.
    `path` are the sources that are joined before, `other` the first of them.
    """

    is_chosen: bool
    share: float
    alias: str
    other: str
    columns: tuple[str, ...]
    path: tuple[str, ...]


def reads_by_filters(
    block: Block,
    sources: Sequence[Source],
    estimator: CardinalityEstimator,
    found: Mapping[str, FoundByKey],
    looked_up: Collection[str] = (),
) -> Iterator[IndexRead]:
    """Yield the reads by indexes whose first columns are compared with constants.

    `found` and `looked_up` are the sources, by aliases and by names, whose rows are found by keys
    already: in stores where rows lie in the order of their keys, and in others.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    for source in sources:
        table = estimator.table(source)
        if source.needs or table.rows < FEWEST_ROWS:
            continue
        own = _own_filters(block, source.alias)
        for index in _indexes(table):
            served = _served(table, index, own)
            if not served:
                continue
            keys = prod(len(each.values) if each.kind == "in" else 1 for each in served)
            kept = _share_kept(block, source, served, own, estimator)
            finding = IndexFinding(
                table=table, source=source, index=index, share=kept, keys=float(keys)
            )
            yield from _beyond(finding, found, looked_up)


def reads_by_joins(
    block: Block,
    sources: Sequence[Source],
    estimator: CardinalityEstimator,
    found: Mapping[str, FoundByKey],
) -> Iterator[IndexRead]:
    """Yield index nested-loop joins: rows that an index finds by those of a filtered source.

    Stores that keep rows in the order of their keys join so. PostgreSQL does not here: its sessions
    have nested loops off (`evaluation.stores.postgresql`).

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    known = {source.alias: source for source in sources if not source.needs}
    pairs = sorted(_pairs(block, known, estimator))
    found_by = {alias: each.by for alias, each in found.items()}
    for pair in pairs:
        alias, other = pair.alias, pair.other
        # One that may be chosen finds the rows that another finds: a copy may have either.
        again = pair.is_chosen and alias not in found and found_by.get(alias) == other
        taken = alias in found_by and not again
        if taken or pair.share > MOST_SHARE or leads_to(other, alias, found_by):
            continue
        found_by[alias] = other
        entering = estimator.rows_of_sources(block.name, [alias])
        finding = IndexFinding(
            table=estimator.table(known[alias]),
            source=known[alias],
            index=Index(columns=pair.columns, is_chosen=pair.is_chosen),
            share=pair.share,
            keys=estimator.rows_of_sources(block.name, pair.path),
            spared_rows=entering * (1.0 - pair.share),
        )
        yield from (each for each in finding.reads() if each.clustered)


def _pairs(
    block: Block, known: Mapping[str, Source], estimator: CardinalityEstimator
) -> Iterator[_Pair]:
    """Yield what indexes find by filtered sources, and those that may be chosen by others too."""
    for source in known.values():
        for index, others in _joined(block, source, estimator):
            for other in others & known.keys():
                path: tuple[str, ...] = (other,)
                if not is_filtered(block, known[other], estimator):
                    if not index.is_chosen:
                        continue
                    path = leading_path(block, source.alias, other, known, estimator)
                if path:
                    kept = _share_found(block, source.alias, path, estimator)
                    yield _Pair(index.is_chosen, kept, source.alias, other, index.columns, path)


def _share_found(
    block: Block, alias: str, path: Sequence[str], estimator: CardinalityEstimator
) -> float:
    if len(path) == 1:
        return share_found(block, alias, path[0], estimator)
    entering = estimator.rows_of_sources(block.name, [alias])
    return min(1.0, estimator.rows_of_sources(block.name, [alias, *path]) / entering)


def reads_by_keys(
    block: Block,
    sources: Sequence[Source],
    senders: frozenset[str],
    estimator: CardinalityEstimator,
    looked_up: Collection[str] = (),
) -> Iterator[IndexRead]:
    """Yield the reads of `sources` by indexes over columns that keys of others are sent for.

    `senders` are the aliases of the sources that the keys are of, `looked_up` the names of sources
    whose rows are looked up already. The primary key is left to
    `placement.fragments.look_ups.spared_by_keys`.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    found = found_where_clustered(block, sources, estimator)
    for source in sources:
        for index, others in _joined(block, source, estimator):
            for other in sorted(senders & others):
                kept = share_found(block, source.alias, other, estimator)
                if kept <= MOST_SHARE:
                    finding = IndexFinding(
                        table=estimator.table(source),
                        source=source,
                        index=index,
                        share=kept,
                        keys=estimator.rows_of_sources(block.name, [other]),
                    )
                    yield from _beyond(finding, found, looked_up)


def _beyond(
    finding: IndexFinding, found: Mapping[str, FoundByKey], looked_up: Collection[str]
) -> Iterator[IndexRead]:
    """Yield the reads that spare more than what finds the source's rows already."""
    source = finding.source
    spared = found[source.alias].spared_bytes if source.alias in found else 0.0
    for read in finding.reads():
        if read.clustered and read.spared_bytes > spared:
            yield replace(read, spared_bytes=read.spared_bytes - spared)
        elif not read.clustered and source.name not in looked_up:
            yield read


def _indexes(table: Table) -> tuple[Index, ...]:
    key = (Index(columns=table.primary_key, unique=True),) if table.primary_key else ()
    return (*key, *copied_indexes(table))


def _own_filters(block: Block, alias: str) -> tuple[Filter, ...]:
    """Return the conjuncts on one source alone; ranges of one column are one."""
    return merged(
        each
        for each in block.filters
        if not each.outer and {of for of, _ in each.columns} == {alias}
    )


def _served(table: Table, index: Index, filters: Sequence[Filter]) -> tuple[Filter, ...]:
    """Return the filters that an index finds rows by: equalities, and one range behind them."""
    by_column: dict[str, list[Filter]] = defaultdict(list)
    for each in filters:
        if each.kind in ("eq", "in", "range") and len(each.columns) == 1:
            by_column[each.columns[0][1].lower()].append(each)
    served: list[Filter] = []
    for name in index.columns:
        column = column_of(table, name)
        usable = by_column[name.lower()] if column is not None and not column.read_as else []
        equal = [each for each in usable if each.kind != "range"]
        served += equal[:1] or usable[:1]
        if not equal:
            break
    if index.method != ORDERED:  # It finds rows by all of its columns, or by none.
        equal = [each for each in served if each.kind != "range"]
        return tuple(equal) if len(equal) == len(index.columns) else ()
    return tuple(served)


def _share_kept(
    block: Block,
    source: Source,
    served: Sequence[Filter],
    own: Sequence[Filter],
    estimator: CardinalityEstimator,
) -> float:
    """Return the share of a source's rows that some of its filters keep.

    What all of them keep may have been counted in samples, and is no more.
    """
    table = estimator.table(source)
    every = estimator.rows_of_sources(block.name, [source.alias]) / table.rows
    if len(served) == len(own):
        return every
    by_formula = prod(share(each, lambda ref: column_of(table, ref[1])) for each in served)
    return max(every, by_formula)


def _joined(
    block: Block, source: Source, estimator: CardinalityEstimator
) -> Iterator[tuple[Index, frozenset[str]]]:
    """Yield indexes of a source with the aliases that their first columns are joined with."""
    table = estimator.table(source)
    if source.needs or table.rows < FEWEST_ROWS:
        return
    for index in copied_indexes(table):
        column = column_of(table, index.columns[0])
        one_column = index.method == ORDERED or len(index.columns) == 1
        if column is None or column.read_as or not one_column:
            continue
        first = (source.alias, column.name.lower())
        others = {
            other
            for join in block.joins
            if join.kind == "inner" and not (join.computed or join.nulls_match)
            for (alias, name), (other, _) in ((join.left, join.right), (join.right, join.left))
            if (alias, name.lower()) == first and other != source.alias
        }
        if others:
            yield index, frozenset(others)
