"""Casts of numbers to whole ones."""

from sqlglot import exp

from workloads.sql.meaning.number_kinds import is_unscaled
from workloads.sql.meaning.replacing import inner_first


def half_up_casts(tree: exp.Query) -> exp.Query:
    """Round quotients and averages that are no DOUBLE away from 0: ``(5 / 2.0)::int`` is 3.

    To DuckDB they are DOUBLE, whose cast rounds to the even number.
    """
    for cast in inner_first(tree, exp.Cast):
        if cast.is_type(*exp.DataType.INTEGER_TYPES) and is_unscaled(cast.this):
            cast.set("this", exp.func("ROUND", cast.this.copy()))
    return tree
