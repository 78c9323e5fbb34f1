"""Uses of a subquery in an expression."""

from sqlglot import exp

from workloads.footprint import BlockRole

_CONNECTIVES = (exp.And, exp.Or, exp.Not, exp.Paren)


def use_of(query: exp.Query) -> tuple[BlockRole, tuple[exp.Expr, ...]]:
    """Return how the expression around `query` uses it, and what it compares it with."""
    user = _outside(query.parent, (exp.Subquery, exp.Paren))
    negated = _is_negated(user)
    if isinstance(user, exp.Exists):
        return ("anti" if negated else "semi"), ()
    if isinstance(user, exp.In):
        return ("anti" if negated else "semi"), _parts(user.this)
    if isinstance(user, (exp.Any, exp.All)):
        comparison = _outside(user.parent, exp.Paren)
        if isinstance(user, exp.All) and isinstance(comparison, exp.NEQ):
            negated = not negated
        matches = exp.EQ if isinstance(user, exp.Any) else exp.NEQ
        compared = _others(comparison, user) if isinstance(comparison, matches) else ()
        return ("anti" if negated else "semi"), compared
    if isinstance(user, (exp.EQ, exp.NullSafeEQ)) and not negated:
        return "scalar", _others(user, query)
    return "scalar", ()


def _is_negated(condition: exp.Expr | None) -> bool:
    """Whether an odd number of NOT stand over `condition`, up to its clause."""
    negated = False
    above = condition.parent if condition is not None else None
    if isinstance(condition, (exp.Any, exp.All)):
        above = above.parent if above is not None else None
    while isinstance(above, _CONNECTIVES):
        negated ^= isinstance(above, exp.Not)
        above = above.parent
    return negated


def _outside(
    node: exp.Expr | None, wrappers: type[exp.Expr] | tuple[type[exp.Expr], ...]
) -> exp.Expr | None:
    while isinstance(node, wrappers):
        node = node.parent
    return node


def _others(comparison: exp.Expr, side: exp.Expr) -> tuple[exp.Expr, ...]:
    """Return the side of `comparison` in which `side` does not stand."""
    inside = side
    while inside.parent is not None and inside.parent is not comparison:
        inside = inside.parent
    left, right = comparison.this, comparison.args["expression"]
    return _parts(left if inside is right else right)


def _parts(row: exp.Expr) -> tuple[exp.Expr, ...]:
    row = row.unnest()
    return tuple(row.expressions) if isinstance(row, exp.Tuple) else (row,)
