"""DECIMAL without a scale."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first


def whole_decimals(tree: exp.Query) -> exp.Query:
    """Give a cast to DECIMAL the ten digits and no places that it has: ``CAST(1.5 AS DECIMAL)``."""
    for cast in inner_first(tree, exp.Cast):
        if cast.to.is_type(exp.DType.DECIMAL) and not cast.to.expressions:
            cast.set("to", exp.DataType.build("DECIMAL(10, 0)"))
    return tree
