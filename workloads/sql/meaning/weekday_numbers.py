"""Numbers of weekdays."""

from sqlglot import exp


def weekday_numbers(tree: exp.Query) -> exp.Query:
    """Number weekdays from Sunday, 1 (DAYOFWEEK), and from Monday, 0 (WEEKDAY)."""
    for day in list(tree.find_all(exp.DayOfWeek)):
        day.replace(_shifted(exp.func("DAYOFWEEK", _day(day.this)), 1))
    for day in list(tree.find_all(exp.Anonymous)):
        if day.name.upper() == "WEEKDAY" and len(day.expressions) == 1:
            day.replace(_shifted(exp.func("ISODOW", day.expressions[0].copy()), -1))
    return tree


def _day(node: exp.Expr) -> exp.Expr:
    return node.this.copy() if isinstance(node, exp.TsOrDsToDate) else node.copy()


def _shifted(node: exp.Expr, by: int) -> exp.Expr:
    kind = exp.Add if by > 0 else exp.Sub
    return exp.paren(kind(this=node, expression=exp.Literal.number(abs(by))))
