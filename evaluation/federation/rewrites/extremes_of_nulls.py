"""GREATEST and LEAST of what may be NULL."""

from sqlglot import exp


def extremes_of_nulls(tree: exp.Query) -> exp.Query:
    """Leave NULL out of GREATEST and LEAST, as DuckDB does: MySQL returns NULL for any.

    Each argument is replaced by the first of the others that is not NULL.
    """
    for node in list(tree.find_all(exp.Greatest, exp.Least)):
        values = [node.this, *node.expressions]
        turned = [
            exp.Coalesce(
                this=values[at].copy(),
                expressions=[each.copy() for each in (*values[at + 1 :], *values[:at])],
            )
            for at in range(len(values))
        ]
        node.set("this", turned[0])
        node.set("expressions", turned[1:])
    return tree
