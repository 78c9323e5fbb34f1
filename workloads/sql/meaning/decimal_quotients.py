"""Quotients and averages of exact numbers."""

from sqlglot import exp

_MORE = 4
"""The places that a quotient has more than its dividend (`div_precision_increment`)."""
_EXACT = (*exp.DataType.INTEGER_TYPES, exp.DType.DECIMAL)


def decimal_quotients(tree: exp.Query) -> exp.Query:
    """Give the quotient of exact numbers four places more than its dividend: 1 / 3 is 0.3333."""
    for quotient in list(tree.find_all(exp.Div)):
        if all(side.is_type(*_EXACT) for side in (quotient.left, quotient.right)):
            scale = _scale(quotient.left)
            _cast(quotient, scale)
    return tree


def decimal_averages(tree: exp.Query) -> exp.Query:
    """Give the average of exact numbers four places more than they have."""
    for average in list(tree.find_all(exp.Avg)):
        values = average.this.expressions[0] if isinstance(average.this, exp.Distinct) else None
        value = values if values is not None else average.this
        if value.is_type(*_EXACT):
            _cast(average, _scale(value))
    return tree


def _cast(node: exp.Expr, scale: int) -> None:
    outer = node.parent if isinstance(node.parent, (exp.Window, exp.Filter)) else node
    outer.replace(exp.cast(outer.copy(), f"DECIMAL(38, {scale + _MORE})"))


def _scale(node: exp.Expr) -> int:
    type_ = node.type
    if type_ is None or not type_.is_type(exp.DType.DECIMAL):
        return 0
    arguments = [int(each.name) for each in type_.expressions if each.name.isdigit()]
    return arguments[1] if len(arguments) > 1 else 0
