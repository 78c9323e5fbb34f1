"""Outputs that rows are ordered by."""

from sqlglot import exp


def ordered_by_name(tree: exp.Query) -> exp.Query:
    """Order by the names of outputs, not by their numbers: of a number no NULL can be told."""
    for query in tree.find_all(exp.Query):
        order = query.args.get("order")
        names = query.named_selects
        for term in order.expressions if order is not None else ():
            key = term.this
            if isinstance(key, exp.Literal) and key.is_int and 0 < int(key.name) <= len(names):
                key.replace(exp.column(names[int(key.name) - 1], quoted=True))
    return tree
