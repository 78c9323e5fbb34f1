"""Quotients of whole numbers."""

from sqlglot import exp


def whole_quotients(tree: exp.Query) -> exp.Query:
    """Write the quotient of two whole numbers as a whole number, cut off: ``7 / 2`` is 3."""
    for quotient in list(tree.find_all(exp.Div)):
        sides = quotient.left, quotient.right
        if all(side.is_type(*exp.DataType.INTEGER_TYPES) for side in sides):
            quotient.replace(exp.IntDiv(this=quotient.left, expression=quotient.right))
    return tree
