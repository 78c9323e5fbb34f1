"""The sources that a nested-loop join begins with, before it looks up the rows of another."""

from collections.abc import Mapping

from placement.fragments.look_ups import is_filtered
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Source

MOST_SOURCES = 4
"""Sources in a path: beyond them an estimate of its rows says little."""


def leading_path(
    block: Block,
    alias: str,
    other: str,
    known: Mapping[str, Source],
    estimator: CardinalityEstimator,
) -> tuple[str, ...]:
    """Return the sources joined before `alias` is looked up by `other`: a path to a filtered one.

    It begins with `other`, and is the shortest that does not need `alias`; () where there is none.
    However the sources of the path are read, few rows are left of them.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    paths: list[tuple[str, ...]] = [(other,)] if other in known else []
    seen = {alias, other}
    for path in paths:  # Those that are appended are visited too.
        if is_filtered(block, known[path[-1]], estimator):
            return path
        if len(path) < MOST_SOURCES:
            for neighbour in _joined_with(block, path[-1]):
                if neighbour in known and neighbour not in seen:
                    seen.add(neighbour)
                    paths.append((*path, neighbour))
    return ()


def _joined_with(block: Block, alias: str) -> tuple[str, ...]:
    """Return the sources that an inner join compares with one, by name."""
    found = set[str]()
    for join in block.joins:
        ends = {join.left[0], join.right[0]}
        if join.kind == "inner" and not join.computed and alias in ends:
            found |= ends - {alias}
    return tuple(sorted(found))
