"""The sign of a number as a whole number."""

from sqlglot import exp


def whole_signs(tree: exp.Query) -> exp.Query:
    """Cast what SIGN returns, as DuckDB has it: -1, 0 and 1 are a DOUBLE in Spark."""
    # The innermost first: what is made of it holds a copy.
    for node in reversed(list(tree.find_all(exp.Sign))):
        node.replace(exp.cast(node.copy(), exp.DType.TINYINT))
    return tree
