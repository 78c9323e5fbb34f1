"""The features of blocks: what they group, join, limit and refer to."""

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from workloads.sql.features.constructs import features_within
from workloads.sql.features.correlation import correlation_features
from workloads.sql.features.grand_totals import grouping_keys, is_markable
from workloads.sql.features.met_values import cut_decimals
from workloads.sql.trees.predicates import conjuncts
from workloads.sql.trees.tree import Node, Occurrence, QueryTree
from workloads.sql.typing.expression_kinds import Of
from workloads.sql.typing.types import Schema, Types, typed_by

_METHODS = frozenset({"ASOF", "POSITIONAL"})


def block_features(
    tree: QueryTree, types: Types, occurrences: Sequence[Occurrence]
) -> Mapping[str, frozenset[str]]:
    """Return block → what not every system runs in it, without the blocks nested in it.

    `occurrences` are the columns of the tree (`QueryTree.occurrences`).
    """
    outward = correlation_features(tree, types, occurrences)
    return {
        name: features_within(node.expression, types.of)
        | frozenset(_of_block(tree, node, types))
        | outward.get(name, frozenset())
        for name, node in tree.nodes.items()
    }


def lacked_by(tree: exp.Query, lacks: frozenset[str], schema: Schema) -> frozenset[str]:
    """Return the features of a query, with all that is nested in it, that a system lacks.

    `lacks` are the features that the system lacks. `schema` maps each relation that the query reads
    to its columns and their types in DuckDB, all names in lower case: the views of fragments, for a
    combining query. The tree is left as it is.
    """
    if not lacks:
        return frozenset()
    blocks = QueryTree(tree)
    found = block_features(blocks, Types(blocks, typed_by(schema)), blocks.occurrences())
    return frozenset[str]().union(*found.values()) & lacks


def _of_block(tree: QueryTree, node: Node, types: Types) -> Iterator[str]:
    expression = node.expression
    yield from _limits(node)
    if isinstance(expression, exp.SetOperation):
        yield from _set_operation(tree, node, types)
        return
    if node.recursive:
        yield "recursion"
    yield from _clauses(expression)
    yield from _groups(expression)
    yield from _joins(node, types.of)
    for relation in node.relations.values():
        yield from _relation(relation)


def _limits(node: Node) -> Iterator[str]:
    limit, offset = node.expression.args.get("limit"), node.expression.args.get("offset")
    for each in (limit, offset):
        if each is None:
            continue
        count = each.args.get("expression") if not isinstance(each, exp.Fetch) else None
        if not isinstance(count, exp.Literal) or count.is_string or not count.name.isdigit():
            yield "limit_expression"
    if offset is not None and limit is None:
        yield "offset_without_limit"
    if offset is not None and _has_distinct_constants(node.expression):
        yield "skipped_constants"
    inside = node.expression.parent
    while isinstance(inside, (exp.Subquery, exp.Paren)):
        inside = inside.parent
    if limit is not None and isinstance(inside, (exp.In, exp.Any, exp.All)):
        yield "limit_in_subquery"


def _has_distinct_constants(query: exp.Query) -> bool:
    if not isinstance(query, exp.Select) or not query.args.get("distinct"):
        return False
    outer = (
        output.walk(prune=lambda each: isinstance(each, exp.Query)) for output in query.selects
    )
    return not any(isinstance(node, (exp.Column, exp.Star)) for nodes in outer for node in nodes)


def _set_operation(tree: QueryTree, node: Node, types: Types) -> Iterator[str]:
    expression = node.expression
    if isinstance(expression, (exp.Intersect, exp.Except)):
        yield expression.key
        if not expression.args.get("distinct"):
            yield "repeated_rows"
    if expression.args.get("by_name"):
        yield "set_by_name"
    operands = [tree.nodes[name].expression for name in tree.operands(node.name)]
    sides = [types.columns(name) for name in tree.operands(node.name)]
    for position, pair in enumerate(zip(*sides, strict=False)):
        families = {each.family for each in pair} - {"any"}
        if (
            "null" in families
            and "text" not in families
            and not all(
                _takes_null(operand, position)
                for operand, kind in zip(operands, pair, strict=True)
                if kind.family == "null"
            )
        ):
            yield "mixed_columns"
        elif "unknown" in families:
            yield "unknown_type"
        else:
            yield from _alike(families - {"null"})
            yield from cut_decimals(pair)


def _takes_null(operand: exp.Query, position: int) -> bool:
    """Whether a column of NULL alone gets the other operand's type: it is no text on its own."""
    if not isinstance(operand, exp.Select) or operand.args.get("distinct"):
        return False
    return isinstance(operand.selects[position].unalias().unnest(), exp.Null)


def _alike(families: set[str]) -> Iterator[str]:
    exact = families <= {"whole", "huge", "decimal", "double"}
    if len(families) > 1 and not exact:
        yield "mixed_columns"


def _clauses(select: exp.Query) -> Iterator[str]:
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        yield "distinct_on"
    if select.args.get("qualify"):
        yield "qualify"
    if select.args.get("windows"):
        yield "named_window"
    if select.args.get("sample"):
        yield "sample"
    if len({_over(each) for each in _windows(select)}) > 1:
        yield "several_windows"
    for key in ("connect", "match", "kind", "hint", "into", "locks", "pivots", "cluster", "sort"):
        if select.args.get(key):
            yield "function"


def _windows(select: exp.Query) -> Iterator[exp.Expr]:
    parts = [*select.selects, select.args.get("order"), select.args.get("qualify")]
    for part in parts:
        for each in part.find_all(exp.Window) if part is not None else ():
            if each.parent_select is select:
                yield each


def _over(window: exp.Expr) -> tuple[object, ...]:
    """Return how a window parts and sorts its rows."""
    return tuple(window.args.get("partition_by") or ()), window.args.get("order")


def _groups(select: exp.Query) -> Iterator[str]:
    group = select.args.get("group")
    if group is not None and group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
        yield "rollup"
        if not is_markable(select):
            yield "grouping_sets_over_no_rows"
        if not all(key.find(exp.Column) for key in grouping_keys(group)):
            yield "constant_in_grouping_sets"
    if group is not None and group.args.get("totals"):
        yield "function"
    having = select.args.get("having")
    if having is not None:
        yield from _having(having, group)


def _having(having: exp.Expr, group: exp.Expr | None) -> Iterator[str]:
    keys = {each.unnest() for each in group.expressions} if group is not None else set()
    for column in having.find_all(exp.Column):
        inside = column.find_ancestor(exp.AggFunc, exp.Query, exp.Having)
        if isinstance(inside, exp.Having) and column not in keys:
            yield "having_expression"


def _joins(node: Node, of: Of) -> Iterator[str]:
    semi = False
    for join in node.joins:
        semi = semi or join.kind in ("SEMI", "ANTI")
        condition = join.args.get("on")
        if join.method in _METHODS or join.args.get("match_condition"):
            yield "join_method"
        if join.side in ("RIGHT", "FULL") and semi:
            yield "semi_join_order"
        if join.side == "FULL":
            yield "full_join"
            if not all(_is_equality(each, of) for each in conjuncts(condition)) or not condition:
                yield "full_join_condition"
        outer = join.side or join.kind in ("SEMI", "ANTI")
        if outer and condition is not None and condition.find(exp.Query):
            yield "subquery_in_join_condition"


def _is_equality(condition: exp.Expr, of: Of) -> bool:
    if not isinstance(condition, exp.EQ):
        return False
    left, right = condition.left.unnest(), condition.right.unnest()
    if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
        return False
    return left.table != right.table and of(left) == of(right)


def _relation(relation: exp.Expr) -> Iterator[str]:
    if isinstance(relation, exp.Lateral):
        yield "lateral" if isinstance(relation.this, exp.Subquery) else "function"
    elif isinstance(relation, exp.Values):
        yield "values"
    elif isinstance(relation, exp.Table):
        if not isinstance(relation.this, exp.Identifier):
            yield "function"
    elif not isinstance(relation, exp.Subquery):
        yield "function"
    if relation.args.get("sample") or isinstance(relation, exp.TableSample):
        yield "sample"
    if relation.args.get("ordinality") or relation.args.get("when"):
        yield "function"
