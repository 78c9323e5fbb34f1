"""Texts that are taken for numbers."""

from sqlglot import exp

from workloads.sql.meaning.replacing import UnlikeError, inner_first, put

TEXTS = (
    exp.Left, exp.Right, exp.Substring, exp.Pad, exp.Repeat, exp.SubstringIndex, exp.Replace,
    exp.Reverse,
)  # fmt: skip
"""Functions whose type sqlglot leaves open, or that has been lost."""
_WHOLE = r"^\s*([-+]?\d+)"
_REAL = r"^\s*([-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)"
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ)
_OPERATORS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg)
_NUMBERED = "a date meets a number: write DATE '…', INTERVAL or DATEDIFF"


def leading_numbers(tree: exp.Query) -> exp.Query:
    """Read the number that a text begins with, or 0: ``CAST('3 km' AS SIGNED)`` is 3."""
    for node in inner_first(tree, exp.Cast, *_COMPARISONS, *_OPERATORS, exp.In, exp.Between):
        if isinstance(node, exp.Cast):
            if _is_text(node.this) and node.is_type(*exp.DataType.NUMERIC_TYPES):
                whole = node.is_type(*exp.DataType.INTEGER_TYPES)
                node.set("this", _number(node.this, whole=whole))
        elif isinstance(node, (exp.In, exp.Between)):
            _listed(node)
        elif isinstance(node, _OPERATORS) or _is_mixed(node.this, node.expression):
            for side in list(node.iter_expressions()):
                if _is_text(side):
                    put(side, _number(side, whole=False)).type = exp.DataType.build("DOUBLE")
                elif side.is_type(*exp.DataType.TEMPORAL_TYPES) and not _is_moved(node, side):
                    raise UnlikeError(node, _NUMBERED)
    return tree


def _listed(node: exp.Expr) -> None:
    """Read the numbers of texts that a number is compared with, which are literals."""
    if not node.this.is_type(*exp.DataType.NUMERIC_TYPES):
        return
    for each in list(node.iter_expressions()):
        if each is not node.this and isinstance(each, exp.Literal) and each.is_string:
            each.replace(_number(each, whole=False))


def _is_mixed(left: exp.Expr, right: exp.Expr) -> bool:
    """Whether a text or a day is compared with a number."""
    return any(
        (_is_text(one) or one.is_type(*exp.DataType.TEMPORAL_TYPES))
        and other.is_type(*exp.DataType.NUMERIC_TYPES)
        for one, other in ((left, right), (right, left))
    )


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, TEXTS) or bool(node.is_type(*exp.DataType.TEXT_TYPES))


def _number(text: exp.Expr, *, whole: bool) -> exp.Expr:
    """Return the number that a text begins with, 0 where it does with none, NULL for NULL."""
    if isinstance(text, exp.Literal):
        try:
            value = float(text.name)
        except ValueError:
            pass
        else:
            if value >= 0 and text.name.replace(".", "").isdigit():
                return exp.Literal.number(text.name)
    pattern = exp.Literal.string(_WHOLE if whole else _REAL)
    begun = exp.Anonymous(
        this="REGEXP_EXTRACT", expressions=[text.copy(), pattern, exp.Literal.number(1)]
    )
    read = exp.TryCast(this=begun, to=exp.DataType.build("BIGINT" if whole else "DOUBLE"))
    found = exp.func("COALESCE", read, exp.Literal.number(0))
    unknown = exp.Is(this=text.copy(), expression=exp.Null())
    return exp.case().when(unknown, exp.Null()).else_(found)


def _is_moved(node: exp.Expr, day: exp.Expr) -> bool:
    """Whether what is added to a day, or subtracted, is no number: nor a day, which is one."""
    numbers = (*exp.DataType.NUMERIC_TYPES, *exp.DataType.TEMPORAL_TYPES)
    others = [each for each in node.iter_expressions() if each is not day]
    return all(isinstance(each, exp.Interval) or not each.is_type(*numbers) for each in others)
