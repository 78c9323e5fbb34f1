"""Forms in which values leave a store that runs SQL, so that its driver is exact.

Drivers make days and moments with Java's old calendar, which has no 10 October 1582, and know no
name for some types. So days leave as their number since 1970 and moments as microseconds, and what
a driver knows no number for as text. `conversions` makes DuckDB's types of them again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.store_protocol.columns import quoted

MOST_DIGITS = 38
"""The digits of the largest decimal that DuckDB, Arrow and Spark have."""
Pair = tuple[str, str]
"""Two kinds of Spark's types: the one that a driver hands out, and the one that is meant."""
NUMBERS: frozenset[Pair] = frozenset({("whole", "date"), ("whole", "timestamp")})
_DECIMAL = re.compile(r"DECIMAL\((\d+), ?(\d+)\)")
_MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "DATETIME")
_PLAIN = frozenset(
    {
        *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"),
        *("UBIGINT", "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "BOOLEAN", "VARCHAR", "BLOB"),
        *("DATE", *_MOMENTS, "TIMESTAMP WITH TIME ZONE", '"NULL"', "NULL"),
    }
)


def decimal_digits(type_: str) -> tuple[int, int] | None:
    """Return precision and scale of a decimal; None for another of DuckDB's types."""
    found = _DECIMAL.fullmatch(type_)
    return (int(found[1]), int(found[2])) if found else None


def is_carried(type_: str) -> bool:
    """Whether Spark has an equal of one of DuckDB's types; the others are carried as text."""
    return type_ in _PLAIN or decimal_digits(type_) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedTypes:
    """The spelling of columns that a store hands out. ``{}`` is the column, in quotes of `mark`.

    `day` counts days since 1970, `moment` microseconds, for `instant` in UTC. `wide_decimal` is
    of decimals of 38 digits, `other` of types that Spark has no equal of. `forms` are of DuckDB's
    types by name. `arrives` says which kinds therefore stand for which others (`conversions`).
    """

    mark: str
    day: str
    moment: str
    instant: str
    wide_decimal: str = "{}"
    other: str = "{}"
    forms: Mapping[str, str] = field(default_factory=dict)
    arrives: frozenset[Pair] = NUMBERS

    def sent(self, sql: str, types: Mapping[str, str]) -> str:
        """Return `sql`, whose columns have `types`, with these in the form in which they leave."""
        forms = {column: self._form(type_) for column, type_ in types.items()}
        if all(form == "{}" for form in forms.values()):
            return sql
        columns = ", ".join(
            name if form == "{}" else f"{form.replace('{}', name)} AS {name}"
            for name, form in ((quoted(each, self.mark), form) for each, form in forms.items())
        )
        return f"SELECT {columns} FROM ({sql}) carried"  # noqa: S608 - names are quoted

    def _form(self, type_: str) -> str:
        if type_ in self.forms:
            return self.forms[type_]
        if type_ == "DATE":
            return self.day
        if type_ in _MOMENTS:
            return self.moment
        if type_ == "TIMESTAMP WITH TIME ZONE":
            return self.instant
        digits = decimal_digits(type_)
        if type_ == "HUGEINT" or (digits is not None and digits[0] == MOST_DIGITS):
            return self.wide_decimal
        return "{}" if is_carried(type_) else self.other
