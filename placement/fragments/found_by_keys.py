"""Rows found by their primary keys in a store that keeps rows in the order of these keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from placement.fragments.leading_joins import leading_path
from placement.fragments.look_ups import compared_with_first, share_found, spared_in_order
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundByKey:
    """Rows of a source are found by the source `by`.

    That spares bytes of its table, and rows of it that would enter the join.
    """

    by: str
    spared_bytes: float
    spared_rows: float


class Spared(NamedTuple):
    """Bytes that are not read, and rows that enter no join, where rows are found by their keys."""

    read_bytes: float
    join_rows: float


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class _Pair:
    """A share of the rows of a source is found by another's, to which `path` leads."""

    share: float
    alias: str
    by: str
    path: tuple[str, ...]


def found_where_clustered(
    block: Block, sources: Sequence[Source], estimator: CardinalityEstimator
) -> Mapping[str, FoundByKey]:
    """Return alias → how a store finds its rows that has them in the order of their keys.

    Such a store, which joins by nested loops, begins with a source of few rows, and goes on along
    the joins. Whatever the rows' order is elsewhere, and for any number of keys.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    known = {source.alias: source for source in sources if not source.needs}
    found = dict[str, FoundByKey]()
    for pair in sorted(_pairs(block, known, estimator)):
        found_by = {alias: each.by for alias, each in found.items()}
        if pair.alias in found or any(leads_to(each, pair.alias, found_by) for each in pair.path):
            continue
        keys = estimator.rows_of_sources(block.name, pair.path)
        size = spared_in_order(estimator.table(known[pair.alias]), pair.share, keys)
        if size:
            entering = estimator.rows_of_sources(block.name, [pair.alias])
            found[pair.alias] = FoundByKey(
                by=pair.by, spared_bytes=size, spared_rows=entering * (1.0 - pair.share)
            )
    return found


def _pairs(
    block: Block, known: Mapping[str, Source], estimator: CardinalityEstimator
) -> list[_Pair]:
    """Return large sources with those that their key's first column is compared with."""
    found = []
    for source in known.values():
        for other in set(compared_with_first(block, source, estimator)) & known.keys():
            path = leading_path(block, source.alias, other, known, estimator)
            if path:
                share = share_found(block, source.alias, path, estimator)
                found.append(_Pair(share=share, alias=source.alias, by=other, path=path))
    return found


def spared_where_clustered(found: Mapping[str, FoundByKey]) -> Spared:
    """Return what is spared in a store that finds rows so."""
    return Spared(
        read_bytes=sum((each.spared_bytes for each in found.values()), 0.0),
        join_rows=sum((each.spared_rows for each in found.values()), 0.0),
    )


def leads_to(start: str, end: str, found_by: Mapping[str, str]) -> bool:
    """Whether the rows of `start` are found, in the end, by those of `end`."""
    while start in found_by and start != end:
        start = found_by[start]
    return start == end
