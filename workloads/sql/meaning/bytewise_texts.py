"""Collations."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first


def bytewise_texts(tree: exp.Query) -> exp.Query:
    """Drop COLLATE where it names the order of bytes, which is DuckDB's own."""
    for node in inner_first(tree, exp.Collate):
        node.replace(exp.paren(node.this.copy()))
    return tree
