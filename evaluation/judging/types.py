"""Types that a column of an answer may have, given DuckDB's."""

import re
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache

CARRIERS: Mapping[str, str] = {
    # JDBC, MySQL and Spark have no whole numbers of 128 bits.
    "HUGEINT": "DECIMAL(38,0)",
    "UHUGEINT": "DECIMAL(38,0)",
    # Spark has no unsigned numbers: the next wider type holds them all.
    "UTINYINT": "SMALLINT",
    "USMALLINT": "INTEGER",
    "UINTEGER": "BIGINT",
    "UBIGINT": "DECIMAL(20,0)",
    # Spark's timestamps have microseconds, and no other precision.
    "TIMESTAMP_S": "TIMESTAMP",
    "TIMESTAMP_MS": "TIMESTAMP",
    "TIMESTAMP_NS": "TIMESTAMP",
    # Text in every client, also in DuckDB's own.
    "ENUM": "VARCHAR",
    "UUID": "VARCHAR",
    "JSON": "VARCHAR",
    "BIT": "VARCHAR",
    "BIGNUM": "VARCHAR",
    # Spark's are of months or of seconds, never of both.
    "INTERVAL": "VARCHAR",
}
"""DuckDB's type → the type by which our engine carries it, where no transport has the first."""

_DECIMAL = re.compile(r"DECIMAL\((\d+), ?(\d+)\)")
_LENGTHS = re.compile(r"\[\d+\]")
_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "whole number": (
        *("TINYINT", "SMALLINT", "INTEGER", "INT", "BIGINT", "HUGEINT"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
    ),
    "decimal": ("DECIMAL", "NUMERIC"),
    "float": ("FLOAT", "REAL", "DOUBLE"),
    "text": ("VARCHAR", "CHAR", "STRING", "ENUM", "UUID", "JSON", "BIT", "BIGNUM", "INTERVAL"),
    "boolean": ("BOOLEAN",),
    "date": ("DATE",),
    "timestamp": ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
    "time": ("TIME",),
    "bytes": ("BLOB", "BINARY", "VARBINARY"),
}
_FAMILY_OF = {name: family for family, names in _FAMILIES.items() for name in names}


class TypeRule(Enum):
    """The rule by which an engine's types must be DuckDB's.

    EXACT is for our engine: the same type, or its carrier. FAMILY is for peers, which type their
    results as they please: whole number, decimal, float, text, boolean, date, timestamp, bytes.
    """

    EXACT = "exact"
    FAMILY = "family"


@lru_cache(maxsize=4096)
def may_have(expected: str, actual: str, rule: TypeRule) -> bool:
    """Whether a column of DuckDB's type `expected` may arrive with the type `actual`."""
    if rule is TypeRule.FAMILY:
        return bool(_families(expected) & _families(actual))
    wanted = _plain(expected)
    return _plain(actual) in (wanted, carrier(wanted))


def carrier(type_: str) -> str:
    """Return the type by which our engine carries a type of DuckDB's, lists by that of values."""
    base, brackets = _unlisted(_plain(type_))
    name = "ENUM" if base.startswith("ENUM(") else base
    return CARRIERS.get(name, base) + "[]" * brackets.count("[")


def _plain(type_: str) -> str:
    found = _DECIMAL.fullmatch(type_)
    return f"DECIMAL({found[1]},{found[2]})" if found else type_


def _unlisted(type_: str) -> tuple[str, str]:
    """Return the type of a list's values and the brackets after it, without lengths."""
    base = type_
    while base.endswith("]"):
        base = base[: base.rindex("[")]
    return base, _LENGTHS.sub("[]", type_[len(base) :])


def _families(type_: str) -> frozenset[str]:
    """Return the families of a type: a decimal without a scale is a whole number too."""
    name = type_.upper()
    base = name.partition("(")[0].partition(" WITH ")[0].strip()
    family = _FAMILY_OF.get(base, name)
    found = _DECIMAL.fullmatch(name)
    return frozenset({family, "whole number"} if found and found[2] == "0" else {family})
