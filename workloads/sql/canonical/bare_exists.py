"""EXISTS that asks for rows alone: the columns that it selects would leave their stores unread."""

from sqlglot import exp

_ABOVE_ROWS = ("group", "having", "qualify", "windows", "distinct", "order", "with_")
"""Clauses that may need the columns, or make other rows of them."""


def bare_exists(tree: exp.Query) -> exp.Query:
    """Select 1 instead of plain columns in EXISTS; neither can fail, and both have as many rows."""
    for exists in list(tree.find_all(exp.Exists)):
        select = exists.this
        if isinstance(select, exp.Select) and _is_plain(select):
            select.set("expressions", [exp.alias_(exp.Literal.number(1), "1", quoted=True)])
    return tree


def _is_plain(select: exp.Select) -> bool:
    if any(select.args.get(clause) for clause in _ABOVE_ROWS):
        return False
    outputs = [each.unalias() for each in select.expressions]
    # A name without a table may be that of an output.
    return all(isinstance(each, exp.Column) and not each.is_star for each in outputs) and all(
        column.table for column in select.find_all(exp.Column)
    )
