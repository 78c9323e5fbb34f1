"""Rounding of numbers in floating point."""

from sqlglot import exp

_FLOATING = (exp.DType.DOUBLE, exp.DType.FLOAT)
_OPERATORS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.Paren)


def half_even_rounding(tree: exp.Query) -> exp.Query:
    """Round a DOUBLE that lies between two whole numbers to the even one: ``ROUND(2.5e0)`` is 2."""
    for rounded in list(tree.find_all(exp.Round)):
        if rounded.args.get("decimals") is None and _is_floating(rounded.this):
            rounded.replace(exp.func("ROUND_EVEN", rounded.this, exp.Literal.number(0)))
    return tree


def _is_floating(node: exp.Expr) -> bool:
    """Whether a number is in floating point: ``2.5``, a DOUBLE to sqlglot, is a decimal."""
    if isinstance(node, exp.Literal):
        return "e" in node.name.lower()
    if isinstance(node, exp.Avg):
        return bool(node.this.is_type(*_FLOATING))
    if isinstance(node, _OPERATORS):
        return any(_is_floating(each) for each in node.iter_expressions())
    return node.is_type(*_FLOATING)
