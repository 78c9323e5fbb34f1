"""Substrings that begin before their text."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def clipped_substrings(tree: exp.Query) -> exp.Query:
    """Begin at the first letter, and count those before it as read: DuckDB counts from the end.

    ``SUBSTRING('abc', -1, 3)`` has the places -1, 0 and 1, of which the last one holds a letter.
    """
    for part in inner_first(tree, exp.Substring):
        start, length = part.args.get("start"), part.args.get("length")
        if start is None or (isinstance(start, exp.Literal) and int(start.name) > 0):
            continue
        put(part, _clipped(part.this, start, length))
    return tree


def _clipped(text: exp.Expr, start: exp.Expr, length: exp.Expr | None) -> exp.Expr:
    """Return CASE WHEN start < 1 THEN the beginning that is left ELSE the substring END."""
    one, zero = exp.Literal.number(1), exp.Literal.number(0)
    beginning, left = text.copy(), None
    if length is not None:
        before = exp.Sub(this=exp.paren(start.copy()), expression=one.copy())
        rest = exp.Add(this=exp.paren(length.copy()), expression=before)
        left = exp.case().when(exp.LT(this=rest, expression=zero), zero.copy()).else_(rest.copy())
        beginning = exp.Substring(this=text.copy(), start=one.copy(), length=left)
    whole = exp.Substring(
        this=text.copy(), start=start.copy(), length=length.copy() if length is not None else None
    )
    early = exp.LT(this=exp.paren(start.copy()), expression=one.copy())
    return exp.case().when(early, beginning).else_(whole)
