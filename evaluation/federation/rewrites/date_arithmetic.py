"""Sums and differences of dates."""

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Kinds, Of, noted

_NUMBERS = (*exp.DataType.INTEGER_TYPES,)


def days_added(tree: exp.Query) -> exp.Query:
    """Add days to a date as an interval: MySQL makes a number of the date, 20000131 + 5.

    Nodes know their types.
    """
    of = Kinds(noted)
    for node in list(tree.find_all(exp.Add, exp.Sub)):
        left, right = node.left, node.right
        if _is_date(left, of) and _is_whole(right, of):
            days = exp.Interval(this=exp.paren(right.copy()), unit=exp.var("DAY"))
            node.set("expression", days)
    return tree


def days_as_integers(tree: exp.Query) -> exp.Query:
    """Cast the days that are added to a date: PostgreSQL and Spark add no 64-bit number to one.

    Nodes know their types.
    """
    of = Kinds(noted)
    for node in list(tree.find_all(exp.Add, exp.Sub)):
        left, right = node.left, node.right
        is_sum = _is_date(left, of) and _is_whole(right, of)
        if is_sum and not isinstance(right, exp.Literal):
            node.set("expression", exp.cast(right.copy(), exp.DType.INT))
    return tree


def dates_added(tree: exp.Query) -> exp.Query:
    """Add days to a date by DATE_ADD: of a date and a number Trino knows no sum.

    Nodes know their types.
    """
    of = Kinds(noted)
    for node in list(tree.find_all(exp.Add, exp.Sub)):
        left, right = node.left, node.right
        if _is_date(left, of) and _is_whole(right, of):
            days = exp.paren(right.copy()) if isinstance(right, exp.Binary) else right.copy()
            if isinstance(node, exp.Sub):
                days = exp.Neg(this=days)
            node.replace(exp.DateAdd(this=left.copy(), expression=days, unit=exp.var("DAY")))
    return tree


def days_between(tree: exp.Query) -> exp.Query:
    """Count the days between dates by DATEDIFF: of a difference Spark makes an interval.

    Nodes know their types.
    """
    of = Kinds(noted)
    for node in list(tree.find_all(exp.Sub)):
        left, right = node.left, node.right
        if _is_date(left, of) and _is_date(right, of):
            unit = exp.var("DAY")
            node.replace(exp.DateDiff(this=left.copy(), expression=right.copy(), unit=unit))
    return tree


def _is_date(node: exp.Expr, of: Of) -> bool:
    return of(node).family == "date" or (_is_untold(node, of) and node.is_type(exp.DType.DATE))


def _is_whole(node: exp.Expr, of: Of) -> bool:
    return of(node).family == "whole" or (_is_untold(node, of) and node.is_type(*_NUMBERS))


def _is_untold(node: exp.Expr, of: Of) -> bool:
    """Whether what sqlglot has noted is all that is known."""
    return of(node).family in ("any", "unknown")
