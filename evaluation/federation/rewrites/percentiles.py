"""Percentiles of a column."""

from sqlglot import exp


def percentiles(tree: exp.Query) -> exp.Query:
    """Write QUANTILE_CONT(x, share) as Spark's PERCENTILE, which interpolates alike."""
    for node in list(tree.find_all(exp.PercentileCont)):
        share = node.args.get("expression")
        if share is not None:
            node.replace(exp.Anonymous(this="PERCENTILE", expressions=[node.this, share]))
    return tree
