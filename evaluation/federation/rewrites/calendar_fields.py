"""Weekdays and months as DuckDB counts them."""

from sqlglot import exp


def calendar_fields(tree: exp.Query) -> exp.Query:
    """Number weekdays from 0, Sunday, and count the months' first days between two dates.

    Spark numbers them from 1, and counts whole months.
    """
    weekdays = [each for each in tree.find_all(exp.Extract) if _is_weekday(each)]
    for node in (*weekdays, *tree.find_all(exp.DayOfWeek)):
        node.replace(exp.paren(exp.Sub(this=node.copy(), expression=exp.Literal.number(1))))
    for months in list(tree.find_all(exp.DateDiff)):
        if months.text("unit").upper() == "MONTH":
            later, earlier = _months(months.this), _months(months.expression)
            months.replace(exp.paren(exp.Sub(this=later, expression=earlier)))
    return tree


def _is_weekday(node: exp.Extract) -> bool:
    return node.name.upper() in ("DOW", "DAYOFWEEK")


def _months(date: exp.Expr) -> exp.Expr:
    years = exp.Mul(this=exp.Year(this=date.copy()), expression=exp.Literal.number(12))
    return exp.paren(exp.Add(this=years, expression=exp.Month(this=date.copy())))
