"""NUMERIC without a scale."""

from sqlglot import exp

from workloads.sql.meaning.number_kinds import FLOATING
from workloads.sql.meaning.replacing import inner_first


def unscaled_numbers(tree: exp.Query) -> exp.Query:
    """Keep all places of a cast to NUMERIC, where DuckDB has three: ``1.2345::numeric``."""
    for cast in inner_first(tree, exp.Cast):
        if not cast.to.is_type(exp.DType.DECIMAL) or cast.to.expressions:
            continue
        value = cast.this
        if value.is_type(*exp.DataType.INTEGER_TYPES):
            cast.set("to", exp.DataType.build("DECIMAL(38, 0)"))
        elif value.is_type(exp.DType.DECIMAL, *FLOATING):
            # What is a number with places has them all.
            cast.replace(exp.paren(value.copy()))
        else:
            cast.set("to", exp.DataType.build("DOUBLE"))
    return tree
