"""Correlations."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def known_correlations(tree: exp.Query) -> exp.Query:
    """Give NULL for correlations and slopes of what does not vary, where DuckDB gives NaN."""
    for node in inner_first(tree, exp.Corr, exp.RegrSlope, exp.RegrIntercept):
        outer: exp.Expr = node
        while isinstance(outer.parent, (exp.Window, exp.Filter)) and outer.arg_key == "this":
            outer = outer.parent
        unknown = exp.Anonymous(this="ISNAN", expressions=[outer.copy()])
        put(outer, exp.case().when(unknown, exp.Null()).else_(outer.copy()))
    return tree
