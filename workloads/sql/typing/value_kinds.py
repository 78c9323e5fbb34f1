"""The kinds of values: what of their types counts for what systems do with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from workloads.sql.typing.days import Days, days_of_all

Family = Literal[
    "whole", "huge", "decimal", "float", "double", "text", "date", "timestamp", "zoned", "truth",
    "interval", "null", "other", "unknown", "any",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kind:
    """A value's type. Numbers have at most `digits`, `scale` of them after the point.

    `days` are those between which dates and moments lie, None where it is not known.
    A decimal is `kept` that lies in a column or was cast: every value has the scale of its type.
    It is `summed` where its type has 38 digits, however few its values have.
    'unknown' is what cannot be told, 'any' the type of a parameter, which takes that of the others.
    """

    family: Family
    digits: int = 0
    scale: int = 0
    days: Days | None = field(default=None, compare=False)
    kept: bool = field(default=False, compare=False)
    summed: bool = field(default=False, compare=False)


ANY, NULL, UNKNOWN, OTHER = Kind("any"), Kind("null"), Kind("unknown"), Kind("other")
TRUTH, TEXT, DATE, TIMESTAMP = Kind("truth"), Kind("text"), Kind("date"), Kind("timestamp")
INTERVAL, DOUBLE, FLOAT = Kind("interval"), Kind("double"), Kind("float")
INT, BIGINT, HUGE = Kind("whole", 10), Kind("whole", 19), Kind("huge", 39)
NUMBERS = frozenset({"whole", "huge", "decimal", "float", "double"})
EXACT = NUMBERS - {"float", "double"}
"""Families of numbers that are added without rounding."""
_NAMED: Mapping[str, Kind] = {
    **dict.fromkeys(("BOOLEAN", "BOOL", "LOGICAL"), TRUTH),
    **dict.fromkeys(("TINYINT", "INT1", "UTINYINT"), Kind("whole", 3)),
    **dict.fromkeys(("SMALLINT", "INT2", "SHORT", "USMALLINT"), Kind("whole", 5)),
    **dict.fromkeys(("INTEGER", "INT", "INT4", "SIGNED", "UINTEGER", "UINT"), INT),
    **dict.fromkeys(("BIGINT", "INT8", "LONG"), BIGINT),
    "UBIGINT": Kind("whole", 20),
    **dict.fromkeys(("HUGEINT", "UHUGEINT", "INT128", "UINT128"), HUGE),
    **dict.fromkeys(("REAL", "FLOAT", "FLOAT4"), FLOAT),
    **dict.fromkeys(("DOUBLE", "FLOAT8", "DOUBLE PRECISION"), DOUBLE),
    **dict.fromkeys(("VARCHAR", "TEXT", "STRING", "CHAR", "BPCHAR", "NVARCHAR"), TEXT),
    "DATE": DATE,
    **dict.fromkeys(("TIMESTAMP", "DATETIME", "TIMESTAMPNTZ"), TIMESTAMP),
    **dict.fromkeys(("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPLTZ"), Kind("zoned")),
    "INTERVAL": INTERVAL,
    "NULL": NULL,
    "UNKNOWN": UNKNOWN,
}
_WHOLE = {3: "TINYINT", 5: "SMALLINT", 10: "INTEGER", 19: "BIGINT", 20: "UBIGINT"}
_TYPES: Mapping[Family, str] = {
    "huge": "HUGEINT", "float": "FLOAT", "double": "DOUBLE", "text": "VARCHAR", "date": "DATE",
    "timestamp": "TIMESTAMP", "zoned": "TIMESTAMPTZ", "truth": "BOOLEAN", "interval": "INTERVAL",
}  # fmt: skip
MOST_DIGITS = 38
"""Of a decimal."""
_DECIMAL = (18, 3)


def named(type_: str) -> Kind:
    """Return the kind of a type that DuckDB names so."""
    text = type_.upper().strip()
    head, _, arguments = text.partition("(")
    head = head.strip()
    if head in ("DECIMAL", "NUMERIC", "DEC"):
        numbers = [int(each) for each in arguments.rstrip(")").split(",") if each.strip().isdigit()]
        digits, scale = (*numbers, 0) if len(numbers) == 1 else tuple(numbers) or _DECIMAL
        return Kind("decimal", digits, scale, kept=True)
    return OTHER if text.endswith("]") else _NAMED.get(head, OTHER)


def type_of_kind(kind: Kind) -> str | None:
    """Return a type of DuckDB that `named` makes this kind of; None where it has none."""
    if kind.family == "whole":
        return next((name for digits, name in _WHOLE.items() if kind.digits <= digits), "HUGEINT")
    if kind.family == "decimal":
        return f"DECIMAL({min(max(kind.digits, kind.scale, 1), MOST_DIGITS)}, {kind.scale})"
    return _TYPES.get(kind.family)


def unified(kinds: Sequence[Kind]) -> Kind:
    """Return the kind that takes values of all `kinds`: of a CASE, a COALESCE, a set operation."""
    known = [each for each in kinds if each.family not in ("null", "any")]
    if not known:
        return kinds[0] if kinds else NULL
    families = {each.family for each in known}
    if families <= {"date", "timestamp"}:
        latest = TIMESTAMP if "timestamp" in families else DATE
        return replace(latest, days=days_of_all([each.days for each in known]))
    if len(families) == 1 and families - {"decimal"}:
        return max(known, key=lambda each: each.digits)
    if families <= {"whole", "huge", "decimal"}:
        scale = max(each.scale for each in known)
        digits = max(each.digits - each.scale for each in known) + scale
        kept = all(each.kept and each.scale == scale for each in known)
        summed = any(each.summed for each in known)
        found = Kind("decimal", digits, scale, kept=kept, summed=summed)
        return found if "decimal" in families else HUGE
    if families <= NUMBERS:
        return DOUBLE if "double" in families else FLOAT
    return UNKNOWN
