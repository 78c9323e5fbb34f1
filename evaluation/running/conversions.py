"""Conversions between types that are exact or end in an error.

A cast from a wrong type, such as DOUBLE for BIGINT, would make an answer right in silence. What is
not listed here is therefore an error of the query.
"""

from collections.abc import Collection, Mapping

from evaluation.judging.types import carrier
from evaluation.store_protocol.carried import Pair, decimal_digits, is_carried

_WHOLE = frozenset({"tinyint", "smallint", "int", "bigint"})
SMALLEST_NO_FLOAT = "3.4028235677973366E38D"
"""The smallest DOUBLE that is rounded to no FLOAT."""
_NULL = '"NULL"'
_FINER = frozenset({"TIMESTAMP_S", "TIMESTAMP_MS"})
_CAST = "CAST({} AS [type])"
_EXACT: Mapping[Pair, str] = {
    # Spark's casts to whole numbers and decimals (ANSI) end in an error where these cannot hold
    # the number. Fractions they cut: `_keeps_fractions`.
    ("whole", "whole"): _CAST,
    ("whole", "decimal"): _CAST,
    ("decimal", "whole"): _CAST,
    ("decimal", "decimal"): _CAST,
    ("float", "double"): _CAST,
    # Of Spark's functions on days and moments some have another of these types than DuckDB's. The
    # session's time zone is UTC: a day is its midnight, a moment without a zone the instant.
    ("date", "timestamp"): _CAST,
    ("timestamp", "timestamp"): _CAST,
    ("void", "any"): _CAST,
}
_REFUSED = "raise_error(concat('no [type]: ', CAST({} AS STRING)))"
_CARRIED: Mapping[Pair, str] = {
    ("whole", "date"): "date_from_unix_date(CAST({} AS INT))",
    ("whole", "timestamp"): "CAST(timestamp_micros({}) AS [type])",
    ("whole", "boolean"): f"CASE WHEN {{}} NOT IN (0, 1) THEN {_REFUSED} ELSE {_CAST} END",
    # What one operation makes of FLOATs is the same when it is rounded from a DOUBLE.
    ("double", "float"): (
        f"CASE WHEN abs({{}}) >= {SMALLEST_NO_FLOAT} THEN {_REFUSED} ELSE {_CAST} END"
    ),
    ("string", "decimal"): (
        "CASE WHEN {} NOT RLIKE '^-?[0-9]+([.][0-9]{0,[scale]})?$' "
        f"THEN {_REFUSED} ELSE {_CAST} END"
    ),
    ("binary", "string"): _CAST,
    # A column of NULLs.
    ("binary", "any"): f"CASE WHEN {{}} IS NOT NULL THEN {_REFUSED} END",
}


class UnlikeTypeError(Exception):
    """A value arrived in a type that has no exact conversion to DuckDB's."""


def conversion(
    column: str, found: str, wanted: str | None, arrives: Collection[Pair] = ()
) -> str | None:
    """Return the Spark SQL that makes `wanted` of a column of the type `found`; None without one.

    `arrives` are the kinds in which a store hands out others (`CarriedTypes.arrives`). A value
    that the type cannot hold is an error when it is read.
    """
    if wanted is None or found == wanted:
        return column
    if wanted == "void":
        # It takes the type that a query gives it.
        return "NULL"
    one, other = kind_of(found), kind_of(wanted)
    for pair in ((one, other), (one, "any")):
        form = _EXACT.get(pair) or (_CARRIED.get(pair) if pair in arrives else None)
        if form is not None and _keeps_fractions(found, wanted):
            scale = _digits(wanted)[1]
            told = form.replace("[scale]", str(scale)).replace("[type]", wanted)
            made = told.replace("{}", column)
            return f"CAST({made} AS {wanted})" if pair == ("binary", "any") else made
    return None


def is_exact(found: str, wanted: str, arrives: Collection[Pair] = ()) -> bool:
    """Whether values of one kind may stand for those of another, where each value is checked.

    Kinds are Spark's types without digits; all whole numbers are ``whole``.
    """
    pairs = ((found, wanted), (found, "any"))
    return found == wanted or any(
        pair in _EXACT or (pair in _CARRIED and pair in arrives) for pair in pairs
    )


def in_duckdb(column: str, found: str, wanted: str) -> str | None:
    """Return the SQL of DuckDB that makes `wanted` of a column that arrived as `found`.

    Both are DuckDB's names. None where it did not arrive as our engine carries the type.
    """
    if found == wanted:
        return column
    if wanted in _FINER and found == "TIMESTAMP":
        made = f"CAST({column} AS {wanted})"
        same = f"CAST({made} AS TIMESTAMP) IS NOT DISTINCT FROM {column}"
        return f"CASE WHEN {same} THEN {made} ELSE error('no {wanted}: ' || {column}) END"
    as_text = found == "VARCHAR" and not is_carried(wanted)
    is_made = as_text or found == _NULL or carrier(wanted) == found
    return f"CAST({column} AS {wanted})" if is_made else None


def _keeps_fractions(found: str, wanted: str) -> bool:
    return _digits(found)[1] <= _digits(wanted)[1] or not found.startswith("decimal")


def _digits(type_: str) -> tuple[int, int]:
    return decimal_digits(type_.upper()) or (0, 0)


def kind_of(type_: str) -> str:
    """Return the kind of one of Spark's types."""
    if type_ in _WHOLE:
        return "whole"
    return "timestamp" if type_ == "timestamp_ntz" else type_.partition("(")[0]
