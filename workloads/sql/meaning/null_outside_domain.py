"""Functions of numbers for which they have no value."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def null_outside_domain(tree: exp.Query) -> exp.Query:
    """Give NULL for roots of negative numbers and the like, where DuckDB ends with an error."""
    for node in inner_first(tree, exp.Sqrt, exp.Ln, exp.Log, exp.Acos, exp.Asin, exp.Anonymous):
        value = _argument(node)
        if value is None:
            continue
        zero, one = exp.Literal.number(0), exp.Literal.number(1)
        if isinstance(node, exp.Sqrt):
            inside: exp.Expr = exp.GTE(this=exp.paren(value.copy()), expression=zero)
        elif isinstance(node, (exp.Acos, exp.Asin)):
            inside = exp.LTE(this=exp.Abs(this=value.copy()), expression=one)
        else:
            inside = exp.GT(this=exp.paren(value.copy()), expression=zero)
        put(node, exp.case().when(inside, node.copy()))
    return tree


def _argument(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Anonymous):
        is_log = node.name.upper() in ("LOG2", "LOG10")
        return node.expressions[0] if is_log and len(node.expressions) == 1 else None
    found = node.args.get("expression") if isinstance(node, exp.Log) else None
    value = found if found is not None else node.this
    return value if isinstance(value, exp.Expr) else None
