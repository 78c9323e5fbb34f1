"""Casts of numbers beyond the ends of a type."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put, whole_number
from workloads.sql.typing.expression_kinds import Kinds, noted

_WHOLE = {exp.DType.BIGINT: (-(2**63), 2**63 - 1, 18)}
"""Type → its ends, and the digits of which it holds all numbers."""


def clipped_casts(tree: exp.Query) -> exp.Query:
    """Give the end of a type for what lies beyond: ``CAST(1e30 AS SIGNED)`` is no error."""
    of = Kinds(noted)
    for cast in inner_first(tree, exp.Cast):
        ends = _ends(cast.to)
        value = cast.this
        if ends is None or not value.is_type(*exp.DataType.NUMERIC_TYPES):
            continue
        least, most, digits = ends
        kind = of(value)
        exact = kind.family in ("whole", "huge", "decimal")
        if exact and kind.digits - kind.scale <= digits:
            continue
        low, high = (exp.cast(exp.Literal.number(each), cast.to) for each in (least, most))
        clipped = exp.case().when(exp.GTE(this=exp.paren(value.copy()), expression=high), high)
        below = exp.LTE(this=exp.paren(value.copy()), expression=low)
        put(cast, clipped.when(below, low.copy()).else_(cast.copy()))
    return tree


def _ends(type_: exp.DataType) -> tuple[int | str, int | str, int] | None:
    if type_.this in _WHOLE:
        return _WHOLE[type_.this]
    arguments = [whole_number(each.this) for each in type_.expressions]
    if not type_.is_type(exp.DType.DECIMAL) or len(arguments) != 2:  # noqa: PLR2004 - a pair
        return None
    digits, scale = arguments[0] or 0, arguments[1] or 0
    nines = "9" * (digits - scale) or "0"
    most = f"{nines}.{'9' * scale}" if scale else nines
    return f"-{most}", most, digits - scale
