"""Values that are joined to a text."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first


def joined_texts(tree: exp.Query) -> exp.Query:
    """Make texts of what CONCAT joins, which is a text of one number too: ``CONCAT(1)``."""
    for joined in inner_first(tree, exp.Concat):
        arguments = joined.expressions
        if len(arguments) == 1 and not arguments[0].is_type(*exp.DataType.TEXT_TYPES):
            joined.set("expressions", [exp.cast(arguments[0].copy(), "TEXT")])
    return tree
