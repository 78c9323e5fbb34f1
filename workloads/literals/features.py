"""The footprint of a statement with literals, by that of it without."""

from collections.abc import Sequence
from dataclasses import replace

from workloads.footprint import Aggregation, Block, Footprint


def with_features(read: Footprint, filled: Sequence[Footprint]) -> Footprint | None:
    """Return `read` with what not every store can run of the same statement, `filled`.

    A parameter has no type, so that less is told of what is done with it, and other things are
    rewritten. Where that gives other blocks or groups, those with literals count. None where the
    blocks of two filled ones differ.
    """
    shapes = [_shape(each) for each in filled]
    if any(shape != shapes[0] for shape in shapes):
        return None
    is_like = _shape(read) == shapes[0] and all(_groups(read) == _groups(each) for each in filled)
    base = read if is_like else filled[0]
    blocks = zip(base.blocks, *(each.blocks for each in filled), strict=True)
    return replace(
        base,
        executions=read.executions,
        writes=read.writes,
        blocks=tuple(_together(own, others) for own, *others in blocks),
    )


def _shape(read: Footprint) -> Sequence[object]:
    return [
        (each.name, each.kind, each.role, each.children, each.inputs,
         [(source.alias, source.table, source.needs) for source in each.sources])
        for each in read.blocks
    ]  # fmt: skip


def _groups(read: Footprint) -> Sequence[object]:
    return [(each.output.group_by, each.aggregation is None) for each in read.blocks]


def _together(own: Block, others: Sequence[Block]) -> Block:
    sources = zip(own.sources, *(each.sources for each in others), strict=True)
    return replace(
        own,
        closed=own.closed and all(each.closed for each in others),
        features=own.features.union(*(each.features for each in others)),
        sources=tuple(
            replace(
                source,
                condition_features=source.condition_features.union(
                    *(each.condition_features for each in more)
                ),
            )
            for source, *more in sources
        ),
        aggregation=_aggregation(own.aggregation, [each.aggregation for each in others]),
    )


def _aggregation(
    own: Aggregation | None, others: Sequence[Aggregation | None]
) -> Aggregation | None:
    found = [each for each in others if each is not None]
    if own is None or len(found) < len(others):
        return None
    return replace(own, features=own.features.union(*(each.features for each in found)))
