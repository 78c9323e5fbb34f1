"""Quotients of whole numbers."""

from sqlglot import exp

from workloads.sql.meaning.number_kinds import is_unscaled, is_whole
from workloads.sql.meaning.replacing import inner_first, put


def whole_quotients(tree: exp.Query) -> exp.Query:
    """Write the quotient of two whole numbers as a whole number, cut off: ``7 / 2`` is 3."""
    for quotient in inner_first(tree, exp.Div):
        sides = quotient.left, quotient.right
        # In PostgreSQL sums of BIGINT, and parts of dates, are NUMERIC.
        if any(map(is_unscaled, sides)) or not all(map(is_whole, sides)):
            quotient.set("typed", False)
        else:
            put(quotient, exp.IntDiv(this=quotient.left, expression=quotient.right))
    return tree
