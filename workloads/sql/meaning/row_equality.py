"""Rows of values that are compared."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def row_equality(tree: exp.Query) -> exp.Query:
    """Compare rows value by value, so that NULL is unknown: DuckDB takes NULL for equal to NULL."""
    for comparison in inner_first(tree, exp.EQ, exp.NEQ):
        left, right = comparison.left.unnest(), comparison.right.unnest()
        if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
            put(comparison, exp.paren(_by_value(left, right, type(comparison))))
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
