"""Differences of days."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first

_KEEPING = (exp.Paren, exp.Neg, exp.Abs, exp.Nullif)
_MADE = (exp.DateFromParts, exp.StrToDate)
_OPERATORS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)


def whole_differences(tree: exp.Query) -> exp.Query:
    """Take the difference of two days for the whole number that it is: ``(d - e) / 7``."""
    for node in inner_first(tree, exp.Sub):
        if _is_day(node.left) and _is_day(node.right):
            _mark(node)
    return tree


def _is_day(node: exp.Expr) -> bool:
    """Whether it is a day: sqlglot does not know what MAKE_DATE and a later day are."""
    node = node.unnest()
    if isinstance(node, (exp.Add, exp.Sub)):
        return _is_day(node.left) and bool(node.right.is_type(*exp.DataType.INTEGER_TYPES))
    if isinstance(node, (exp.Coalesce, exp.Greatest, exp.Least)):
        return all(map(_is_day, (node.this, *node.expressions)))
    made = isinstance(node, exp.Anonymous) and node.name.upper() == "MAKE_DATE"
    return made or isinstance(node, _MADE) or bool(node.is_type(exp.DType.DATE))


def _mark(node: exp.Expr) -> None:
    """Give a node, and what is computed of it and whole numbers, the type of a whole number."""
    node.type = exp.DataType.build("INT")
    above = node.parent
    if isinstance(above, _KEEPING):
        _mark(above)
    elif isinstance(above, _OPERATORS):
        other = above.right if above.left is node else above.left
        if other.is_type(*exp.DataType.INTEGER_TYPES):
            _mark(above)
