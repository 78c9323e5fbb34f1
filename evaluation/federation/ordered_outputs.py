"""The order of a SELECT DISTINCT."""

from sqlglot import exp


def ordered_outputs(tree: exp.Query) -> exp.Query:
    """Order the rows of a SELECT DISTINCT by its columns: Spark knows nothing else after it."""
    for select in tree.find_all(exp.Select):
        order = select.args.get("order")
        if order is None or not select.args.get("distinct"):
            continue
        names = {_bare(each): each.alias_or_name for each in select.expressions}
        for ordered in order.expressions:
            name = names.get(_bare(ordered.this))
            if name:
                ordered.set("this", exp.column(name, quoted=True))
    return tree


def _bare(node: exp.Expr) -> exp.Expr:
    return node.unalias().unnest()
