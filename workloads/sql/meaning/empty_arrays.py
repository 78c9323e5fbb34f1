"""Texts that are split."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def empty_arrays(tree: exp.Query) -> exp.Query:
    """Give no elements for an empty text, where DuckDB gives an empty one: STRING_TO_ARRAY."""
    for node in inner_first(tree, exp.StringToArray):
        empty = exp.EQ(this=node.this.copy(), expression=exp.Literal.string(""))
        put(node, exp.case().when(empty, exp.Array(expressions=[])).else_(node.copy()))
    return tree
