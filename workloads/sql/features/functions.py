"""Functions and aggregates that mean the same in every system, by their arguments' types."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from workloads.sql.features.aggregates import AGGREGATES
from workloads.sql.features.arguments import (
    COMPUTED,
    Check,
    feature,
    is_count,
    other_than,
    taking,
)
from workloads.sql.features.casts import cast_features
from workloads.sql.features.date_functions import DATE_FUNCTIONS
from workloads.sql.features.text_functions import TEXT_FUNCTIONS
from workloads.sql.typing.expression_kinds import Of

_MOST_DIGITS = 15


def _round(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from other_than(COMPUTED, of(node.this))
    digits = node.args.get("decimals")
    if digits is not None and not is_count(digits, _MOST_DIGITS):
        yield "rounded_digits"


def _floor(node: exp.Expr, of: Of) -> Iterator[str]:
    kind = of(node.this)
    if node.args.get("decimals") or node.args.get("to"):
        yield "rounded_digits"
    if kind.family == "double":
        yield "floor_of_double"
    yield from other_than(COMPUTED, kind)


def _log(node: exp.Expr, of: Of) -> Iterator[str]:
    value = node.args.get("expression") or node.this
    yield from other_than(COMPUTED, of(value))
    if value is not node.this and not is_count(node.this):
        yield "logarithm"
    if of(value).family == "double":
        yield "logarithm"


FUNCTIONS: Mapping[type[exp.Expr], Check] = {
    **dict.fromkeys((exp.Cast, exp.TryCast), cast_features),
    **AGGREGATES,
    **TEXT_FUNCTIONS,
    **DATE_FUNCTIONS,
    **dict.fromkeys((exp.Abs, exp.Sqrt), taking(COMPUTED)),
    # The sign of what is no number is 0 in DuckDB, and no number in Spark.
    exp.Sign: taking(COMPUTED - {"double"}, others="function"),
    exp.Ln: taking(COMPUTED),
    exp.Log: _log,
    exp.Exp: taking(COMPUTED, "exponential"),
    exp.Pow: feature("exponential"),
    exp.Round: _round,
    **dict.fromkeys((exp.Ceil, exp.Floor), _floor),
    exp.Trunc: _floor,
}
