"""Orders by constants."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first


def constant_orders(tree: exp.Query) -> exp.Query:
    """Leave a text and NULL out of what rows are ordered by: DuckDB refuses them.

    They order nothing. MySQL's ORDER BY NULL says that no order is wanted.
    """
    for order in inner_first(tree, exp.Order):
        keys = [each for each in order.expressions if not _is_constant(each.this.unnest())]
        if len(keys) == len(order.expressions):
            continue
        if keys:
            order.set("expressions", keys)
        elif isinstance(order.this, exp.Expr):
            order.replace(order.this)
        else:
            order.pop()
    return tree


def _is_constant(node: exp.Expr) -> bool:
    return isinstance(node, exp.Null) or (isinstance(node, exp.Literal) and node.is_string)
