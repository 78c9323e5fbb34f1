"""Texts that are written out as what a window function takes."""

from sqlglot import exp

_TAKING_ANY = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue)


def typed_window_texts(tree: exp.Query) -> exp.Query:
    """Cast them to TEXT: they have no type for PostgreSQL's functions that take any, as LAG."""
    for node in tree.find_all(*_TAKING_ANY):
        value = node.this
        if isinstance(value, exp.Literal) and value.is_string:
            node.set("this", exp.cast(value.copy(), exp.DType.TEXT))
    return tree
