"""Rounding of numbers in floating point."""

from sqlglot import exp

from workloads.sql.meaning.number_kinds import is_floating
from workloads.sql.meaning.replacing import inner_first, put


def half_even_rounding(tree: exp.Query) -> exp.Query:
    """Round a DOUBLE that lies between two whole numbers to the even one: ``ROUND(2.5e0)`` is 2."""
    for rounded in inner_first(tree, exp.Round):
        if rounded.args.get("decimals") is None and is_floating(rounded.this):
            put(rounded, exp.func("ROUND_EVEN", rounded.this, exp.Literal.number(0)))
    return tree
