"""Differences of times."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put
from workloads.sql.meaning.templates import computed

_WITHIN = "EPOCH_US({0}) - EPOCH_US(DATE_TRUNC('month', {0}))"
_MONTHS = (
    "(YEAR({1}) - YEAR({0})) * 12 + MONTH({1}) - MONTH({0})"
    f" - CASE WHEN {_WITHIN.format('{1}')} < {_WITHIN.format('{0}')} THEN 1 ELSE 0 END"
)
_BETWEEN = (
    f"CASE WHEN b >= a THEN {_MONTHS.format('a', 'b')} ELSE -({_MONTHS.format('b', 'a')}) END"
)
_SIZES = {"month": 1, "quarter": 3, "year": 12}


def whole_months(tree: exp.Query) -> exp.Query:
    """Count whole units between two times (TIMESTAMPDIFF): DuckDB's DATE_DIFF counts their ends.

    A month is over at the same day and time: not from the 31st to the 30th, backwards as well.
    """
    for difference in inner_first(tree, exp.TimestampDiff):
        unit = difference.text("unit").lower()
        start, end = difference.args["expression"].copy(), difference.this.copy()
        if unit not in _SIZES:
            counted = exp.Literal.string(unit)
            put(difference, exp.Anonymous(this="DATESUB", expressions=[counted, start, end]))
            continue
        times = [exp.cast(each, "TIMESTAMP") for each in (start, end)]
        template = _BETWEEN if unit == "month" else f"({_BETWEEN}) // {_SIZES[unit]}"
        put(difference, computed(template, *times))
    return tree
