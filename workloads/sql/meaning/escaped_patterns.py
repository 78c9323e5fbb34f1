"""Patterns of LIKE."""

from sqlglot import exp


def escaped_patterns(tree: exp.Query) -> exp.Query:
    """Name the backslash as what escapes in a pattern: in DuckDB nothing does without a name."""
    for like in list(tree.find_all(exp.Like, exp.ILike)):
        if not isinstance(like.parent, exp.Escape):
            like.replace(exp.Escape(this=like.copy(), expression=exp.Literal.string("\\")))
    return tree
