"""Rows of values that are compared."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put

_ORDERED: dict[type[exp.Binary], type[exp.Binary]] = {
    exp.LT: exp.LT, exp.LTE: exp.LT, exp.GT: exp.GT, exp.GTE: exp.GT
}  # fmt: skip
"""Comparison of rows → that of their values but the last."""


def row_equality(tree: exp.Query) -> exp.Query:
    """Compare rows value by value, so that NULL is unknown: DuckDB takes NULL for equal to NULL."""
    for comparison in inner_first(tree, exp.EQ, exp.NEQ, *_ORDERED):
        left, right = comparison.left.unnest(), comparison.right.unnest()
        if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
            compare = type(comparison)
            by_value = _in_order if compare in _ORDERED else _by_value
            put(comparison, exp.paren(by_value(left, right, compare)))
    for listed in inner_first(tree, exp.In):
        row, rows = listed.this.unnest(), listed.expressions
        if isinstance(row, exp.Tuple) and rows and all(isinstance(r, exp.Tuple) for r in rows):
            each = (exp.paren(_by_value(row, other, exp.EQ)) for other in rows)
            put(listed, exp.paren(exp.or_(*each, copy=False)))
    return tree


def _by_value(left: exp.Tuple, right: exp.Tuple, compare: type[exp.Binary]) -> exp.Expr:
    pairs = zip(left.expressions, right.expressions, strict=True)
    parts = [compare(this=one.copy(), expression=other.copy()) for one, other in pairs]
    combined = exp.and_ if compare is exp.EQ else exp.or_
    return combined(*parts, copy=False)


def _in_order(left: exp.Tuple, right: exp.Tuple, compare: type[exp.Binary]) -> exp.Expr:
    """Return a < c OR (a = c AND b < d): the first values that differ decide."""
    *pairs, (one, other) = zip(left.expressions, right.expressions, strict=True)
    found: exp.Expr = compare(this=one.copy(), expression=other.copy())
    for first, second in reversed(pairs):
        same = exp.EQ(this=first.copy(), expression=second.copy())
        before = _ORDERED[compare](this=first.copy(), expression=second.copy())
        found = exp.or_(before, exp.and_(same, exp.paren(found), copy=False), copy=False)
    return found
