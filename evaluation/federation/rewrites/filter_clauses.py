"""FILTER, which MySQL's aggregates do not have."""

from sqlglot import exp


def filter_clauses(tree: exp.Query) -> exp.Query:
    """Aggregate CASE WHEN condition THEN value END: aggregates leave NULL out."""
    for node in list(tree.find_all(exp.Filter)):
        aggregate, condition = node.this, node.expression.this
        argument = aggregate.this
        if isinstance(argument, exp.Distinct):
            (value,) = argument.expressions
            argument.set("expressions", [_only(value, condition)])
        else:
            value = exp.Literal.number(1) if isinstance(argument, exp.Star) else argument
            aggregate.set("this", _only(value, condition))
        node.replace(aggregate)
    return tree


def _only(value: exp.Expr, condition: exp.Expr) -> exp.Case:
    return exp.Case().when(condition.copy(), value.copy())
