"""Texts of numbers in floating point."""

from sqlglot import exp
from sqlglot.expressions import Expr

from workloads.sql.meaning.number_kinds import FLOATING, is_unscaled, places
from workloads.sql.meaning.replacing import UnlikeError, put
from workloads.sql.meaning.templates import computed
from workloads.sql.meaning.texts_of_numbers import texts

_SAME = (exp.Paren, exp.Neg, exp.Abs, exp.Min, exp.Max, exp.Coalesce, exp.Nullif)
_OPERATORS = (exp.Add, exp.Sub, exp.Mul, exp.Div)
_OTHERWISE = (
    "the text of a computed number in floating point has other digits:"
    " round it, and cast it to a DECIMAL with a scale first"
)
_MOMENTS = (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.DATETIME)
_FRACTIONS = "the text of a moment has as many digits as its column: use DATE_FORMAT"
_SIGN = "CASE WHEN a < 0 THEN '-' ELSE '' END"
_ALL_DIGITS = "RTRIM(REPLACE(CAST(ABS(a) AS TEXT), '.', ''), '0')"
_POINT = "CASE WHEN LENGTH({digits}) > 1 THEN '.' || SUBSTRING({digits}, 2) ELSE '' END"
_WRITTEN = "REGEXP_REPLACE(CAST(a AS TEXT), '\\.0$', '')"
_MANTISSA = f"{_SIGN} || LEFT({_ALL_DIGITS}, 1) || {_POINT.format(digits=_ALL_DIGITS)}"
_EXPONENT = "STRPOS(CAST(ABS(a) AS TEXT), '.') - 2"
_POSTGRESQL = (
    "CASE WHEN ISNAN(a) THEN 'NaN' WHEN ISINF(a) AND a > 0 THEN 'Infinity'"
    " WHEN ISINF(a) THEN '-Infinity' WHEN ABS(a) >= {least} AND ABS(a) < 1e16 THEN"
    f" {_MANTISSA} || 'e+' || LPAD(CAST({_EXPONENT} AS TEXT), 2, '0') ELSE {_WRITTEN} END"
)
_SMALL_DIGITS = "REPLACE(REGEXP_EXTRACT(CAST(ABS(a) AS TEXT), '^[0-9.]+'), '.', '')"
_ZEROS = "CAST(REGEXP_EXTRACT(CAST(a AS TEXT), 'e-0*([0-9]+)$', 1) AS INT) - 1"
_MYSQL = (
    f"CASE WHEN ABS(a) >= 1e15 AND ABS(a) < 1e16 THEN {_MANTISSA} || 'e15'"
    " WHEN ABS(a) >= 1e16 THEN REPLACE(CAST(a AS TEXT), 'e+', 'e')"
    " WHEN ABS(a) < 1e-4 AND ABS(a) >= 1e-15 THEN"
    f" {_SIGN} || '0.' || REPEAT('0', {_ZEROS}) || {_SMALL_DIGITS} ELSE {_WRITTEN} END"
)
_LEAST = {exp.DType.DOUBLE: "1e15", exp.DType.FLOAT: "1e6"}
"""PostgreSQL's type → the number from which it is written with an exponent."""


def written_by_postgresql(tree: exp.Query) -> exp.Query:
    """Write a number in floating point as PostgreSQL does: 1, 1e+15, NaN, not 1.0 and nan."""
    for node, value in texts(tree):
        if _is_floating(value):
            if not _is_plain(value):
                raise UnlikeError(node, _OTHERWISE)
            kind = exp.DType.FLOAT if value.is_type(exp.DType.FLOAT) else exp.DType.DOUBLE
            _write(node, value, _POSTGRESQL.format(least=_LEAST[kind]))
    return tree


def written_by_mysql(tree: exp.Query) -> exp.Query:
    """Write a number in floating point as MySQL does: 1, 1e15 and 0.00001."""
    for node, value in texts(tree):
        if value.is_type(*_MOMENTS) and _is_measured(value):
            raise UnlikeError(node, _FRACTIONS)
        if _is_floating(value):
            # A rounded one is written with so many places.
            if not _is_plain(value):
                raise UnlikeError(node, _OTHERWISE)
            _write(node, value, _MYSQL)
    return tree


def _is_measured(moment: Expr) -> bool:
    """Whether a moment is one of a column, or cast to so many digits, or made of such a one."""
    casts = [each for each in moment.find_all(exp.Cast) if each.to.expressions]
    return any(each.is_type(*_MOMENTS) for each in (*moment.find_all(exp.Column), *casts))


def _is_floating(value: Expr) -> bool:
    exact = places(value) is not None or is_unscaled(value)
    return bool(value.is_type(*FLOATING)) and not exact


def _is_plain(value: Expr) -> bool:
    """Whether every system computes the same digits."""
    if isinstance(value, (exp.Column, exp.Literal, exp.Cast, exp.Null)):
        return True
    if isinstance(value, _OPERATORS):
        sides = value.this, value.expression
        single = [each.is_type(exp.DType.FLOAT) for each in sides]
        return any(single) == all(single) and all(map(_is_plain, sides))
    return isinstance(value, _SAME) and all(map(_is_plain, value.iter_expressions()))


def _write(node: Expr, value: Expr, template: str) -> None:
    text = computed(template, value)
    text.type = exp.DataType.build("TEXT")
    if isinstance(node, exp.Cast) and not node.to.expressions:
        put(node, text)
    else:
        value.replace(text)
