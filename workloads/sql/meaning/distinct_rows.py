"""Distinct rows of several values."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first


def distinct_rows(tree: exp.Query) -> exp.Query:
    """Count the rows of which no value is NULL: ``COUNT(DISTINCT a, b)``.

    sqlglot writes each value twice, and a DATEDIFF otherwise the second time.
    """
    for distinct in inner_first(tree, exp.Distinct):
        values = distinct.expressions
        if not isinstance(distinct.parent, exp.Count) or len(values) == 1:
            continue
        known = [exp.Not(this=exp.Is(this=each.copy(), expression=exp.null())) for each in values]
        row = exp.Tuple(expressions=[each.copy() for each in values])
        distinct.set("expressions", [exp.case().when(exp.and_(*known, copy=False), row)])
    return tree
