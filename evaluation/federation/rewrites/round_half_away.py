"""Rounding away from zero at a half."""

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Kinds, noted

_MOST_DIGITS = 15
_BELOW_HALF = "0.49999999999999994"


def round_half_away(tree: exp.Query) -> exp.Query:
    """Compute rounding as DuckDB does: stores round halves of a DOUBLE to the even neighbour.

    ROUND(x, k) is sign(x) * floor(abs(x) * 10^k + 0.5) / 10^k, for decimals too. To a DOUBLE the
    next number below 0.5 is added: with 0.5 itself 0.49999999999999994 would be 1. A decimal is
    multiplied by 10^-k: PostgreSQL's quotients of long ones have no digit after the point.
    """
    of = Kinds(noted)
    for node in list(tree.find_all(exp.Round)):
        digits = _digits(node)
        if digits is None or node.this.find(exp.Query) is not None:
            continue
        value = node.this
        scale = exp.Literal.number(10**digits)
        grown: exp.Expr = exp.Abs(this=value.copy())
        if digits:
            grown = exp.Mul(this=grown, expression=scale.copy())
        family = of(value).family
        added = _BELOW_HALF if family == "double" else "0.5"
        half = exp.Add(this=grown, expression=exp.Literal.number(added))
        rounded: exp.Expr = exp.Mul(
            this=exp.Sign(this=value.copy()), expression=exp.Floor(this=half)
        )
        if digits and family == "decimal":
            least = exp.Literal.number(f"0.{1:0{digits}d}")
            rounded = exp.Mul(this=exp.paren(rounded), expression=least)
        elif digits:
            rounded = exp.Div(this=exp.paren(rounded), expression=scale, typed=True)
        node.replace(exp.paren(rounded))
    return tree


def _digits(node: exp.Round) -> int | None:
    """Return the digits after the point, 0 to 15, if they are a number."""
    decimals = node.args.get("decimals")
    if decimals is None:
        return 0
    if isinstance(decimals, exp.Literal) and decimals.this.isdigit():
        digits = int(decimals.this)
        return digits if digits <= _MOST_DIGITS else None
    return None
