"""Words of MySQL that say how a query is to be run."""

from sqlglot import exp


def plain_selects(tree: exp.Query) -> exp.Query:
    """Leave out what changes no answer: SQL_CALC_FOUND_ROWS and the like, STRAIGHT_JOIN."""
    for select in tree.find_all(exp.Select):
        select.set("operation_modifiers", None)
    for join in tree.find_all(exp.Join):
        if join.kind == "STRAIGHT_JOIN":
            join.set("kind", "INNER" if join.args.get("on") else "CROSS")
    return tree
