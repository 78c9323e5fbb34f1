"""Texts that are compared by their bytes."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def plain_bytes(tree: exp.Query) -> exp.Query:
    """Drop BINARY before a text: all are compared by their bytes already."""
    for cast in inner_first(tree, exp.Cast):
        if cast.to.is_type(exp.DType.BINARY) and not cast.to.expressions:
            put(cast, exp.cast(cast.this.copy(), "TEXT"))
    return tree
