"""Beginnings and ends of text."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, whole_number


def no_negative_lengths(tree: exp.Query) -> exp.Query:
    """Take no letters where fewer than none are asked for: DuckDB leaves so many out."""
    for part in inner_first(tree, exp.Left, exp.Right):
        length = part.expression
        if (whole_number(length) or 0) <= 0:
            least = exp.Greatest(this=length.copy(), expressions=[exp.Literal.number(0)])
            part.set("expression", least)
    return tree
