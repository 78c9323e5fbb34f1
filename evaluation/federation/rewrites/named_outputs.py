"""Output columns called as DuckDB calls them."""

from collections.abc import Sequence

from sqlglot import exp

from evaluation.federation.rewrites.unique_outputs import order_by_places


def named_outputs(tree: exp.Query, names: Sequence[str]) -> exp.Query:
    """Call the output columns of `tree` by `names`, DuckDB's of the statement as it was written.

    Nothing is renamed where `names` are not known (none), or where ORDER BY computes with an
    output: which one that is depends on its name.
    """
    if len(names) != len(tree.selects) or list(names) == tree.named_selects:
        return tree
    if order_by_places(tree):
        _rename(tree, names)
    return tree


def _rename(tree: exp.Expr, names: Sequence[str]) -> None:
    """Rename the outputs of a SELECT, or of the first one of a set operation."""
    first = tree
    while isinstance(first, (exp.SetOperation, exp.Subquery)):
        first = first.this
        if isinstance(first, exp.Query) and not order_by_places(first):
            return
    if not isinstance(first, exp.Select):
        return
    for projection, name in zip(list(first.selects), names, strict=True):
        if projection.alias_or_name != name:
            value = projection.unalias().copy()
            projection.replace(exp.alias_(value, exp.to_identifier(name, quoted=True)))
