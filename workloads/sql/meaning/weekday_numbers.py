"""Numbers of weekdays."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def weekday_numbers(tree: exp.Query) -> exp.Query:
    """Number weekdays from Sunday, 1 (DAYOFWEEK), and from Monday, 0 (WEEKDAY)."""
    for day in inner_first(tree, exp.DayOfWeek):
        put(day, _shifted(exp.func("DAYOFWEEK", _day(day.this)), 1))
    for call in inner_first(tree, exp.Anonymous):
        if call.name.upper() == "WEEKDAY" and len(call.expressions) == 1:
            put(call, _shifted(exp.func("ISODOW", call.expressions[0].copy()), -1))
    return tree


def _day(node: exp.Expr) -> exp.Expr:
    return node.this.copy() if isinstance(node, exp.TsOrDsToDate) else node.copy()


def _shifted(node: exp.Expr, by: int) -> exp.Expr:
    kind = exp.Add if by > 0 else exp.Sub
    return exp.paren(kind(this=node, expression=exp.Literal.number(abs(by))))
