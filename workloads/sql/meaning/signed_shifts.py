"""Shifts of negative numbers."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put, whole_number

_BITS = 31


def signed_shifts(tree: exp.Query) -> exp.Query:
    """Multiply by a power of two, where DuckDB shifts no number below zero: ``-7 << 2``."""
    for node in inner_first(tree, exp.BitwiseLeftShift):
        places = whole_number(node.expression.unnest())
        if places is not None and 0 <= places < _BITS:
            factor = exp.Literal.number(2**places)
            put(node, exp.paren(exp.Mul(this=exp.paren(node.this.copy()), expression=factor)))
    return tree
