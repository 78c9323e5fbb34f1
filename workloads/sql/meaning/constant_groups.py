"""Constants that are grouped by."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, whole_number


def constant_groups(tree: exp.Query) -> exp.Query:
    """Drop keys that are numbers, which DuckDB takes for places: names are resolved already.

    A single one keeps the group apart from one over no rows, as a text.
    """
    for group in inner_first(tree, exp.Group):
        for key in list(group.expressions):
            number = whole_number(key.unnest())
            if number is not None:
                key.replace(exp.Literal.string(str(number)))
    return tree
