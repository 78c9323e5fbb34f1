"""Functions of dates and moments that mean the same in every system."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from workloads.sql.features.arguments import Check, nothing, other_than, taking
from workloads.sql.features.casts import is_written_alike
from workloads.sql.typing.expression_kinds import Of
from workloads.sql.typing.value_kinds import Kind

_MOMENTS = frozenset({"date", "timestamp"})
_UNITS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})
_WITHIN_DAYS = frozenset({"DAY", "HOUR", "MINUTE", "SECOND"})
_PARTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("YEAR", "MONTH", "DAY"), ()),
    **dict.fromkeys(("HOUR", "MINUTE", "SECOND"), ("timestamp",)),
    **dict.fromkeys(("QUARTER", "DOW", "DAYOFWEEK", "DOY", "DAYOFYEAR"), ("date_part",)),
    **dict.fromkeys(("ISODOW", "ISOYEAR", "WEEK"), ("iso_date_part",)),
}
_FORMAT = frozenset({"%Y", "%m", "%d", "%H", "%M", "%S"})


def _extract(node: exp.Expr, of: Of) -> Iterator[str]:
    yield from _part(node.name.upper(), of(node.expression))


def _named_part(name: str) -> Check:
    def check(node: exp.Expr, of: Of) -> Iterator[str]:
        yield from _part(name, of(node.this))

    return check


def _part(name: str, kind: Kind) -> Iterator[str]:
    needs = _PARTS.get(name)
    if needs is None:
        yield "function"
    elif needs == ("timestamp",):
        yield from other_than(frozenset({"timestamp"}), kind)
        if name == "SECOND":
            yield "fractional_seconds"
    else:
        yield from needs
        yield from other_than(_MOMENTS, kind, "text_to_date")


def _names(_node: exp.Expr, _of: Of) -> Iterator[str]:
    yield "name_of_date_part"


def _truncated(node: exp.Expr, of: Of) -> Iterator[str]:
    yield "date_function"
    kind, unit = of(node.this), node.text("unit").upper()
    # Spark cuts a day off at weeks and longer units alone: others are NULL.
    is_within = kind.family == "date" and unit in _WITHIN_DAYS
    if unit not in _UNITS or node.args.get("zone") or is_within:
        yield "function"
    yield from other_than(_MOMENTS, kind, "text_to_date")


def _formatted(node: exp.Expr, of: Of) -> Iterator[str]:
    pattern = node.args.get("format")
    text = pattern.name if isinstance(pattern, exp.Literal) else "%"
    pieces = [text[at : at + 2] for at in range(len(text)) if text[at] == "%"]
    letters = "".join(text.split("%")[:1]) + "".join(each[1:] for each in text.split("%")[1:])
    if set(pieces) - _FORMAT or any(each.isalpha() or each in "\\'\"" for each in letters):
        yield "name_of_date_part"
    yield "date_format"
    if of(node.this).family == "date" and not is_written_alike(node.this, of(node.this)):
        yield "value_text"
    yield from other_than(_MOMENTS, of(node.this), "text_to_date")


def _difference(node: exp.Expr, of: Of) -> Iterator[str]:
    unit = node.text("unit").upper()
    if unit == "MONTH":
        yield "month_difference"
    elif unit not in ("DAY", "DAYS", ""):
        yield "function"
    for each in (node.this, node.expression):
        yield from other_than(frozenset({"date"}), of(each), "function")


DATE_FUNCTIONS: Mapping[type[exp.Expr], Check] = {
    exp.Extract: _extract,
    exp.Year: _named_part("YEAR"),
    exp.Month: _named_part("MONTH"),
    exp.Day: _named_part("DAY"),
    exp.Quarter: _named_part("QUARTER"),
    exp.Hour: _named_part("HOUR"),
    exp.Minute: _named_part("MINUTE"),
    exp.Second: _named_part("SECOND"),
    **dict.fromkeys((exp.Dayname, exp.Monthname), _names),
    **dict.fromkeys((exp.TimestampTrunc, exp.DateTrunc), _truncated),
    exp.TimeToStr: _formatted,
    exp.DateDiff: _difference,
    exp.LastDay: taking(frozenset({"date"}), others="date_function"),
    exp.Date: taking(_MOMENTS, others="text_to_date"),
    exp.TsOrDsToDate: taking(_MOMENTS, others="text_to_date"),
    exp.CurrentDate: nothing,
}
