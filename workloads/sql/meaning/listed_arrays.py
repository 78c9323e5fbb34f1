"""Comparisons with the elements of an array."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def listed_arrays(tree: exp.Query) -> exp.Query:
    """Write ``= ANY (ARRAY[…])`` as IN and ``<> ALL (ARRAY[…])`` as NOT IN.

    DuckDB gives an array one type, to which it takes what is compared with it.
    """
    for node in inner_first(tree, exp.EQ, exp.NEQ):
        among, array = node.expression, None
        if isinstance(node, exp.EQ) and isinstance(among, exp.Any):
            array = among.this.unnest()
        elif isinstance(node, exp.NEQ) and among.name.upper() == "ALL" and among.expressions:
            # So is ALL read before an array.
            array = among.expressions[0]
        if isinstance(array, exp.Array) and array.expressions:
            listed = exp.In(this=exp.paren(node.this.copy()), expressions=array.expressions)
            put(node, listed if isinstance(node, exp.EQ) else exp.Not(this=exp.paren(listed)))
    return tree
