"""The clauses of a node of syntax."""

from sqlglot import exp


def given(node: exp.Expr) -> set[str]:
    """Return the names of the clauses that a node has."""
    return {key for key, value in node.args.items() if value}
