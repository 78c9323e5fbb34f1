"""Exact numbers in PostgreSQL and MySQL, and their places.

sqlglot takes 2.5 for a DOUBLE, which is a decimal to both; DuckDB's quotients are DOUBLE.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

FLOATING = (exp.DType.DOUBLE, exp.DType.FLOAT)
WHOLE = (*exp.DataType.INTEGER_TYPES, exp.DType.BOOLEAN)
_OPERATORS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_AVERAGES = (
    exp.Avg,
    exp.Stddev,
    exp.StddevSamp,
    exp.StddevPop,
    exp.Variance,
    exp.VariancePop,
)
_SAME = (
    exp.Paren, exp.Neg, exp.Abs, exp.Sum, exp.Max, exp.Min, exp.Window, exp.Filter, exp.Nullif,
    exp.FirstValue, exp.LastValue, exp.Lag, exp.Lead,
)  # fmt: skip
_COUNTED = (
    exp.BitwiseCount, exp.Ascii, exp.StrPosition, exp.Length, exp.DayOfWeek, exp.Week,
    exp.DateDiff, exp.TimestampDiff,
)  # fmt: skip
_COUNTING = frozenset(
    (
        *("WEEKDAY", "MICROSECOND", "TO_DAYS", "BIT_LENGTH", "OCTET_LENGTH", "LOCATE", "ISODOW"),
        "CARDINALITY",
    )
)
"""Functions whose type sqlglot leaves open: whole numbers."""
_DIVIDING = frozenset({"GCD", "LCM"})
"""Functions whose type sqlglot leaves open: whole numbers where their arguments are."""
_ROUNDED = (exp.Round, exp.Trunc, exp.Floor, exp.Ceil)
_MORE = 4
"""The places that a quotient of MySQL has more than its dividend (`div_precision_increment`)."""


def is_floating(node: Expr) -> bool:
    """Whether a number is in floating point in both dialects."""
    if isinstance(node, exp.Literal):
        return not node.is_string and "e" in node.name.lower()
    if isinstance(node, exp.Distinct):
        return any(map(is_floating, node.expressions))
    if isinstance(node, (*_OPERATORS, *_AVERAGES, *_SAME, *_ROUNDED)):
        return any(is_floating(each) for each in _operands(node))
    if isinstance(node, exp.Sign):
        # PostgreSQL's is of a DOUBLE, but for a NUMERIC.
        return bool(node.this.is_type(*WHOLE, *FLOATING))
    branches = _branches(node)
    return any(map(is_floating, branches)) if branches else bool(node.is_type(*FLOATING))


def is_whole(node: Expr) -> bool:
    """Whether a number of PostgreSQL is a whole one, which its SIGN is not."""
    if isinstance(node, (exp.Sign, exp.Div, exp.IntDiv)):
        # What is cut off has become the latter before.
        return isinstance(node, exp.IntDiv)
    if isinstance(node, (*_OPERATORS, *_SAME)):
        # The difference of two days is a whole number too.
        numbers = [
            e for e in _operands(node) if _counts(e) or e.is_type(*exp.DataType.NUMERIC_TYPES)
        ]
        if numbers:
            return all(map(is_whole, numbers))
    return _counts(node) or bool(node.is_type(*exp.DataType.INTEGER_TYPES))


def _counts(node: Expr) -> bool:
    if _divides(node):
        return all(map(is_whole, node.expressions))
    return isinstance(node, exp.Anonymous) and node.name.upper() in _COUNTING


def _divides(node: Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() in _DIVIDING


def is_unscaled(node: Expr) -> bool:
    """Whether a number is a NUMERIC of PostgreSQL with as many places as its value takes."""
    if isinstance(node, exp.Cast):
        return bool(node.to.is_type(exp.DType.DECIMAL)) and not node.to.expressions
    if isinstance(node, exp.Sum) and _is_long(node.this):
        return True
    if isinstance(node, (*_OPERATORS, *_AVERAGES, *_SAME, *_ROUNDED)):
        return not is_floating(node) and (
            _has_places(node) or any(map(is_unscaled, _operands(node)))
        )
    return isinstance(node, exp.Extract) or any(map(is_unscaled, _branches(node)))


def _is_long(node: Expr) -> bool:
    """Whether a whole number of PostgreSQL is a BIGINT, as sqlglot says of the length of a text."""
    if isinstance(node, (exp.Ascii, exp.StrPosition, exp.Length)):
        return False
    if not isinstance(node, exp.Sum) and (
        isinstance(node, (*_OPERATORS, *_SAME)) or _divides(node)
    ):
        return any(map(_is_long, _operands(node)))
    return isinstance(node, exp.Sum) or bool(node.is_type(exp.DType.BIGINT))


def _has_places(node: Expr) -> bool:
    """Whether a number that is not in floating point has more places than what it is made of."""
    if isinstance(node, exp.Div):
        return not all(side.is_type(*WHOLE) for side in (node.left, node.right))
    return isinstance(node, _AVERAGES)


def places(node: Expr) -> int | None:
    """Return the places that an exact number of MySQL has; None where it is none."""
    for kinds, counted in _PLACES:
        if isinstance(node, kinds):
            return counted(node)
    branches = [each for each in _branches(node) if not isinstance(each, exp.Null)]
    return _most(branches) if branches else _of_type(node)


def _of_literal(node: Expr) -> int | None:
    if node.is_string or "e" in node.name.lower():
        return None
    return len(node.name.partition(".")[2])


def _of_quotient(node: Expr) -> int | None:
    return None if places(node.expression) is None else _more(node.this)


def _of_product(node: Expr) -> int | None:
    one, other = places(node.this), places(node.expression)
    return None if one is None or other is None else one + other


def _more(node: Expr) -> int | None:
    found = places(node)
    return None if found is None else found + _MORE


def _most(nodes: Sequence[Expr]) -> int | None:
    found = [places(each) for each in nodes]
    return None if None in found else max((each or 0 for each in found), default=0)


def _rounded(node: Expr) -> int | None:
    found, decimals = places(node.this), node.args.get("decimals")
    if found is None or decimals is None:
        return None if found is None else 0
    if isinstance(decimals, exp.Literal) and decimals.name.isdigit():
        return min(found, int(decimals.name))
    return 0 if isinstance(decimals, exp.Neg) else found


def _of_type(node: Expr) -> int | None:
    type_ = node.type
    if type_ is None:
        return None
    if type_.is_type(*WHOLE):
        return 0
    if type_.is_type(exp.DType.DECIMAL):
        arguments = [int(each.name) for each in type_.expressions if each.name.isdigit()]
        return arguments[1] if len(arguments) > 1 else 0
    return None


def _operands(node: Expr) -> list[Expr]:
    if isinstance(node, (exp.Window, exp.Filter, exp.Nullif, *_ROUNDED)):
        return [node.this]
    if isinstance(node, (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue)):
        return [node.this]
    return list(node.iter_expressions())


def _branches(node: Expr) -> list[Expr]:
    """Return what a node may be, where it is one of several."""
    if isinstance(node, (exp.Coalesce, exp.Greatest, exp.Least)):
        return [node.this, *node.expressions]
    if isinstance(node, exp.If):
        return [each for each in (node.args.get("true"), node.args.get("false")) if each]
    if isinstance(node, exp.Case):
        found = [each.args["true"] for each in node.args["ifs"]]
        default = node.args.get("default")
        return [*found, default] if default is not None else found
    return []


_PLACES: tuple[tuple[tuple[type[Expr], ...], Callable[[Expr], int | None]], ...] = (
    ((exp.Literal,), _of_literal),
    ((exp.Div,), _of_quotient),
    ((exp.IntDiv, *_COUNTED), lambda _: 0),
    ((exp.Anonymous,), lambda node: 0 if node.name.upper() in _COUNTING else None),
    ((exp.Mul,), _of_product),
    ((exp.Add, exp.Sub, exp.Mod), lambda node: _most((node.this, node.expression))),
    ((exp.Avg,), lambda node: _more(node.this)),
    ((exp.Distinct,), lambda node: _most(node.expressions)),
    (_SAME, lambda node: places(node.this)),
    (_ROUNDED, _rounded),
)
