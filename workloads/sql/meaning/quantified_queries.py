"""Queries behind ALL and ANY."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first


def quantified_queries(tree: exp.Query) -> exp.Query:
    """Put a query behind ALL into brackets, which sqlglot drops: ``n > ALL (SELECT v FROM t)``."""
    for node in inner_first(tree, exp.All, exp.Any):
        if isinstance(node.this, exp.Select):
            node.set("this", exp.paren(node.this.copy()))
    return tree
