"""Concatenations with NULL, which are NULL without a type."""

from sqlglot import exp


def null_concatenation(tree: exp.Query) -> exp.Query:
    """Write x || NULL as NULL, which DuckDB makes of it before it has a type: Spark's is text."""
    # The innermost first: a longer one is a concatenation of it.
    for node in reversed(list(tree.find_all(exp.DPipe))):
        if any(isinstance(each.unnest(), exp.Null) for each in (node.this, node.expression)):
            node.replace(exp.null())
    return tree
