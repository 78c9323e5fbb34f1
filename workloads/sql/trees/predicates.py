"""Conjuncts of a WHERE or ON clause as plain filters and joins."""

from collections.abc import Hashable
from dataclasses import replace

from sqlglot import Dialect, exp

from workloads.footprint import ColumnRef, Filter, Join, JoinKind, Ordering
from workloads.sql.trees.constants import constant

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_TESTS = (exp.Is, exp.Like, exp.ILike, exp.In, exp.Between, *_COMPARISONS)
_NUMBERING = (
    *(exp.Count, exp.CountIf, exp.ApproxDistinct, exp.RegrCount, exp.Grouping, exp.GroupingId),
    *(exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile),
)
_IMPLIED = "implied"
_DUCKDB = Dialect.get_or_raise("duckdb")
_OPERATORS: dict[type[exp.Expr], Ordering] = {
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
_FLIPPED = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE}


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """Return the parts of a conjunction, without their parentheses."""
    if condition is None:
        return []
    condition = condition.unnest()
    if not isinstance(condition, exp.And):
        return [condition]
    return [part for side in condition.flatten() for part in conjuncts(side)]


def meaning(condition: exp.Expr) -> Hashable:
    """Return what is equal for conditions that differ in the order of operands alone."""
    node = condition.unnest()
    if isinstance(node, (exp.And, exp.Or)):
        return type(node), frozenset(meaning(operand) for operand in node.flatten())
    if isinstance(node, (exp.EQ, exp.NEQ)):
        return type(node), frozenset((node.left.unnest(), node.right.unnest()))
    if type(node) in _FLIPPED:
        left, right = node.this.unnest(), node.args["expression"].unnest()
        if isinstance(node, (exp.GT, exp.GTE)):
            left, right = right, left
        return isinstance(node, (exp.GTE, exp.LTE)), left, right
    return node


def join_of(conjunct: exp.Expr, kind: JoinKind = "inner") -> Join | None:
    """Return the join that an equality between two relations is, if it is one.

    Each side reads one column, which it may compute something from: ``CAST(a.x AS DATE) = b.y``
    joins ``a.x`` and ``b.y``. A side of several columns, or with a query in it, joins nothing.
    """
    if not isinstance(conjunct, (exp.EQ, exp.NullSafeEQ)):
        return None
    left, right = conjunct.left.unnest(), conjunct.right.unnest()
    ends = carried_column(left), carried_column(right)
    if ends[0] is None or ends[1] is None or ends[0][0] == ends[1][0]:
        return None
    bare = isinstance(left, exp.Column) and isinstance(right, exp.Column)
    return Join(
        left=ends[0],
        right=ends[1],
        kind=kind,
        computed=not bare,
        nulls_match=isinstance(conjunct, exp.NullSafeEQ),
    )


def merged_joins(conjunct: exp.Expr, kind: JoinKind = "inner") -> tuple[Join, ...]:
    """Return the joins that ``coalesce(a.x, b.x) = c.x`` stands for: of a with c, and of b."""
    if not isinstance(conjunct, (exp.EQ, exp.NullSafeEQ)):
        return ()
    sides = conjunct.left.unnest(), conjunct.right.unnest()
    merged, other = sides if isinstance(sides[0], exp.Coalesce) else sides[::-1]
    if not isinstance(merged, exp.Coalesce):
        return ()
    columns = [carried_column(each) for each in (merged.this, *merged.expressions)]
    added = carried_column(other)
    if added is None or not merged.expressions or not all(columns):
        return ()
    return tuple(
        Join(left=column, right=added, kind=kind, computed=True)
        for column in columns
        if column is not None and column[0] != added[0]
    )


def carried_column(node: exp.Expr) -> ColumnRef | None:
    """Return the one column that an expression stands for: that it reads and no other.

    None for what reads none or several, counts or ranks, or has a query in it.
    """
    if isinstance(node, exp.Column):
        return (node.table, node.name) if node.table else None
    columns = columns_of(node)
    if len(columns) != 1 or node.find(exp.Query, *_NUMBERING) is not None:
        return None
    return columns[0]


def marked_implied(conjunct: exp.Expr) -> exp.Expr:
    """Return a conjunct, marked as one that others of the query imply."""
    conjunct.unnest().meta[_IMPLIED] = True
    return conjunct


def orderings(conjunct: exp.Expr) -> tuple[tuple[exp.Column, Ordering, exp.Column], ...]:
    """Return the whole columns that a conjunct compares by order, with the operators between.

    ``x BETWEEN y AND z`` is (x, '>=', y) and (x, '<=', z). Where one of the sides is no column
    there is none.
    """
    found: list[tuple[exp.Column, Ordering, exp.Column]] = []
    sides: list[tuple[Ordering, exp.Expr]] = []
    node = conjunct.unnest()
    if isinstance(node, exp.Between):
        sides = [(">=", node.args["low"]), ("<=", node.args["high"])]
    elif operator := _OPERATORS.get(type(node)):
        sides = [(operator, node.args["expression"])]
    for operator, side in sides:
        left, right = node.this.unnest(), side.unnest()
        if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
            return ()
        found.append((left, operator, right))
    return tuple(found)


def filter_of(conjunct: exp.Expr) -> Filter:
    """Describe one conjunct as a filter; what is not simple is of kind 'other'.

    The conjunct is consumed, unless it has a query in it: writing SQL rewrites syntax in place.
    """
    pairs = orderings(conjunct)
    ordered = tuple(((x.table, x.name), operator, (y.table, y.name)) for x, operator, y in pairs)
    found = replace(_filter(conjunct), ordered=ordered)
    has_query = conjunct.find(exp.Query) is not None
    is_implied = bool(conjunct.unnest().meta.get(_IMPLIED))
    return replace(
        found, is_implied=is_implied, sql=_DUCKDB.generate(conjunct, copy=has_query, comments=False)
    )


def aggregate_name(node: exp.Expr) -> str | None:
    """Return what an aggregate is called, such as 'sum' or 'count_distinct'; None for others."""
    if not isinstance(node, exp.AggFunc):
        return None
    distinct = isinstance(node.this, exp.Distinct)
    return f"{node.key}_distinct" if distinct else node.key


def _filter(conjunct: exp.Expr) -> Filter:
    node = conjunct.unnest()
    columns = columns_of(node)
    if isinstance(node, exp.Not):
        return _negated(_filter(node.this))
    if isinstance(node, exp.NEQ) or node.args.get("negate"):  # sqlglot's NOT LIKE
        equal = _tested(node, columns)
        return equal if equal.kind == "other" else _negated(equal)
    if isinstance(node, exp.Or):
        arms = tuple(tuple(_filter(part) for part in conjuncts(arm)) for arm in node.flatten())
        return Filter(columns=columns, kind="other", alternatives=arms)
    return _tested(node, columns)


def _negated(inner: Filter) -> Filter:
    if inner.kind == "null":
        return Filter(columns=inner.columns, kind="not_null")
    return Filter(columns=inner.columns, kind="not", alternatives=((inner,),))


def _tested(node: exp.Expr, columns: tuple[ColumnRef, ...]) -> Filter:
    """Describe a test of one column, or of one aggregate, against constants; <> as = is."""
    other = Filter(columns=columns, kind="other")
    if not isinstance(node, _TESTS) or node.find(exp.Query) is not None:
        return other
    sides = [side.unnest() for side in (node.this, node.args.get("expression")) if side is not None]
    aggregates = list(node.find_all(exp.AggFunc))
    if aggregates:
        (aggregate, *others) = aggregates
        alone = not others and any(side is aggregate for side in sides)
        if not alone or columns_of(aggregate) != columns:
            return other
        found = _simple(node, columns, aggregate)
        return replace(found or other, aggregate=aggregate_name(aggregate))
    if len(columns) != 1:
        return other
    column = next((side for side in sides if isinstance(side, exp.Column)), None)
    return _simple(node, columns, column) or other


def _simple(
    node: exp.Expr, columns: tuple[ColumnRef, ...], operand: exp.Expr | None
) -> Filter | None:
    """Return the filter that a test is; None for one that computes or whose bounds are unknown."""
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        # An expression over columns without a value may have one: COALESCE has.
        return None if operand is None else Filter(columns=columns, kind="null")
    if isinstance(node, (exp.Like, exp.ILike)):
        return Filter(columns=columns, kind="like", values=(constant(node.expression),))
    found: Filter | None = None
    if operand is None:
        pass
    elif isinstance(node, exp.In) and node.expressions:
        values = tuple(constant(value) for value in node.expressions)
        found = Filter(columns=columns, kind="in", values=values)
    elif isinstance(node, exp.Between):
        bounds = constant(node.args["low"]), constant(node.args["high"])
        found = None if None in bounds else Filter(columns=columns, kind="range", values=bounds)
    elif isinstance(node, _COMPARISONS):
        found = _comparison(node, columns, operand)
    return found


def _comparison(
    node: exp.Binary, columns: tuple[ColumnRef, ...], operand: exp.Expr
) -> Filter | None:
    operator, value = type(node), node.right
    if node.left.unnest() is not operand:
        operator, value = _FLIPPED.get(operator, operator), node.left
    bound = constant(value)
    if operator in (exp.EQ, exp.NEQ):
        return Filter(columns=columns, kind="eq", values=(bound,))
    if bound is None:
        return None
    values = (bound, None) if operator in (exp.GT, exp.GTE) else (None, bound)
    return Filter(columns=columns, kind="range", values=values)


def columns_of(node: exp.Expr) -> tuple[ColumnRef, ...]:
    """Return the qualified columns that an expression reads, each once, in order.

    Columns that a query inside of it takes from its own FROM clause are not among them.
    """
    found = {
        (column.table, column.name): None
        for column in node.find_all(exp.Column)
        if column.table and not is_bound(column, node)
    }
    return tuple(found)


def is_bound(column: exp.Column, top: exp.Expr) -> bool:
    """Whether a query between `column` and `top` has a relation of the column's qualifier."""
    above = None if column is top else column.parent
    while above is not None and above is not top:
        if isinstance(above, exp.Select) and column.table in source_names(above):
            return True
        above = above.parent
    return False


def source_names(select: exp.Select) -> set[str]:
    """Return how the relations are called that a SELECT reads itself."""
    from_ = select.args.get("from_")
    joined = [join.this for join in select.args.get("joins") or ()]
    relations = [*([from_.this] if from_ else []), *joined, *(select.args.get("laterals") or ())]
    return {relation.alias_or_name for relation in relations}
