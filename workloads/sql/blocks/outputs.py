"""Outputs of a block."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.footprint import ColumnRef, Filter, Output, OutputColumn
from workloads.sql.trees.predicates import (
    aggregate_name,
    carried_column,
    columns_of,
    conjuncts,
    filter_of,
)
from workloads.sql.trees.tree import Node, QueryTree

DEFAULT_WIDTH_BYTES = 8.0
"""Width of a computed column: a number."""


def _limit(expression: exp.Query) -> int | None:
    limit = expression.args.get("limit")
    count = limit.args.get("expression") or limit.args.get("count") if limit is not None else None
    return int(count.this) if isinstance(count, exp.Literal) and not count.is_string else None


def set_output(tree: QueryTree, node: Node) -> Output:
    """Return the result of a set operation: columns of all operands, by position or BY NAME."""
    operands = [(name, tree.nodes[name].expression.selects) for name in tree.operands(node.name)]
    by_name = node.expression.args.get("by_name")
    columns = []
    for position, select in enumerate(node.expression.selects):
        name = select.alias_or_name
        reads = []
        for operand, selects in operands:
            names = [each.alias_or_name for each in selects]
            if by_name:
                reads += [(operand, name)] if name in names else []
            elif position < len(names):
                reads.append((operand, names[position]))
        columns.append(OutputColumn(name=name, origin=reads[0], reads=tuple(reads)))
    return Output(
        columns=tuple(columns),
        width_bytes=DEFAULT_WIDTH_BYTES * len(columns),
        limit=_limit(node.expression),
    )


def select_output(node: Node, computations: Sequence[exp.Expr], catalog: Catalog) -> Output:
    """Return the result of a SELECT, whose computations are given."""
    expression = node.expression
    selects = expression.selects
    group_by, sets = _grouping(expression, computations)
    return Output(
        columns=tuple(_output_column(select) for select in selects),
        width_bytes=sum((_width(node, projection, catalog) for projection in selects), 0.0),
        group_by=group_by,
        grouping_sets=sets,
        having=tuple(_having(expression)),
        distinct=expression.args.get("distinct") is not None,
        limit=_limit(expression),
        conditions=_conditions(expression, computations, group_by),
    )


def _output_column(projection: exp.Expr) -> OutputColumn:
    inner = projection.unalias().unnest()
    reads = columns_of(inner)
    origin = reads[0] if isinstance(inner, exp.Column) and reads else None
    return OutputColumn(
        name=projection.alias_or_name,
        origin=origin,
        reads=reads,
        carries=origin or carried_column(inner),
        aggregate=aggregate_name(inner),
    )


def _conditions(
    select: exp.Query, computations: Sequence[exp.Expr], group_by: tuple[ColumnRef, ...] | None
) -> int:
    """Return how many conditions the aggregates of a block test of each row that enters it.

    These are the WHENs of CASE, and FILTER. An average tests twice: stores are asked for sums and
    counts. Aggregates that are written alike are computed once. A window's own function sees the
    groups, where there are any.
    """
    aggregates = {
        each.parent if isinstance(each.parent, exp.Filter) else each
        for each in computations
        if isinstance(each, exp.AggFunc) and _tests_rows(each, grouped=group_by is not None)
    }
    return sum(
        2 if _is_averaged(found) else 1
        for each in aggregates
        for found in each.find_all(exp.If, exp.Filter, exp.CountIf)
        if found.parent_select is select
    )


def _tests_rows(aggregate: exp.Expr, *, grouped: bool) -> bool:
    """Tell whether an aggregate sees a block's rows, and is no part of another that does."""
    above = aggregate.find_ancestor(exp.AggFunc, exp.Select)
    inside = isinstance(above, exp.AggFunc) and not (grouped and _is_of_window(above))
    return not inside and not (grouped and _is_of_window(aggregate))


def _is_of_window(aggregate: exp.Expr) -> bool:
    above = aggregate.parent
    while isinstance(above, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
        above = above.parent
    return isinstance(above, exp.Window)


def _is_averaged(condition: exp.Expr) -> bool:
    if isinstance(condition, exp.Filter):
        return isinstance(condition.this, exp.Avg)
    return isinstance(condition.find_ancestor(exp.Avg, exp.Select), exp.Avg)


def _having(select: exp.Query) -> Iterator[Filter]:
    having = select.args.get("having")
    for conjunct in conjuncts(having.this if having else None):
        yield filter_of(conjunct)


def _width(node: Node, projection: exp.Expr, catalog: Catalog) -> float:
    inner = projection.unalias()
    if isinstance(inner, exp.Column) and inner.table in node.tables:
        table = catalog.tables.get(catalog.spelled(node.tables[inner.table]))
        for column in table.columns if table else ():
            if column.name.lower() == inner.name.lower():
                return column.width_bytes
    return DEFAULT_WIDTH_BYTES


def computations_of(select: exp.Query) -> list[exp.Expr]:
    """Return the window functions and aggregates of a block, but for those of nested queries."""
    clauses = (select.args.get(key) for key in ("having", "qualify", "order"))
    return [
        found
        for part in (*select.selects, *(clause for clause in clauses if clause is not None))
        for found in part.find_all(exp.Window, exp.AggFunc)
        if found.parent_select is select
    ]


def _grouping(
    select: exp.Query, computations: Sequence[exp.Expr]
) -> tuple[tuple[ColumnRef, ...] | None, int]:
    group = select.args.get("group")
    if group is None:
        aggregates = any(
            isinstance(found, exp.AggFunc)
            and isinstance(found.find_ancestor(exp.Window, exp.Select), exp.Select)
            for found in computations
        )
        return ((), 1) if aggregates else (None, 1)
    columns = tuple(dict.fromkeys((c.table, c.name) for c in group.find_all(exp.Column) if c.table))
    if group.find(exp.Cube):
        return columns, 2 ** len(columns)
    if group.find(exp.Rollup):
        return columns, len(columns) + 1
    sets = group.find(exp.GroupingSets)
    return columns, len(sets.expressions) if sets else 1
