"""Patterns of LIKE."""

from sqlglot import exp


def escaped_patterns(tree: exp.Query) -> exp.Query:
    r"""Name the backslash as what escapes in a pattern: DuckDB has no escape unless one is named."""
    for like in list(tree.find_all(exp.Like, exp.ILike)):
        if not isinstance(like.parent, exp.Escape):
            like.replace(exp.Escape(this=like.copy(), expression=exp.Literal.string("\\")))
    return tree
