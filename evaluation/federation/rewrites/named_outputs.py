"""Output columns called as DuckDB calls them."""

from collections.abc import Sequence

from sqlglot import exp


def named_outputs(tree: exp.Query, names: Sequence[str]) -> exp.Query:
    """Call the output columns of `tree` by `names`, DuckDB's of the statement as it was written.

    Nothing is renamed where `names` are not known (none), or where ORDER BY computes with an
    output: which one that is depends on its name.
    """
    if len(names) != len(tree.selects) or list(names) == tree.named_selects:
        return tree
    if _order_by_places(tree):
        _rename(tree, names)
    return tree


def _order_by_places(tree: exp.Query) -> bool:
    """Write the outputs that ORDER BY names as their places; return whether that is possible."""
    order = tree.args.get("order")
    outputs = tree.named_selects
    found: list[tuple[exp.Expr, int]] = []
    for ordered in order.expressions if order is not None else ():
        term = ordered.this
        if isinstance(term, exp.Column) and not term.table and term.name in outputs:
            found.append((ordered, outputs.index(term.name) + 1))
        elif any(not column.table for column in term.find_all(exp.Column)):
            return False
    for ordered, place in found:
        ordered.set("this", exp.Literal.number(place))
    return True


def _rename(tree: exp.Expr, names: Sequence[str]) -> None:
    """Rename the outputs of a SELECT, or of the first one of a set operation."""
    first = tree
    while isinstance(first, (exp.SetOperation, exp.Subquery)):
        first = first.this
        if isinstance(first, exp.Query) and not _order_by_places(first):
            return
    if not isinstance(first, exp.Select):
        return
    for projection, name in zip(list(first.selects), names, strict=True):
        if projection.alias_or_name != name:
            value = projection.unalias().copy()
            projection.replace(exp.alias_(value, exp.to_identifier(name, quoted=True)))
