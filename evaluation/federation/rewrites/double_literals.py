"""Numbers that are written with an exponent."""

from sqlglot import exp


def double_literals(tree: exp.Query) -> exp.Query:
    """Cast numbers with an exponent to DOUBLE, which they are: for PostgreSQL they are decimals.

    0.1e0 * 3 is 0.30000000000000004, and CAST(5e-1 AS INTEGER) is 0, as doubles are rounded.
    """
    for node in list(tree.find_all(exp.Literal)):
        parent = node.parent
        is_cast = isinstance(parent, exp.Cast) and parent.is_type(exp.DType.DOUBLE)
        if not node.is_string and "e" in node.name.lower() and not is_cast:
            node.replace(exp.cast(node.copy(), exp.DType.DOUBLE))
    return tree
