"""Keys that are an empty set of columns: a GROUP BY () beside no other key."""

from sqlglot import exp


def empty_keys(tree: exp.Query) -> exp.Query:
    """Leave out () among the keys, which groups by nothing; Spark and MySQL cannot read it.

    Alone it makes one group of all rows, as aggregates do without GROUP BY. Where there are no
    aggregates either, it stays: it makes one row then.
    """
    for group in list(tree.find_all(exp.Group)):
        keys = [key for key in group.expressions if not _is_empty(key)]
        if len(keys) == len(group.expressions):
            continue
        if keys or any(group.args.get(sets) for sets in ("rollup", "cube", "grouping_sets")):
            group.set("expressions", keys)
        elif _aggregates(group.parent_select):
            group.pop()
    return tree


def _is_empty(key: exp.Expr) -> bool:
    return isinstance(key, exp.Tuple) and not key.expressions


def _aggregates(select: exp.Select | None) -> bool:
    if select is None:
        return False
    places = [*select.expressions, select.args.get("having"), select.args.get("order")]
    return any(
        found.parent_select is select and not _is_over(found)
        for place in places
        if place is not None
        for found in place.find_all(exp.AggFunc)
    )


def _is_over(aggregate: exp.Expr) -> bool:
    """Tell whether it is over a window, with a FILTER or without."""
    node = aggregate.parent
    while isinstance(node, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
        node = node.parent
    return isinstance(node, exp.Window)
