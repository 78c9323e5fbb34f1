"""Moments without a zone."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first


def plain_timestamps(tree: exp.Query) -> exp.Query:
    """Give ``TIMESTAMP '2000-01-01'`` no zone: sqlglot takes it for a column's TIMESTAMP."""
    for cast in inner_first(tree, exp.Cast):
        if cast.to.is_type(exp.DType.TIMESTAMPTZ):
            cast.set("to", exp.DataType.build("TIMESTAMP"))
            cast.type = cast.to
    return tree
