"""Fractions of a second."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def microseconds(tree: exp.Query) -> exp.Query:
    """Leave the seconds out of MICROSECOND: DuckDB counts them in."""
    for part in inner_first(tree, exp.Extract, exp.Anonymous):
        is_call = isinstance(part, exp.Anonymous) and len(part.expressions) == 1
        if part.name.upper() != "MICROSECOND" or not (is_call or isinstance(part, exp.Extract)):
            continue
        moment = part.expressions[0] if is_call else part.args["expression"]
        all_of_them = exp.Extract(this=exp.var("MICROSECONDS"), expression=moment.copy())
        put(part, exp.paren(exp.Mod(this=all_of_them, expression=exp.Literal.number(1_000_000))))
    return tree
