"""GROUPING where there are no grouping sets to be told apart."""

from sqlglot import exp


def plain_grouping(tree: exp.Query) -> exp.Query:
    """Write GROUPING over one set of keys as 0: nothing is left out of a group, and Spark has none.

    It is a BIGINT, as DuckDB's is.
    """
    for node in list(tree.find_all(exp.Grouping)):
        select = node.parent_select
        group = select.args.get("group") if select is not None else None
        if group is not None and not group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
            node.replace(exp.cast(exp.Literal.number(0), exp.DType.BIGINT))
    return tree
