"""The form in which two values are compared: equal forms are equal values.

Floating-point numbers are taken out, as they alone are compared within a bound. A bound that is
not relative cannot be had from two numbers alone: where terms cancel, their sum in another order
may be off by any factor. DuckDB then differs from itself once its rows come in another order, and
the statement is undetermined.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from operator import itemgetter
from uuid import UUID

from evaluation.judging.answer import Row

DOUBLE_RELATIVE = 1e-9
"""A sum of n doubles in another order is off by n·2⁻⁵³ of the sum of their magnitudes at most: by
1e-10 for a million of them. Every engine sums in an order of its own."""

_SINGLE_BITS = 24
_SINGLE_LEAST = -149
_DEEPEST = 100
_SHOWN_CHARACTERS = 120

Form = object
Floats = list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRule:
    """The way in which the values of a column are read.

    `single`: numbers of 32 bits. `zoned`: points in time, which PySpark hands out without a zone,
    in that of its process. `padded`: CHAR(n), whose blanks at the end are no part of the value.
    `interval`: DuckDB's text of an interval. `1 day` and `24:00:00` are equal there: DISTINCT and
    UNION may keep either of them.
    """

    single: bool = False
    zoned: bool = False
    padded: bool = False
    interval: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RowForm:
    """A row in two parts: what is equal or not, and the floating-point numbers in order."""

    exact: tuple[Form, ...]
    floats: tuple[float, ...]


# What stands in the exact part for a number that was taken out, by whether it has 32 bits.
_PLACES: Mapping[bool, Form] = {True: ("single",), False: ("double",)}
_DAYS: Mapping[str, int] = {"years": 360, "months": 30, "days": 1}
_MICROSECONDS_A_DAY = 86_400_000_000
_INTERVAL = re.compile(
    r"(?:(?P<years>-?\d+) years?)?(?:(?:^| )(?P<months>-?\d+) months?)?"
    r"(?:(?:^| )(?P<days>-?\d+) days?)?"
    r"(?:(?:^| )(?P<sign>-)?(?P<hours>\d+):(?P<minutes>\d+):(?P<seconds>\d+(?:\.\d+)?))?"
)
_PLAIN = (type(None), bool, str, bytes, date)


def row_form(row: Row, rules: Sequence[ColumnRule]) -> RowForm:
    """Return the form of a row, whose columns are read by `rules`. It never raises."""
    floats: Floats = []
    exact: list[Form] = []
    for value, rule in zip(row, rules, strict=False):
        kind = type(value)
        if kind is int:
            exact.append(("number", value))
        elif kind in _PLAIN and not (rule.padded or rule.interval):
            exact.append((kind, value))
        else:
            exact.append(_form(_read(value, rule), floats, rule.single, 0))
    if len(row) != len(rules):
        exact.append(len(row))
    return RowForm(exact=(*exact,), floats=(*floats,))


def close(one: float, other: float, single: bool, times: float = 1.0) -> bool:
    """Whether two finite numbers are the same: within 1e-9 relative, or one unit of 32 bits.

    What is off by 1e-9 may be rounded to the neighbouring number of 32 bits, and not farther.
    """
    if one == other:
        return True
    if not single:
        return math.isclose(one, other, rel_tol=times * DOUBLE_RELATIVE, abs_tol=0.0)
    exponent = math.frexp(max(abs(one), abs(other)))[1]
    return abs(one - other) <= times * math.ldexp(1.0, max(exponent - _SINGLE_BITS, _SINGLE_LEAST))


def singles(exact: Iterable[Form]) -> tuple[bool, ...]:
    """Return for each number that was taken out of a row whether it has 32 bits."""
    found: list[bool] = []
    for form in exact:
        if form is _PLACES[True] or form is _PLACES[False]:
            found.append(form is _PLACES[True])
        elif type(form) is tuple and form and form[0] in ("list", "map"):
            found.extend(singles(_inner(form)))
    return tuple(found)


def shown(row: Row) -> str:
    """Write a row for a message, shortened. It never raises."""
    text = ", ".join(map(_shown_value, row))
    return f"({text[:_SHOWN_CHARACTERS]})"


def _shown_value(value: object) -> str:
    if value is None:
        return "NULL"
    try:
        return repr(value) if isinstance(value, (str, bytes, float)) else str(value)
    except Exception:  # noqa: BLE001 - whatever a value's own text may raise
        return f"a {type(value).__name__}"


def _inner(form: tuple[Form, ...]) -> Iterable[Form]:
    for each in form[1:]:
        if type(each) is tuple and form[0] == "map":
            yield from each
        else:
            yield each


def _read(value: object, rule: ColumnRule) -> object:
    if rule.interval and isinstance(value, str):
        return _length(value)
    if rule.padded and isinstance(value, str):
        return value.rstrip(" ")
    if rule.zoned and isinstance(value, datetime) and value.tzinfo is None:
        try:
            return value.astimezone(UTC)
        except (ValueError, OverflowError, OSError):
            return value
    return value


def _length(text: str) -> object:
    """Return the length of an interval, with 30 days a month; text of another form as it is."""
    found = _INTERVAL.fullmatch(text)
    if not text or not found:
        return text
    days = sum(int(found[unit] or 0) * length for unit, length in _DAYS.items())
    clock = timedelta(
        hours=int(found["hours"] or 0),
        minutes=int(found["minutes"] or 0),
        microseconds=round(Decimal(found["seconds"] or 0) * 1_000_000),
    )
    # A timedelta has fewer days than an interval may have.
    rest = (-clock if found["sign"] else clock) // timedelta(microseconds=1)
    return days * _MICROSECONDS_A_DAY + rest


def _form(value: object, floats: Floats, single: bool, depth: int) -> Form:
    if isinstance(value, float):
        return _of_float(value, floats, single)
    if type(value) in _PLAIN:
        return type(value), value
    for base, maker in _MAKERS:
        if isinstance(value, base):
            try:
                return maker(value)
            except Exception:  # noqa: BLE001 - a value of a class of its own may raise anything
                return _unknown(value)
    return _nested(value, floats, single, depth)


def _nested(value: object, floats: Floats, single: bool, depth: int) -> Form:
    if depth >= _DEEPEST:
        return "deep", object()
    if isinstance(value, dict):
        return _of_map(value, floats, single, depth)
    if isinstance(value, (list, tuple)):
        names = getattr(value, "__fields__", None)
        if isinstance(names, (list, tuple)) and len(names) == len(value):
            return _of_map(dict(zip(names, value, strict=True)), floats, single, depth)
        return ("list", *(_form(each, floats, single, depth + 1) for each in value))
    return _unknown(value)


def _of_float(value: float, floats: Floats, single: bool) -> Form:
    if math.isnan(value):
        return ("nan",)
    if math.isinf(value):
        return "infinite", value > 0
    floats.append(value)
    return _PLACES[single]


def _of_map(value: dict[object, object], floats: Floats, single: bool, depth: int) -> Form:
    """Return the form of a map or a struct, sorted by keys: their order means nothing."""
    keyed = []
    for key, inner in value.items():
        in_key: Floats = []
        form = _form(key, in_key, single, depth + 1)
        keyed.append((repr((_shown_value(form), in_key)), form, in_key, inner))
    pairs = []
    for _, form, in_key, inner in sorted(keyed, key=itemgetter(0)):
        floats.extend(in_key)
        pairs.append((form, _form(inner, floats, single, depth + 1)))
    return ("map", *pairs)


def _of_decimal(value: Decimal) -> Form:
    return ("number", value) if value.is_finite() else ("decimal", str(value))


def _of_datetime(value: datetime) -> Form:
    if value.tzinfo is None or value.utcoffset() is None:
        return "timestamp", value.replace(tzinfo=None, fold=0)
    return "instant", value.replace(tzinfo=None, fold=0) - (value.utcoffset() or timedelta())


_MAKERS: Sequence[tuple[type | tuple[type, ...], Callable[..., Form]]] = (
    (int, lambda value: ("number", int(value))),
    (Decimal, _of_decimal),
    (datetime, _of_datetime),
    (date, lambda value: (date, date(value.year, value.month, value.day))),
    (time, lambda value: ("time", value.isoformat("microseconds"))),
    (timedelta, lambda value: ("interval", value)),
    (str, lambda value: (str, str(value))),
    ((bytes, bytearray, memoryview), lambda value: (bytes, bytes(value))),
    (UUID, lambda value: (str, str(value))),
)


def _unknown(value: object) -> Form:
    try:
        return "other", type(value).__qualname__, repr(value)
    except Exception:  # noqa: BLE001 - whatever a value's own text may raise
        return "other", object()
