"""Casts to whole numbers round, in the engine too."""

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Kinds, noted

_WHOLE = (exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT)
_CAST_ALIKE = frozenset({"whole", "truth", "null"})


def round_to_integer(tree: exp.Query) -> exp.Query:
    """Round what is cast to a whole number: DuckDB rounds, Spark cuts off.

    DuckDB rounds halves of a DOUBLE to the even neighbour, which a quotient is, and those of a
    DECIMAL away from zero. Columns know their types; where one is not known, the cast to DECIMAL
    serves whatever it is.
    """
    of = Kinds(noted)
    casts = [each for each in tree.find_all(exp.Cast) if _is_rounding(each)]
    for cast, family in [(each, of(each.this).family) for each in casts]:
        value = cast.this
        if family in ("double", "float"):
            cast.set("this", exp.func("rint", value.copy()))
        elif family == "decimal":
            cast.set("this", exp.Round(this=value.copy()))
        elif family not in _CAST_ALIKE and not isinstance(value.unnest(), exp.Literal):
            decimal = exp.cast(value.copy(), exp.DataType.build("DECIMAL(38, 6)"))
            cast.set("this", exp.Round(this=decimal))
    return tree


def _is_rounding(cast: exp.Cast) -> bool:
    return cast.is_type(*_WHOLE) and not isinstance(cast, exp.TryCast)
