"""Casts to whole numbers round, in the engine too."""

from sqlglot import exp

_WHOLE = (exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT)


def round_to_integer(tree: exp.Query) -> exp.Query:
    """Round what is cast to a whole number: DuckDB rounds, Spark cuts off.

    DuckDB rounds halves of a DOUBLE to the even neighbour, which a quotient is, and those of a
    DECIMAL away from zero. The cast to DECIMAL serves text and truth values as well.
    """
    for cast in list(tree.find_all(exp.Cast)):
        if isinstance(cast, exp.TryCast) or not cast.is_type(*_WHOLE):
            continue
        value = cast.this
        inner = value.unnest()
        if isinstance(inner, (exp.Literal, exp.Column, exp.Count, exp.Null)):
            if isinstance(inner, exp.Column):
                cast.set("this", _rounded(value))
        elif isinstance(inner, exp.Div) or inner.is_type(exp.DType.DOUBLE):
            cast.set("this", exp.func("rint", value.copy()))
        else:
            cast.set("this", _rounded(value))
    return tree


def _rounded(value: exp.Expr) -> exp.Expr:
    decimal = exp.cast(value.copy(), exp.DataType.build("DECIMAL(38, 6)"))
    return exp.Round(this=decimal)
