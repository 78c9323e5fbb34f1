"""Rounding of a DOUBLE to digits after its point."""

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Kinds, noted

_LARGEST = 300
"""The decimal exponent up to which a DOUBLE is far from infinity."""


def round_by_scale(tree: exp.Query) -> exp.Query:
    """Round x * 10^k and divide by 10^k, as DuckDB does: Spark rounds the digits that it shows.

    2.675 is 2.67499… in binary: DuckDB rounds it to 2.67, Spark to 2.68. Columns know their types.
    """
    of = Kinds(noted)
    found = [each for each in tree.find_all(exp.Round) if of(each.this).family == "double"]
    for node in found:
        decimals = node.args.get("decimals")
        if not isinstance(decimals, exp.Literal) or not decimals.name.isdigit():
            continue
        if int(decimals.name) == 0:
            continue
        value = exp.paren(node.this.copy())
        scale = exp.cast(exp.Literal.number(10 ** int(decimals.name)), exp.DType.DOUBLE)
        grown = exp.Mul(this=value, expression=scale)
        rounded = exp.Div(this=exp.Round(this=grown), expression=scale.copy(), typed=True)
        # Larger ones have nothing to round, and would grow to infinity.
        largest = exp.cast(
            exp.Literal.number(f"1e{_LARGEST - int(decimals.name)}"), exp.DType.DOUBLE
        )
        fits = exp.LTE(this=exp.Abs(this=value.copy()), expression=largest)
        node.replace(exp.Case().when(fits, rounded, copy=False).else_(value.copy(), copy=False))
    return tree
