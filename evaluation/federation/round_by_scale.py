"""Rounding of a DOUBLE to digits after its point."""

from sqlglot import exp

from workloads.sql.expression_kinds import Kinds, noted


def round_by_scale(tree: exp.Query) -> exp.Query:
    """Round x * 10^k and divide by 10^k, as DuckDB does: Spark rounds the digits that it shows.

    2.675 is 2.67499… in binary: DuckDB rounds it to 2.67, Spark to 2.68. Columns know their types.
    """
    of = Kinds(noted)
    found = [each for each in tree.find_all(exp.Round) if of(each.this).family == "double"]
    for node in found:
        decimals = node.args.get("decimals")
        if not isinstance(decimals, exp.Literal) or not decimals.name.isdigit():
            continue
        if int(decimals.name) == 0:
            continue
        scale = exp.cast(exp.Literal.number(10 ** int(decimals.name)), exp.DType.DOUBLE)
        grown = exp.Mul(this=exp.paren(node.this.copy()), expression=scale)
        rounded = exp.Div(this=exp.Round(this=grown), expression=scale.copy(), typed=True)
        node.replace(exp.paren(rounded))
    return tree
