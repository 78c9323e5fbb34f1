"""Rounding where a store rounds decimals only."""

from sqlglot import exp


def round_decimals(tree: exp.Query) -> exp.Query:
    """Cast what is rounded to a digit to DECIMAL: PostgreSQL has no round(double, digits)."""
    for node in tree.find_all(exp.Round):
        if node.args.get("decimals") is not None:
            node.set("this", exp.cast(node.this.copy(), exp.DType.DECIMAL))
    return tree
