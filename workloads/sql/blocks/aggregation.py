"""Aggregates that can be made of those of groups of a block's rows, and what else the block reads.

Sums, counts, averages, minima and maxima are computed from partial ones (Gray et al., "Data Cube",
ICDE 1996: distributive and algebraic functions).
"""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from workloads.footprint import Aggregation, ColumnRef, Use
from workloads.sql.features import features_within
from workloads.sql.trees.tree import Node, Occurrence
from workloads.sql.typing.expression_kinds import Of
from workloads.sql.typing.types import Types
from workloads.sql.typing.value_kinds import EXACT

_SPLITTABLE = (exp.Sum, exp.Count, exp.Avg, exp.Min, exp.Max)
_PLAIN = {"this", "big_int"}
UNKNOWN = frozenset({"function", "statistic"})
"""Features of which it cannot be told whether they aggregate."""
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
    if features & UNKNOWN or any(each.block is not node for each in occurrences):
        return None
    found = splittable_aggregates(node.expression)
    if not found or any(_is_extreme_of_truth(each, types) for each in found):
        return None
    arguments = {id(column): column for each in found for column in each.find_all(exp.Column)}
    within = dict(_within(conditions))
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
    )


def splittable_aggregates(select: exp.Query) -> list[exp.Expr]:
    """Return the aggregates of a SELECT, each with its FILTER; none if one cannot be split.

    A window function is none of them, what it aggregates or sorts by is. One over rows that are
    not grouped stands in a block without aggregates.
    """
    found: list[exp.Expr] = []
    for each in _own(select):
        if not isinstance(each, exp.AggFunc) or isinstance(each, exp.Grouping):
            continue
        whole = each.parent if isinstance(each.parent, exp.Filter) else each
        if _is_window_function(whole):
            continue
        if not _is_splittable(each) or whole.find(exp.Query) is not None:
            return []
        found.append(whole)
    return found


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


def _is_extreme_of_truth(aggregate: exp.Expr, types: Types) -> bool:
    """Whether it is the least or greatest truth value, which MySQL hands out as a number."""
    inner = aggregate.this if isinstance(aggregate, exp.Filter) else aggregate
    return isinstance(inner, (exp.Min, exp.Max)) and types.of(inner.this).family == "truth"


def _own(select: exp.Query) -> Iterator[exp.Expr]:
    """Yield the nodes of a SELECT without the queries nested in it."""
    return select.walk(prune=lambda each: each is not select and isinstance(each, exp.Query))


def _is_window_function(node: exp.Expr) -> bool:
    while isinstance(node.parent, (exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)):
        node = node.parent
    return isinstance(node.parent, exp.Window) and node.arg_key == "this"


def _is_splittable(aggregate: exp.Expr) -> bool:
    given = {key for key, value in aggregate.args.items() if value}
    return (
        isinstance(aggregate, _SPLITTABLE)
        and "this" in given <= _PLAIN
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
