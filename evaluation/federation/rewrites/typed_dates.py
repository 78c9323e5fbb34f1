"""Literals that are compared with dates."""

from sqlglot import exp

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In)
_MOMENTS = (exp.DType.DATE, exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ)


def typed_dates(tree: exp.Query) -> exp.Query:
    """Cast text that is compared with a date or a timestamp to its type: Trino never does.

    Nodes know their types.
    """
    for comparison in list(tree.find_all(*_COMPARISONS)):
        values = [each for each in comparison.iter_expressions() if isinstance(each, exp.Expr)]
        moments = [each for each in values if each.is_type(*_MOMENTS)]
        if not moments or moments[0].type is None:
            continue
        for value in values:
            if isinstance(value, exp.Literal) and value.is_string:
                value.replace(exp.cast(value.copy(), moments[0].type.this))
    return tree
