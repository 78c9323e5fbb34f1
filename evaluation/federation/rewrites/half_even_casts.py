"""Casts of doubles to whole numbers where halves would be rounded up."""

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Kinds, noted

_WHOLE = (exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT)


def half_even_casts(tree: exp.Query) -> exp.Query:
    """Round halves of a DOUBLE to the even neighbour before it becomes a whole number.

    DuckDB does. A value that holds a query is left as it is, since it is written several times.
    """
    of = Kinds(noted)
    for cast in list(tree.find_all(exp.Cast)):
        value = cast.this
        if isinstance(cast, exp.TryCast) or not cast.is_type(*_WHOLE) or value.find(exp.Query):
            continue
        inner = value.unnest()
        if isinstance(inner, exp.Round) and inner.args.get("decimals") is None:
            continue
        if isinstance(inner, exp.Div) or of(value).family == "double":
            cast.set("this", _half_even(value))
    return tree


def _half_even(value: exp.Expr) -> exp.Expr:
    cut = exp.func("TRUNCATE", value.copy())
    beyond = exp.Abs(this=exp.Sub(this=exp.paren(value.copy()), expression=cut))
    is_half = exp.EQ(this=beyond, expression=exp.Literal.number("0.5"))
    halved = exp.Div(
        this=exp.paren(value.copy()), expression=exp.Literal.number(2), typed=True, safe=False
    )
    even = exp.Mul(this=exp.Round(this=halved), expression=exp.Literal.number(2))
    return exp.Case().when(is_half, even).else_(exp.Round(this=value.copy()))
