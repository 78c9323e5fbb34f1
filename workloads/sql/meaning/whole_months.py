"""Differences of times."""

from sqlglot import exp


def whole_months(tree: exp.Query) -> exp.Query:
    """Count whole units between two times (TIMESTAMPDIFF): DuckDB's DATE_DIFF counts their ends."""
    for difference in list(tree.find_all(exp.TimestampDiff)):
        unit = exp.Literal.string(difference.text("unit").lower())
        start, end = difference.args["expression"].copy(), difference.this.copy()
        difference.replace(exp.Anonymous(this="DATESUB", expressions=[unit, start, end]))
    return tree
