"""Seconds of a time."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put

_PARTS = {
    **dict.fromkeys(("SECOND", "SECONDS"), ("0.000001", "DECIMAL(8, 6)")),
    **dict.fromkeys(("MILLISECOND", "MILLISECONDS"), ("0.001", "DECIMAL(8, 3)")),
}


def fractions_of_seconds(tree: exp.Query) -> exp.Query:
    """Keep the fraction of EXTRACT(SECOND …), which DuckDB cuts off: 15.123456."""
    for part in inner_first(tree, exp.Extract):
        if part.name.upper() in _PARTS:
            share, type_ = _PARTS[part.name.upper()]
            micros = exp.Extract(this=exp.var("MICROSECONDS"), expression=part.args["expression"])
            exact = exp.Mul(this=micros, expression=exp.Literal.number(share))
            put(part, exp.cast(exact, type_))
    return tree
