"""Aggregates that mean the same in every system."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from workloads.sql.features.arguments import (
    COMPUTED,
    Check,
    argument,
    feature,
    other_than,
    taking,
)
from workloads.sql.typing.expression_kinds import PARTIAL, Of

_ORDERED = frozenset({*COMPUTED, "float", "text", "date", "timestamp", "truth"})
_WIDEST = 38


def _total(node: exp.Expr, of: Of) -> Iterator[str]:
    kind = of(argument(node))
    yield from other_than(COMPUTED, kind)
    # Of what is computed the digits are those that it might have, not those that it has.
    column = argument(node).unnest()
    whole_column = isinstance(column, exp.Column) and PARTIAL not in column.meta
    if whole_column and kind.family in ("decimal", "huge") and kind.digits >= _WIDEST:
        yield "wide_sum"


def _count(node: exp.Expr, of: Of) -> Iterator[str]:
    if isinstance(node.this, exp.Distinct):
        if len(node.this.expressions) != 1:
            yield "function"
        elif not isinstance(argument(node), exp.Tuple):
            yield from other_than(_ORDERED, of(argument(node)))


def _extreme(node: exp.Expr, of: Of) -> Iterator[str]:
    if node.args.get("count") or node.expressions:
        yield "function"
    else:
        yield from other_than(_ORDERED, of(argument(node)))


def _texts_of_group(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "text_aggregate"


def _grouping(node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "grouping"
    if isinstance(node.find_ancestor(exp.Having, exp.Query), exp.Having):
        yield "grouping_in_having"


def _percentile(node: exp.Expr, of: Of) -> Iterator[str]:
    yield "statistic"
    share = node.args.get("expression")
    if isinstance(node, exp.PercentileCont) and not isinstance(share, exp.Literal):
        yield "function"
    kind = of(argument(node))
    if kind.family == "decimal":
        # DuckDB cuts off between two decimals, others round.
        yield "function"
    yield from other_than(COMPUTED, kind)


_COMPUTED_DEVIATION = taking(COMPUTED)


def _deviation(node: exp.Expr, of: Of) -> Iterator[str]:
    if isinstance(node.this, exp.Distinct):
        yield "statistic"
    yield from _COMPUTED_DEVIATION(node, of)


AGGREGATES: Mapping[type[exp.Expr], Check] = {
    exp.Count: _count,
    exp.Sum: _total,
    exp.Avg: taking(COMPUTED),
    **dict.fromkeys((exp.Min, exp.Max), _extreme),
    **dict.fromkeys(
        (exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop),
        _deviation,
    ),
    **dict.fromkeys((exp.LogicalAnd, exp.LogicalOr), taking(frozenset({"truth"}))),
    exp.GroupConcat: _texts_of_group,
    **dict.fromkeys((exp.Median, exp.PercentileCont), _percentile),
    **dict.fromkeys((exp.Corr, exp.CovarPop, exp.CovarSamp), feature("correlation")),
    exp.Grouping: _grouping,
}
