"""Numbers with an exponent."""

from decimal import Decimal

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put

_MOST = 30


def exact_literals(tree: exp.Query) -> exp.Query:
    """Write a number with an exponent as the NUMERIC that it is: ``2.5e0`` is a DOUBLE to DuckDB.

    One of more digits than DuckDB's decimals have stays as it is.
    """
    for number in inner_first(tree, exp.Literal):
        if not number.is_string and "e" in number.name.lower():
            text = f"{Decimal(number.name):f}"
            if len(text) <= _MOST:
                put(number, exp.Literal.number(text))
    return tree
