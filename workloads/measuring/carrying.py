"""Ways to carry values of each of DuckDB's types: as a type that every store and reader has."""

import re
from dataclasses import dataclass, replace

from workloads.catalog import Column

_KEPT = frozenset(
    {
        *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "VARCHAR"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "BLOB", "DATE", "TIMESTAMP"),
        "TIMESTAMP WITH TIME ZONE",
    }
)
"""Types of which every store has an equal or a wider one."""
_DECIMAL = re.compile(r"DECIMAL\(\d+,\s*\d+\)")
_AS_TEXT = "CAST({} AS VARCHAR)"
_WITHOUT_ZONE = f"regexp_extract({_AS_TEXT}, '^[0-9:.]+')"
_ZONE = f"regexp_extract({_AS_TEXT}, '[+-].*$')"
_JSON = "CASE WHEN {} IS NOT NULL THEN CAST(to_json({}) AS VARCHAR) END"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way to carry a column: as `type`, by the expression `sql`; ``{}`` is the column.

    It loses the values of which the condition `keeps` is false, and none without one.
    """

    type: str
    sql: str = "{}"
    keeps: str = ""


def _clock(digits: int) -> str:
    """Return a time as text that is equally long for all, so that its order is that of the times.

    Nanoseconds need nine digits, microseconds six. A zone stays behind it.
    """
    zeros = "0" * digits
    filled = f"CASE WHEN contains({_WITHOUT_ZONE}, '.') THEN '{zeros}' ELSE '.{zeros}' END"
    return f"left({_WITHOUT_ZONE} || {filled}, {len('00:00:00.') + digits}) || {_ZONE}"


_HUGE = (
    Way(
        type="DECIMAL(38,0)",
        sql="CAST({} AS DECIMAL(38, 0))",
        keeps="{} IS NULL OR TRY_CAST({} AS DECIMAL(38, 0)) IS NOT NULL",
    ),
    Way(type="VARCHAR", sql=_AS_TEXT),
)
_WAYS = {
    **dict.fromkeys(
        ("UUID", "INTERVAL", "BIT", "BIGNUM", "JSON"), (Way(type="VARCHAR", sql=_AS_TEXT),)
    ),
    **dict.fromkeys(("TIME", "TIME WITH TIME ZONE"), (Way(type="VARCHAR", sql=_clock(6)),)),
    "TIME_NS": (Way(type="VARCHAR", sql=_clock(9)),),
    **dict.fromkeys(("HUGEINT", "UHUGEINT"), _HUGE),
    **dict.fromkeys(
        ("TIMESTAMP_S", "TIMESTAMP_MS"), (Way(type="TIMESTAMP", sql="CAST({} AS TIMESTAMP)"),)
    ),
    "TIMESTAMP_NS": (
        Way(
            type="TIMESTAMP",
            sql="CAST({} AS TIMESTAMP)",
            keeps="NOT isfinite({}) OR epoch_ns({}) % 1000 = 0",
        ),
        Way(type="VARCHAR", sql="strftime({}, '%Y-%m-%d %H:%M:%S.%n')"),
    ),
}


def ways(type_: str) -> tuple[Way, ...]:
    """Return the ways to carry a column of DuckDB's type `type_`, the best first; () for none."""
    if type_ in _KEPT or _DECIMAL.fullmatch(type_):
        return (Way(type=type_),)
    if type_.startswith("ENUM"):
        return (Way(type="VARCHAR", sql=_AS_TEXT),)
    if is_nested(type_):
        # JSON has no form for some values, such as bytes: they would not come back.
        back = f"TRY_CAST(CAST({_JSON} AS JSON) AS {type_})"
        return (Way(type="VARCHAR", sql=_JSON, keeps=f"{back} IS NOT DISTINCT FROM {{}}"),)
    return _WAYS.get(type_, ())


def carried(column: Column) -> Column:
    """Return a column as copies have it whose values nobody has seen: of a type that keeps all."""
    found = ways(column.type)
    if not found or found[-1].type == column.type:
        return column
    return replace(column, type=found[-1].type, own_type=column.own_type or column.type)


def is_nested(type_: str) -> bool:
    """Whether values of one of DuckDB's types hold other values."""
    return type_.endswith("]") or type_.startswith(("STRUCT", "MAP", "UNION"))
