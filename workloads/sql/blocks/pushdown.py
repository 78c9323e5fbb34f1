"""Through which columns of a block's result a filter may be pushed down.

What counts is that the rows with a value of such a column are made of rows with that value alone:
then dropping others before the block is computed changes no row that the filter keeps.
"""

from collections.abc import Collection, Sequence

from sqlglot import exp

from workloads.footprint import ColumnRef, Output, OutputColumn
from workloads.sql.blocks.aggregation import UNKNOWN
from workloads.sql.trees.clauses import given
from workloads.sql.trees.tree import Node, QueryTree

# What is not named here, such as LIMIT or a sample, looks at more than one row's values.
_OF_SELECT = frozenset(
    {
        *("with_", "expressions", "from_", "joins", "where", "group", "having"),
        *("qualify", "windows", "distinct", "order"),
    }
)
_OF_SET = frozenset({"with_", "this", "expression", "distinct", "by_name", "order"})
_OF_RELATION = frozenset({"this", "alias", "db", "catalog", "materialized"})
_OF_GROUP = frozenset({"expressions"})
_WRAPPERS = (exp.CTE, exp.Subquery, exp.Paren)


def plainly_read(tree: QueryTree) -> frozenset[str]:
    """Return the blocks that are read as they are: not sampled, cut off or renamed on the way."""
    otherwise = {
        name
        for node in tree.nodes.values()
        for alias, name in node.inputs.items()
        if not _is_plain(node.relations[alias], tree.nodes[name])
    }
    return frozenset(
        name
        for name, node in tree.nodes.items()
        if name not in otherwise and _is_plainly_wrapped(node)
    )


def pushed_through_set(node: Node, column: OutputColumn) -> tuple[ColumnRef, ...]:
    """Return the operands' columns that a filter of a set operation's column may be pushed to.

    Union, intersection and difference make rows with a value of rows with that value.
    """
    return column.reads if is_plain_set(node.expression) else ()


def pushed_through_select(
    node: Node,
    output: Output,
    column: OutputColumn,
    *,
    computations: Sequence[exp.Expr],
    features: frozenset[str],
    nullable: Collection[str],
) -> tuple[ColumnRef, ...]:
    """Return the column that a filter of a SELECT's column may be pushed to; none where it may not.

    `computations` are its aggregates and window functions, `features` what it has of
    `Block.features`, `nullable` the aliases that an outer join may fill with NULL: a row dropped
    there may make another one.
    """
    ref, select = column.origin, node.expression
    if ref is None or ref[0] in nullable or features & UNKNOWN:
        return ()
    if not is_plain_select(select) or not _is_in_groups(select, output, ref):
        return ()
    windows = (each for each in computations if isinstance(each, exp.Window))
    partitioned = all(ref in _columns(each.args.get("partition_by") or ()) for each in windows)
    return (ref,) if partitioned else ()


def is_plain_set(operation: exp.Expr) -> bool:
    """Whether a set operation hands on what it makes of its operands, and of all of that."""
    return given(operation) <= _OF_SET


def is_plain_select(select: exp.Expr) -> bool:
    """Whether a SELECT is neither cut off nor sampled, and does not choose among equal rows."""
    distinct = select.args.get("distinct")
    return given(select) <= _OF_SELECT and not (distinct and distinct.args.get("on"))


def is_plain_relation(relation: exp.Expr) -> bool:
    """Whether a query in parentheses is read as it is."""
    return given(relation) <= _OF_RELATION


def _is_in_groups(select: exp.Query, output: Output, ref: ColumnRef) -> bool:
    """Whether all rows of a group have the same value of a column; each row is a group of none."""
    group = select.args.get("group")
    if group is None:
        return output.group_by is None and not select.args.get("having")
    # Sets of keys are among the expressions in some dialects: their groups lack keys.
    sets = group.find(exp.Rollup, exp.Cube, exp.GroupingSets)
    return sets is None and given(group) <= _OF_GROUP and ref in _columns(group.expressions)


def _columns(expressions: Sequence[exp.Expr]) -> set[ColumnRef]:
    found = (each.unnest() for each in expressions)
    return {(each.table, each.name) for each in found if isinstance(each, exp.Column)}


def _is_plainly_wrapped(node: Node) -> bool:
    wrapper = node.expression.parent
    while isinstance(wrapper, _WRAPPERS):
        if not _is_plain(wrapper, node):
            return False
        wrapper = wrapper.parent
    return True


def _is_plain(relation: exp.Expr, block: Node) -> bool:
    """Whether a relation hands on the rows of a block, and its columns under their names."""
    alias = relation.args.get("alias")
    renamed = [each.name for each in alias.args.get("columns") or ()] if alias else []
    names = [each.alias_or_name for each in block.expression.selects]
    return is_plain_relation(relation) and renamed in ([], names)
