"""Columns that a block returns: types, widths, statistics."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from workloads.catalog import Column, ColumnStatistics
from workloads.estimation.block_joins import BlockJoins
from workloads.estimation.group_values import aggregated
from workloads.footprint import Block, ColumnRef, OutputColumn

COMPUTED_BYTES = 8.0
"""Width of a computed column: a number."""

_KEEPS_WIDTH = (None, "min", "max")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """A result's rows, the rows of each of its groups, and distinct values of what it hands on."""

    rows: float
    group_rows: float
    distinct: Mapping[ColumnRef, float]


def select_columns(
    block: Block, joins: BlockJoins, *, rows: float, group_rows: float, read: Collection[str]
) -> tuple[Column, ...]:
    """Return the columns of a SELECT that returns `rows` rows, of `group_rows` rows each.

    Distinct values are told of the columns in `read` alone, by lower-case name.
    """
    handed_on = [
        column.origin
        for column in block.output.columns
        if column.origin is not None and column.name.lower() in read
    ]
    distinct = dict(zip(handed_on, joins.distincts(handed_on), strict=True))
    return tuple(
        _column(block, found, joins, _Shape(rows=rows, group_rows=group_rows, distinct=distinct))
        for found in block.output.columns
    )


def set_columns(
    block: Block, operands: Sequence[Sequence[Column]], rows: float
) -> tuple[Column, ...]:
    """Return the columns of a set operation, which are those of its operands by position."""
    found = []
    for position, output in enumerate(block.output.columns):
        sides = [columns[position] for columns in operands if position < len(columns)]
        known = [side.statistics for side in sides if side.statistics is not None]
        found.append(
            Column(
                name=output.name,
                type=sides[0].type if sides else "",
                width_bytes=max((s.width_bytes for s in sides), default=COMPUTED_BYTES),
                statistics=_united(known, rows) if sides and len(known) == len(sides) else None,
            )
        )
    return tuple(found)


def _column(block: Block, output: OutputColumn, joins: BlockJoins, shape: _Shape) -> Column:
    carried = output.origin or output.carries
    base = joins.column(carried) if carried else None
    if base is None or carried is None or output.aggregate not in _KEEPS_WIDTH:
        known = _computed(block, output, base, shape)
        return Column(name=output.name, type="", width_bytes=COMPUTED_BYTES, statistics=known)
    known = base.statistics
    if output.origin is None or known is None:
        return replace(base, name=output.name, statistics=None)
    distinct = min(known.distinct, shape.distinct.get(carried, math.inf), shape.rows)
    known = replace(known, distinct=max(1, round(distinct)))
    filtered = any(carried in condition.columns for condition in block.filters)
    if filtered or block.output.group_by is not None or block.output.distinct:
        known = replace(known, common=(), histogram=())
    return replace(base, name=output.name, statistics=known)


def _computed(
    block: Block, output: OutputColumn, base: Column | None, shape: _Shape
) -> ColumnStatistics | None:
    """Return what is known of a computed column: a constant has one value."""
    if output.aggregate is not None:
        return aggregated(output.aggregate, base, shape.group_rows) if _is_grouped(block) else None
    if not output.reads and "window" not in block.features:
        return ColumnStatistics(distinct=1, null_share=0.0)
    return None


def _is_grouped(block: Block) -> bool:
    return bool(block.output.group_by) and block.output.grouping_sets == 1


def _united(known: Sequence[ColumnStatistics], rows: float) -> ColumnStatistics:
    """Return statistics of rows from several places: the smaller set of values is in the larger.

    Constants differ: what tells the places apart.
    """
    most = max(each.distinct for each in known)
    lows = [each.minimum for each in known if each.minimum is not None]
    highs = [each.maximum for each in known if each.maximum is not None]
    constants = all(each.distinct == 1 and each.minimum is None for each in known)
    ranged = len(lows) == len(highs) == len(known)
    return ColumnStatistics(
        distinct=max(1, round(min(rows, len(known) if constants else most))),
        null_share=sum(each.null_share for each in known) / len(known),
        minimum=min(lows) if ranged else None,
        maximum=max(highs) if ranged else None,
    )
