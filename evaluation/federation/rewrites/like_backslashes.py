"""Patterns with backslashes."""

from sqlglot import exp


def like_backslashes(tree: exp.Query) -> exp.Query:
    """Double the backslashes of patterns: they escape in others' LIKE, and not in DuckDB's."""
    for like in list(tree.find_all(exp.Like)):
        pattern = like.expression.unnest()
        if isinstance(pattern, exp.Literal) and not isinstance(like.parent, exp.Escape):
            like.set("expression", exp.Literal.string(pattern.name.replace("\\", "\\\\")))
    return tree
