"""Sums of 64-bit numbers."""

from sqlglot import exp

from workloads.sql.types import Kinds, noted

_SIXTY_FOUR_BITS = 19


def wide_sums(tree: exp.Query) -> exp.Query:
    """Sum 64-bit columns as decimals: DuckDB's sums have 128 bits, Spark's 64.

    Columns know their types.
    """
    of = Kinds(noted)
    for node in list(tree.find_all(exp.Sum)):
        argument = node.this
        kind = of(argument)
        is_wide = kind.family == "whole" and kind.digits >= _SIXTY_FOUR_BITS
        if isinstance(argument, exp.Column) and is_wide:
            node.set("this", exp.cast(argument.copy(), exp.DataType.build("DECIMAL(20, 0)")))
    return tree
