"""Timestamps with microseconds."""

from sqlglot import exp

_MOMENTS = (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.DATETIME)


def fractional_seconds(tree: exp.Query) -> exp.Query:
    """Cast to timestamps of microseconds: MySQL's DATETIME has whole seconds alone."""
    for cast in tree.find_all(exp.Cast):
        if cast.is_type(*_MOMENTS):
            cast.set("to", exp.DataType.build("DATETIME(6)", dialect="mysql"))
    return tree
