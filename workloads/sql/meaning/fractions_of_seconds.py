"""Seconds of a time."""

from sqlglot import exp


def fractions_of_seconds(tree: exp.Query) -> exp.Query:
    """Keep the fraction of EXTRACT(SECOND …), which DuckDB cuts off: 15.123456."""
    for part in list(tree.find_all(exp.Extract)):
        if part.name.upper() in ("SECOND", "SECONDS"):
            micros = exp.Extract(this=exp.var("MICROSECONDS"), expression=part.args["expression"])
            exact = exp.Mul(this=micros, expression=exp.Literal.number("0.000001"))
            part.replace(exp.cast(exact, "DECIMAL(8, 6)"))
    return tree
