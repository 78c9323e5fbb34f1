"""Values of every type that stores are loaded with, as literals: usual and extreme."""

import random
from collections.abc import Mapping

FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT"), "int"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"), "int"),
    "DECIMAL": "dec", "FLOAT": "real", "DOUBLE": "dbl", "BOOLEAN": "bool", "DATE": "date",
    "TIMESTAMP": "ts", "TIMESTAMPTZ": "tstz", "VARCHAR": "text",
}  # fmt: skip
"""DuckDB's type without its parameters → the family by which expressions are typed."""
_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64}
_TEXTS = ("a", "b", "A", "abc", "ab", "x y", "10", "2", "é", "zz", "B", "Abc")
_STRANGE_TEXTS = (
    "", " ", "a ", " a", "a\\b", "\\", "%", "_", "a%b", "a_b", "'", '"', "É", "ß", "ẞ", "e\u0301",
    "a\u0301", "\u00a0a\u00a0", "😀", "%s", "{a}", "?", ":a", "-0", "1e3", "null", "NULL", "\\N",
    "tab\there", "line\nbreak", "İ", "ǆ", "--", "$1", "2001-02-03", "true",
)  # fmt: skip
_DATES = ("2000-01-01", "2000-02-29", "2001-02-28", "1999-12-31", "2000-01-31", "2020-06-15")
_STRANGE_DATES = (
    "0001-01-01", "1582-10-04", "1582-10-05", "1582-10-10", "1582-10-15", "9999-12-31",
    "1900-02-28", "1970-01-01", "1969-12-31", "2100-03-01", "1000-06-06",
)  # fmt: skip
_TIMESTAMPS = (
    "2000-02-29 12:30:15", "2000-01-01 00:00:00", "1999-12-31 23:59:59", "2001-03-10 02:30:00",
    "2000-02-29 00:00:00", "2020-06-15 18:45:00",
)  # fmt: skip
_STRANGE_TIMESTAMPS = (
    "1969-12-31 23:59:59.999999", "1969-12-31 23:59:59.5", "2000-02-29 12:30:15.123456",
    "0001-01-01 00:00:00", "1582-10-10 10:10:10", "9999-12-31 23:59:59.999999",
    "1883-11-18 12:00:00.000001", "2024-03-31 02:30:00", "1900-01-01 00:00:00",
)  # fmt: skip
_DOUBLES = ("0.0", "1.0", "-1.0", "0.5", "2.5", "3.5", "-2.5", "0.1", "100.0", "7.25")
_STRANGE_DOUBLES = ("1e300", "-1e300", "1e-300", "5e-324", "16777217.0", "0.30000000000000004",
                    "-0.0", "1e15", "123456789.123456789", "9007199254740993.0")  # fmt: skip
_REALS = ("0.1", "0.5", "1.0", "-2.5", "3.3", "100.0", "0.0")
_STRANGE_REALS = ("16777216.0", "3.4e38", "1e-38", "-3.4e38", "33554432.0", "1234567.9")


def family(type_: str) -> str:
    """Return the family of a type."""
    return FAMILIES[type_.partition("(")[0]]


def quoted_text(text: str) -> str:
    """Return text as a literal."""
    return "'" + text.replace("'", "''") + "'"


def literal(choose: random.Random, type_: str, *, strange: bool) -> str:
    """Return a value of `type_` as a literal, without NULL."""
    name = type_.partition("(")[0]
    if name in _BITS or name.startswith("U"):
        return _whole(choose, name, strange=strange)
    if name == "DECIMAL":
        return _decimal(choose, type_, strange=strange)
    if name == "BOOLEAN":
        return choose.choice(("true", "false"))
    usual, extreme = {
        "FLOAT": (_REALS, _STRANGE_REALS),
        "DOUBLE": (_DOUBLES, _STRANGE_DOUBLES),
        "DATE": (_DATES, _STRANGE_DATES),
        "TIMESTAMP": (_TIMESTAMPS, _STRANGE_TIMESTAMPS),
        "TIMESTAMPTZ": (_TIMESTAMPS, _STRANGE_TIMESTAMPS),
        "VARCHAR": (_TEXTS, _STRANGE_TEXTS),
    }[name]
    value = choose.choice(usual + extreme if strange else usual)
    if name in ("FLOAT", "DOUBLE"):
        return f"CAST({value} AS {name})" if name == "FLOAT" else f"CAST('{value}' AS DOUBLE)"
    if name == "VARCHAR":
        return quoted_text(value)
    return f"{name} '{value}'"


def _whole(choose: random.Random, name: str, *, strange: bool) -> str:
    signed = name in _BITS
    bits = _BITS[name if signed else name[1:]]
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    if strange and choose.random() < 0.5:
        value = choose.choice((low, high, high - 1, low + 1, min(high, 16777217), min(high, 10**6)))
    else:
        value = choose.randint(max(low, -3), 9)
    # -2^63 as a literal is the negation of what is no BIGINT.
    return f"CAST('{value}' AS {name})" if abs(value) > 2**31 else str(value)


def _decimal(choose: random.Random, type_: str, *, strange: bool) -> str:
    precision, scale = map(int, type_[8:-1].split(","))
    if strange and choose.random() < 0.4:
        digits = choose.choice(
            (10**precision - 1, 1, 10**precision - 2, 5 * 10 ** max(0, scale - 1))
        )
        digits = min(digits, 10**precision - 1)
    else:
        digits = choose.choice((0, 1, 5, 10, 15, 25, 125, 250, 1005)) % 10**precision
        digits = digits * 10**scale // 100 if precision > scale + 2 else digits
    sign = choose.choice(("", "-"))
    whole, part = divmod(digits, 10**scale)
    text = f"{sign}{whole}.{part:0{scale}d}" if scale else f"{sign}{whole}"
    return f"CAST('{text}' AS {type_})"
