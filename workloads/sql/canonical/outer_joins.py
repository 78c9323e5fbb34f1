"""Outer joins that are inner ones, since what they add is dropped again."""

from sqlglot import exp

from workloads.sql.trees.predicates import conjuncts

_STRICT = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Like,
    exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Paren, exp.Column, exp.Identifier, exp.Literal,
)  # fmt: skip
"""Expressions that are NULL, and keep no row, if any column in them is NULL."""
_JOINS = frozenset({"", "INNER", "OUTER", "CROSS"})


def strict_joins(tree: exp.Query) -> exp.Query:
    """Write a LEFT JOIN as an inner join where WHERE keeps no row without a partner.

    ``a LEFT JOIN b … WHERE b.x = 1`` has no row of `a` alone (q93): its tables may then be joined
    in any order, and rows of `a` be reduced by keys of `b`.
    """
    for select in list(tree.find_all(exp.Select)):
        joins = select.args.get("joins") or ()
        where = select.args.get("where")
        sides = {join.side for join in joins}
        if where is None or "LEFT" not in sides or sides - {"", "LEFT"}:
            continue
        needed = {
            column.table
            for part in conjuncts(where.this)
            if all(isinstance(node, _STRICT) for node in part.walk())
            for column in part.find_all(exp.Column)
        }
        # From the last: the condition of an inner join needs its columns too.
        for join in reversed(joins):
            added = join.this.alias_or_name
            is_plain = join.kind in _JOINS and not join.method
            if join.side == "LEFT" and is_plain and added in needed and join.args.get("on"):
                join.set("side", None)
                join.set("kind", "INNER")
            # What SEMI and ANTI JOIN compare, ANTI JOIN keeps where it is NULL.
            if not join.side and is_plain:
                needed |= {
                    column.table
                    for part in conjuncts(join.args.get("on"))
                    if all(isinstance(node, _STRICT) for node in part.walk())
                    for column in part.find_all(exp.Column)
                }
    return tree
