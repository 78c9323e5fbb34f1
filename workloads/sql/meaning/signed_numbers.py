"""Numbers without a sign."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put

_UNSIGNED = {
    exp.DType.UTINYINT: "SMALLINT",
    exp.DType.USMALLINT: "INT",
    exp.DType.UINT: "BIGINT",
    exp.DType.UBIGINT: "DECIMAL(20, 0)",
}
"""Type that PostgreSQL has not → the one in which it holds the values."""


def signed_numbers(tree: exp.Query) -> exp.Query:
    """Compute with numbers that have a sign: ``u - 5`` may be below zero."""
    for node in inner_first(tree, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg):
        for side in list(node.iter_expressions()):
            held = _UNSIGNED.get(side.type.this) if side.type is not None else None
            if held is not None:
                put(side, exp.cast(side.copy(), held)).type = exp.DataType.build(held)
    return tree
