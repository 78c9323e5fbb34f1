"""Numbers of days."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first

_FIRST = "0000-01-01"


def day_numbers(tree: exp.Query) -> exp.Query:
    """Count days (TO_DAYS) from a year 0 that has no 29th of February: DuckDB's has one."""
    for difference in inner_first(tree, exp.DateDiff):
        start = difference.expression
        day = start.this if isinstance(start, exp.TsOrDsToDate) else start
        if isinstance(day, exp.Literal) and day.name == _FIRST:
            number = difference.parent
            if isinstance(number, exp.Add) and number.right.name == "1":
                number.right.replace(exp.Literal.number(0))
    return tree
