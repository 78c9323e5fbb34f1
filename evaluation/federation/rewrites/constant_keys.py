"""Constants that are grouped by, where a constant key can only be a place among the outputs."""

from sqlglot import exp


def constant_keys(tree: exp.Query) -> exp.Query:
    """Cast constants that are grouped by to text, but for whole numbers, which are places.

    PostgreSQL refuses them, and TRUE is a place for MySQL. They cannot be left out: without a key
    no rows are one group.
    """
    for group in tree.find_all(exp.Group):
        for key in group.expressions:
            if _is_constant(key.unnest()):
                key.replace(exp.cast(key.copy(), exp.DType.TEXT))
    return tree


def _is_constant(key: exp.Expr) -> bool:
    value = key.this if isinstance(key, exp.Neg) else key
    if isinstance(value, exp.Literal):
        return value.is_string or not value.name.isdigit() or value is not key
    return isinstance(value, (exp.Boolean, exp.Null))
