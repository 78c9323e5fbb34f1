"""Division and averages in double precision, as the source dialect means them."""

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Kinds, noted
from workloads.sql.typing.value_kinds import EXACT


def float_division(tree: exp.Query) -> exp.Query:
    """Cast the dividend of every untyped division to DOUBLE.

    DuckDB divides integers and decimals as doubles; PostgreSQL truncates integers, MariaDB keeps
    four more digits, Spark a scale of its own. With the cast all four agree.
    """
    for division in tree.find_all(exp.Div):
        if not division.args.get("typed") and not _is_double(division.left):
            division.set("this", exp.cast(exp.paren(division.left.copy()), exp.DType.DOUBLE))
            division.set("typed", True)
    return tree


def float_average(tree: exp.Query) -> exp.Query:
    """Average doubles, but for what DuckDB adds exactly: that each dialect's rules divide."""
    of = Kinds(noted)
    for average in tree.find_all(exp.Avg):
        argument = average.this
        if isinstance(argument, exp.Distinct):
            values = [
                value if of(value).family in EXACT else exp.cast(value.copy(), exp.DType.DOUBLE)
                for value in argument.expressions
            ]
            argument.set("expressions", values)
        elif not _is_double(argument) and of(argument).family not in EXACT:
            average.set("this", exp.cast(argument.copy(), exp.DType.DOUBLE))
    return tree


def _is_double(node: exp.Expr) -> bool:
    return isinstance(node, exp.Cast) and node.is_type(exp.DType.DOUBLE)
