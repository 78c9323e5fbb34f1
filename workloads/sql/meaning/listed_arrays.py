"""Comparisons with the elements of an array."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def listed_arrays(tree: exp.Query) -> exp.Query:
    """Write ``= ANY (ARRAY[…])`` as IN and ``<> ALL (ARRAY[…])`` as NOT IN.

    DuckDB gives an array one type, to which it takes what is compared with it.
    """
    for node in inner_first(tree, exp.EQ, exp.NEQ):
        among = node.expression
        if not isinstance(among, exp.Any if isinstance(node, exp.EQ) else exp.All):
            continue
        array = among.this.unnest()
        if isinstance(array, exp.Array) and array.expressions:
            listed = exp.In(this=exp.paren(node.this.copy()), expressions=array.expressions)
            put(node, listed if isinstance(node, exp.EQ) else exp.Not(this=exp.paren(listed)))
    return tree
