"""Constants that are grouped by, where a constant key can only be a place among the outputs."""

from sqlglot import exp


def constant_keys(tree: exp.Query) -> exp.Query:
    """Cast constants that are grouped by, but for whole numbers, which are places.

    PostgreSQL refuses them. They cannot be left out: without a key no rows are one group.
    """
    for group in tree.find_all(exp.Group):
        for key in group.expressions:
            type_ = _type(key.unnest())
            if type_ is not None:
                key.replace(exp.cast(key.copy(), type_))
    return tree


def _type(key: exp.Expr) -> str | None:
    """Return the type of a constant; None for a place, and for what is no constant."""
    value = key.this if isinstance(key, exp.Neg) else key
    if isinstance(value, exp.Boolean):
        return "BOOLEAN"
    if isinstance(value, exp.Null):
        return "TEXT"
    if not isinstance(value, exp.Literal):
        return None
    if value.is_string:
        return "TEXT"
    is_place = value.name.isdigit() and value is key
    return None if is_place else "DECIMAL"
