"""Casts that mean the same in every system, by the type of what is cast."""

import re
from collections.abc import Callable, Iterator, Mapping

from sqlglot import exp

from workloads.sql.typing.days import EVERYWHERE
from workloads.sql.typing.expression_kinds import Of
from workloads.sql.typing.value_kinds import Kind

_DATE_TEXT = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT_TEXT = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,6})?)?")
_WHOLE_TEXT = re.compile(r"-?\d{1,18}")
_PLAIN_SCALE = 6


def cast_features(node: exp.Expr, of: Of) -> Iterator[str]:
    """Yield the features of a cast."""
    if isinstance(node, exp.TryCast):
        yield "try_cast"
        return
    source, target = of(node.this), of(node)
    if source.family in ("any", "null"):
        return
    if source.family in ("unknown", "other"):
        yield "unknown_type"
    elif source.family == "zoned" or target.family == "zoned":
        yield "time_zone"
    elif source.family == "interval":
        yield "interval_value"
    else:
        check = _TARGETS.get(target.family)
        yield from check(node, source, target) if check else ("function",)


def _to_whole(node: exp.Expr, source: Kind, _: Kind) -> Iterator[str]:
    if source.family == "text":
        yield from _read(node, _WHOLE_TEXT, "text_to_number")
    elif source.family == "truth":
        if not node.is_type(exp.DType.INT):
            yield "boolean_cast"
    elif source.family == "float":
        yield "single_float"
    elif source.family not in ("whole", "huge", "decimal", "double"):
        yield "mixed_types"


def _to_decimal(_: exp.Expr, source: Kind, _target: Kind) -> Iterator[str]:
    if source.family in ("double", "float"):
        yield "float_to_decimal"
    elif source.family not in ("whole", "huge", "decimal"):
        yield "text_to_number" if source.family == "text" else "boolean_cast"


def _to_double(_: exp.Expr, source: Kind, _target: Kind) -> Iterator[str]:
    if source.family == "float":
        yield "single_float"
    elif source.family not in ("whole", "huge", "decimal", "double"):
        yield "text_to_number" if source.family == "text" else "boolean_cast"


def _to_float(_node: exp.Expr, _source: Kind, _target: Kind) -> Iterator[str]:
    yield "single_float"


def _to_text(node: exp.Expr, source: Kind, _: Kind) -> Iterator[str]:
    if not is_written_alike(node.this, source):
        yield "value_text"


def is_written_alike(node: exp.Expr, kind: Kind) -> bool:
    """Whether every system writes a value as the same text."""
    if kind.family == "decimal":
        # What is computed has a scale of each system's own, also where it is a column further on.
        inner = node.unnest()
        is_kept = kind.kept and isinstance(inner, (exp.Column, exp.Cast))
        plain = is_kept or isinstance(inner, exp.Literal)
        # Without a place before the point DuckDB writes none: .500.
        return plain and 0 < kind.scale <= min(_PLAIN_SCALE, kind.digits - 1)
    if kind.family == "date":
        # Years before 1 and after 9999 have signs, letters or more digits.
        first, last = EVERYWHERE
        return kind.days is not None and first <= kind.days[0] and kind.days[1] <= last
    return kind.family in ("whole", "text", "null", "any")


def _to_date(node: exp.Expr, source: Kind, _: Kind) -> Iterator[str]:
    if source.family == "text":
        yield from _read(node, _DATE_TEXT, "text_to_date")
    elif source.family not in ("date", "timestamp"):
        yield "mixed_types"


def _to_timestamp(node: exp.Expr, source: Kind, _: Kind) -> Iterator[str]:
    if source.family == "text":
        yield from _read(node, _MOMENT_TEXT, "text_to_date")
    elif source.family not in ("date", "timestamp"):
        yield "mixed_types"


def _to_truth(_: exp.Expr, source: Kind, _target: Kind) -> Iterator[str]:
    if source.family != "truth":
        yield "boolean_cast"


def _read(node: exp.Expr, pattern: re.Pattern[str], feature: str) -> Iterator[str]:
    text = node.this.unnest()
    if not (isinstance(text, exp.Literal) and text.is_string and pattern.fullmatch(text.name)):
        yield feature


_TARGETS: Mapping[str, Callable[[exp.Expr, Kind, Kind], Iterator[str]]] = {
    "whole": _to_whole,
    "decimal": _to_decimal,
    "double": _to_double,
    "float": _to_float,
    "text": _to_text,
    "date": _to_date,
    "timestamp": _to_timestamp,
    "truth": _to_truth,
}
