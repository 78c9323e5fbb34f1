"""Logarithms to the base of ten."""

from sqlglot import exp


def decimal_logarithm(tree: exp.Query) -> exp.Query:
    """Name the base of LOG(x): DuckDB's is ten, MySQL's and Spark's is e."""
    for node in list(tree.find_all(exp.Log)):
        if node.args.get("expression") is None:
            value = node.this
            node.set("this", exp.Literal.number(10))
            node.set("expression", value.copy())
    return tree
