"""Aggregates that can be made of those of groups of a block's rows, and what else the block reads.

Sums, counts, averages, minima and maxima are computed from partial ones (Gray et al., "Data Cube",
ICDE 1996: distributive and algebraic functions). DISTINCT, and groups without aggregates, are made
of distinct rows.
"""

from collections.abc import Collection, Iterator, Sequence

from sqlglot import exp

from workloads.footprint import Aggregation, ColumnRef, Use
from workloads.sql.features import features_within
from workloads.sql.trees.clauses import given
from workloads.sql.trees.tree import Node, Occurrence
from workloads.sql.typing.expression_kinds import Of
from workloads.sql.typing.types import Types
from workloads.sql.typing.value_kinds import EXACT

_SPLITTABLE = (exp.Sum, exp.Count, exp.Avg, exp.Min, exp.Max)
_EXTREMES = (exp.Min, exp.Max)
_PLAIN = {"this", "big_int"}
UNKNOWN = frozenset({"function", "statistic"})
"""Features of which it cannot be told whether they aggregate."""
_KEEPING = UNKNOWN | {"sample"}
"""Features by which it counts how often a row comes, or may."""
_COMPARED = (
    *(exp.Predicate, exp.Alias, exp.Select, exp.Ordered, exp.Window, exp.Tuple),
    *(exp.Group, exp.Rollup, exp.Cube, exp.GroupingSets),
)
"""Parents of a column that hand on its value, or compare it: 0.0 equals -0.0 there."""
_NEVER = frozenset({"*"})
"""`Use.within` of what leaves a fragment in any case: no alias is called so."""


def aggregation_of(
    node: Node,
    occurrences: Sequence[Occurrence],
    conditions: Sequence[tuple[exp.Expr, frozenset[str]]],
    features: frozenset[str],
    types: Types,
) -> Aggregation | None:
    """Return what a block aggregates; None if not all of it can be made of groups' aggregates.

    `occurrences` are the columns of its relations, `features` those of the block. `conditions` are
    its conjuncts, each with the relation that it adds in an outer join.
    """
    if features & _KEEPING or any(each.block is not node for each in occurrences):
        return None
    found = splittable_aggregates(node.expression, node.inputs)
    is_distinct = not found and counts_equal_rows_once(node.expression)
    if not (found or is_distinct) or any(_is_extreme_of_truth(each, types) for each in found):
        return None
    arguments = {id(column): column for each in found for column in each.find_all(exp.Column)}
    within = dict(_within(conditions))
    # What is read of one source alone in a condition leaves with it, and is in no group. Not so
    # where the store lacks a feature of the condition, and any that it has may be lacked.
    may_stay = {
        id(column)
        for condition, _ in conditions
        if features_within(condition, types.of)
        for column in condition.find_all(exp.Column)
    }
    grouped = [
        each.column
        for each in occurrences
        if id(each.column) not in arguments
        and each.column.table in node.tables
        and (
            within.get(id(each.column)) != frozenset({each.column.table})
            or id(each.column) in may_stay
        )
    ]
    if any(_tells_equal_values_apart(column, types) for column in grouped):
        return None
    uses = {
        Use(column=_ref(each.column), within=within.get(id(each.column), _NEVER)): None
        for each in occurrences
        if id(each.column) not in arguments
    }
    return Aggregation(
        arguments=tuple(dict.fromkeys(map(_ref, arguments.values()))),
        partials=len({partial for each in found for partial in partials_of(each, types.of)}),
        uses=tuple(uses),
        features=frozenset[str]().union(*(features_within(each, types.of) for each in found)),
        distinct=is_distinct,
    )


def splittable_aggregates(select: exp.Query, inputs: Collection[str] = ()) -> list[exp.Expr]:
    """Return the aggregates of a SELECT, each with its FILTER; none if one cannot be split.

    A window function is none of them, what it aggregates or sorts by is. One over rows that are
    not grouped stands in a block without aggregates. Nor is a minimum or maximum of what `inputs`
    alone return: groups of other relations' rows leave it as it is.
    """
    found: list[exp.Expr] = []
    for each in _own(select):
        if not isinstance(each, exp.AggFunc) or isinstance(each, exp.Grouping):
            continue
        whole = each.parent if isinstance(each.parent, exp.Filter) else each
        if _is_window_function(whole) or _is_extreme_of(inputs, whole):
            continue
        if not _is_splittable(each) or whole.find(exp.Query) is not None:
            return []
        found.append(whole)
    return found


def counts_equal_rows_once(select: exp.Query) -> bool:
    """Whether a SELECT returns the same however often a row comes that it reads.

    It has no aggregates, and DISTINCT or groups. Operands of set operations that are not of ALL
    rows are DISTINCT by then (`canonical.implied.distinct_operands`).
    """
    if not isinstance(select, exp.Select):
        return False
    clauses = given(select)
    # HAVING alone makes one group of all rows.
    if "group" not in clauses and ("distinct" not in clauses or "having" in clauses):
        return False
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        return False
    return not any(isinstance(each, (exp.AggFunc, exp.Window)) for each in _own(select))


def partials_of(aggregate: exp.Expr, of: Of) -> tuple[exp.Expr, ...]:
    """Return the aggregates of a group that an aggregate is made of: for an average two."""
    inner = aggregate.this if isinstance(aggregate, exp.Filter) else aggregate
    if not isinstance(inner, exp.Avg):
        return (aggregate,)
    value = inner.this.copy()
    is_exact = of(inner.this).family in EXACT
    total = exp.Sum(this=value if is_exact else exp.cast(value, exp.DType.DOUBLE))
    number = exp.Count(this=_counted(inner.this).copy(), big_int=True)
    if inner is aggregate:
        return total, number
    condition = aggregate.expression
    return (
        exp.Filter(this=total, expression=condition.copy()),
        exp.Filter(this=number, expression=condition.copy()),
    )


def _counted(value: exp.Expr) -> exp.Expr:
    """Return what is NULL where `value` is: a cast never makes a NULL."""
    return value.this if type(value) is exp.Cast else value


def _tells_equal_values_apart(column: exp.Column, types: Types) -> bool:
    """Whether what is computed of a column may differ for values that one group has.

    A month equals 30 days, and 0.0 equals -0.0.
    """
    family = types.of(column).family
    if family == "interval":
        return True
    above = column.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    return family in ("float", "double") and not isinstance(above, _COMPARED)


def _is_extreme_of_truth(aggregate: exp.Expr, types: Types) -> bool:
    """Whether it is the least or greatest truth value, which MySQL hands out as a number."""
    inner = aggregate.this if isinstance(aggregate, exp.Filter) else aggregate
    return isinstance(inner, _EXTREMES) and types.of(inner.this).family == "truth"


def _is_extreme_of(inputs: Collection[str], aggregate: exp.Expr) -> bool:
    """Whether it is the least or greatest of values of these relations alone."""
    inner = aggregate.this if isinstance(aggregate, exp.Filter) else aggregate
    if not isinstance(inner, _EXTREMES) or aggregate.find(exp.Query) is not None:
        return False
    tables = {column.table for column in aggregate.find_all(exp.Column)}
    return bool(tables) and tables <= set(inputs)


def _own(select: exp.Query) -> Iterator[exp.Expr]:
    """Yield the nodes of a SELECT without the queries nested in it."""
    return select.walk(prune=lambda each: each is not select and isinstance(each, exp.Query))


def _is_window_function(node: exp.Expr) -> bool:
    while isinstance(node.parent, (exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)):
        node = node.parent
    return isinstance(node.parent, exp.Window) and node.arg_key == "this"


def _is_splittable(aggregate: exp.Expr) -> bool:
    clauses = given(aggregate)
    return (
        isinstance(aggregate, _SPLITTABLE)
        and "this" in clauses <= _PLAIN
        and not isinstance(aggregate.this, (exp.Distinct, exp.Order, exp.Limit, exp.HavingMax))
        and not isinstance(aggregate.parent, (exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup))
        and aggregate.this.find(exp.AggFunc, exp.Window) is None
    )


def _within(
    conditions: Sequence[tuple[exp.Expr, frozenset[str]]],
) -> Iterator[tuple[int, frozenset[str]]]:
    for condition, added in conditions:
        if condition.find(exp.Query) is not None:
            continue
        columns = list(condition.find_all(exp.Column))
        together = added.union(column.table for column in columns)
        yield from ((id(column), together) for column in columns)


def _ref(column: exp.Column) -> ColumnRef:
    return column.table, column.name
