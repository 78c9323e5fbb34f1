"""HAVING without groups."""

from sqlglot import exp

from workloads.sql.meaning.replacing import UnlikeError, inner_first


def plain_having(tree: exp.Query) -> exp.Query:
    """Filter rows by a HAVING of a SELECT that has neither groups nor aggregates."""
    for select in inner_first(tree, exp.Select):
        having = select.args.get("having")
        if having is None or select.args.get("group") is not None:
            continue
        parts = (*select.expressions, having)
        if any(_of_this(each, exp.AggFunc) for each in parts):
            continue
        if having.find(exp.Window):
            raise UnlikeError(having, "HAVING of a window function: filter a subquery")
        select.set("having", None)
        select.where(having.this, copy=False)
    return tree


def _of_this(node: exp.Expr, kind: type[exp.Expr]) -> bool:
    """Whether an aggregate is computed here, rather than over a window or in a subquery."""
    return any(
        not isinstance(each.parent, exp.Window)
        for each in node.find_all(kind)
        if each.find_ancestor(exp.Query) is node.find_ancestor(exp.Query)
    )
