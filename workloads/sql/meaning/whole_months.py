"""Differences of times."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put

_QUARTER = 3


def whole_months(tree: exp.Query) -> exp.Query:
    """Count whole units between two times (TIMESTAMPDIFF): DuckDB's DATE_DIFF counts their ends.

    Quarters are whole threes of months, backwards as well.
    """
    for difference in inner_first(tree, exp.TimestampDiff):
        unit = difference.text("unit").lower()
        start, end = difference.args["expression"].copy(), difference.this.copy()
        is_quarter = unit == "quarter"
        counted = exp.Literal.string("month" if is_quarter else unit)
        found: exp.Expr = exp.Anonymous(this="DATESUB", expressions=[counted, start, end])
        if is_quarter:
            found = exp.IntDiv(this=found, expression=exp.Literal.number(_QUARTER))
        put(difference, exp.paren(found) if is_quarter else found)
    return tree
