"""Patterns of LIKE."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def escaped_patterns(tree: exp.Query) -> exp.Query:
    """Name the backslash as what escapes in a pattern: in DuckDB nothing does without a name."""
    for like in inner_first(tree, exp.Like, exp.ILike):
        if not isinstance(like.parent, exp.Escape):
            put(like, exp.Escape(this=like.copy(), expression=exp.Literal.string("\\")))
    return tree
