"""Sums and products of whole numbers."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put

_NARROW = (exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BOOLEAN)


def wide_sums(tree: exp.Query) -> exp.Query:
    """Compute with 64 bits, where DuckDB has as many as the wider side: 2147483647 + 1."""
    for node in inner_first(tree, exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Abs):
        side = node.this
        if isinstance(side, exp.Literal) or side.find(exp.Div, exp.Avg):
            # A quotient has places, whatever sqlglot takes it for.
            continue
        if side.is_type(*_NARROW):
            put(side, exp.cast(side.copy(), "BIGINT")).type = exp.DataType.build("BIGINT")
    return tree
