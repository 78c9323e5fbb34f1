"""Numbers of letters."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def first_bytes(tree: exp.Query) -> exp.Query:
    """Give the first byte of a text for ASCII, where DuckDB gives the letter's number."""
    for node in inner_first(tree, exp.Ascii):
        text = node.this
        pair = exp.Left(
            this=exp.Anonymous(this="HEX", expressions=[text.copy()]),
            expression=exp.Literal.number(2),
        )
        number = exp.DPipe(this=exp.Literal.string("0x"), expression=pair)
        empty = exp.EQ(this=text.copy(), expression=exp.Literal.string(""))
        found = exp.case().when(empty, exp.Literal.number(0)).else_(exp.cast(number, "INT"))
        put(node, found)
    return tree
