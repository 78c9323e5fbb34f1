"""Selectivities of a block's filters on one of its relations, and remaining distinct values."""

from workloads.catalog import Column
from workloads.estimation.distinct_values import remaining
from workloads.estimation.relation import Relation
from workloads.estimation.selectivity import Combine, merged, null_test, share
from workloads.estimation.synopsis import aliases_of
from workloads.footprint import Block, Filter

MIN_ROWS = 1.0
"""No result is estimated smaller: a store answers one row as fast as none."""


def shares(
    block: Block, relation: Relation, combine: Combine, *, preserved: bool
) -> tuple[float, ...]:
    """Shares of the filters on one relation alone that drop rows of it.

    NULL tests of an outer join's nullable side say how it is joined, not which rows it has. Where a
    left join has `preserved` the relation, a filter in its condition drops none.
    """
    own = [f for f in block.filters if aliases_of(f) == {relation.alias}]
    return tuple(
        share_of(condition, relation, combine)
        for condition in merged(f for f in own if not (preserved and f.outer))
        if not (relation.after and null_test(condition))
    )


def matching_share(block: Block, relation: Relation, combine: Combine) -> float:
    """Share of a relation's rows that the filters in conditions of outer joins let match."""
    own = [f for f in block.filters if f.outer and aliases_of(f) == {relation.alias}]
    return combine([share_of(condition, relation, combine) for condition in merged(own)])


def share_of(condition: Filter, relation: Relation, combine: Combine) -> float:
    """Return the share of a relation's rows that one condition keeps."""
    return share(condition, lambda ref: relation.columns.get(ref[1].lower()), combine)


def distinct_after_filters(block: Block, relation: Relation, name: str) -> float:
    """Return the distinct values of a column in the rows that the filters leave."""
    column = relation.columns.get(name.lower())
    if column is None or column.statistics is None:
        return max(MIN_ROWS, relation.filtered_rows)
    kept = 1.0
    for condition in merged(f for f in block.filters if f.columns == ((relation.alias, name),)):
        if condition.kind not in ("null", "not_null", "other"):
            kept *= _distinct_share(condition, column)
    distinct = max(1.0, column.statistics.distinct * kept)
    return max(MIN_ROWS, remaining(distinct, relation.rows * kept, relation.filtered_rows))


def _distinct_share(condition: Filter, column: Column) -> float:
    """Share of a column's values that a condition keeps."""
    known = column.statistics
    if condition.kind in ("eq", "in") and known is not None and known.distinct:
        return min(1.0, len(set(condition.values)) / known.distinct)
    return share(condition, lambda _: column)
