"""Substrings that begin nowhere."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def empty_substrings(tree: exp.Query) -> exp.Query:
    """Give no letters from place 0, or from further before the end than the text is long.

    ``SUBSTRING('a', -2)`` is empty, where DuckDB begins with the first letter.
    """
    for part in inner_first(tree, exp.Substring):
        start = part.args.get("start")
        if start is None or (isinstance(start, exp.Literal) and int(start.name) > 0):
            continue
        before = exp.Neg(this=exp.paren(start.copy()))
        nowhere = exp.or_(
            exp.EQ(this=exp.paren(start.copy()), expression=exp.Literal.number(0)),
            exp.GT(this=before, expression=exp.Length(this=part.this.copy())),
            copy=False,
        )
        # Nothing of no text is NULL.
        nothing = exp.Left(this=part.this.copy(), expression=exp.Literal.number(0))
        put(part, exp.case().when(nowhere, nothing).else_(part.copy()))
    return tree
