"""Doubles that are told apart by their bytes, by which -0.0 and 0 differ."""

from collections.abc import Iterator

from sqlglot import exp

from workloads.sql.typing.expression_kinds import Kinds, noted


def zeros_as_keys(tree: exp.Query) -> exp.Query:
    """Add 0 to doubles that rows are joined, grouped or made distinct by: -0.0 + 0 is 0.

    MariaDB hashes their bytes. It orders and compares zeros as equal. Columns know their types.
    """
    of = Kinds(noted)
    keys = [key for node in tree.walk() for key in _keys(node) if _is_double(key, of)]
    # A key is told once, whatever made it one, and inner ones are replaced before outer ones.
    for key in reversed(list({id(key): key for key in keys}.values())):
        _add_zero(key)
    return tree


def _keys(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Group):
        yield from node.expressions
    elif isinstance(node, (exp.EQ, exp.NullSafeEQ, exp.NullSafeNEQ)):
        sides = (node.this.unnest(), node.expression.unnest())
        # A constant is compared, not hashed, and its column's index serves.
        if all(side.find(exp.Column) for side in sides):
            yield from sides
    elif isinstance(node, exp.In) and node.args.get("query"):
        tested = node.this.unnest()
        yield from tested.expressions if isinstance(tested, exp.Tuple) else (tested,)
        yield from _outputs(node.args["query"].unnest())
    elif isinstance(node, exp.SetOperation) and node.args.get("distinct"):
        yield from _outputs(node)
    elif isinstance(node, exp.Distinct):
        # COUNT(DISTINCT a) has its values in the clause, SELECT DISTINCT in the block.
        yield from node.expressions or _outputs(node.parent)


def _outputs(query: exp.Expr | None) -> Iterator[exp.Expr]:
    if isinstance(query, exp.SetOperation):
        yield from _outputs(query.left)
        yield from _outputs(query.right)
    elif isinstance(query, exp.Subquery):
        yield from _outputs(query.unnest())
    elif isinstance(query, exp.Select):
        yield from query.expressions


def _is_double(key: exp.Expr, of: Kinds) -> bool:
    value = key.unalias()
    constant = isinstance(value, (exp.Literal, exp.Boolean, exp.Null, exp.Star))
    return not constant and of(value).family in ("double", "float")


def _add_zero(key: exp.Expr) -> None:
    """Replace a key by its sum with 0; an output keeps its name."""
    value = key.unalias()
    name = key.alias_or_name if isinstance(key.parent, exp.Select) else ""
    with_zero = exp.Paren(
        this=exp.Add(this=_operand(value.copy()), expression=exp.Literal.number(0))
    )
    if isinstance(key, exp.Alias):
        value.replace(with_zero)
    elif name:
        key.replace(exp.alias_(with_zero, name, quoted=True, copy=False))
    else:
        key.replace(with_zero)


def _operand(value: exp.Expr) -> exp.Expr:
    return value if isinstance(value, (exp.Column, exp.Func, exp.Paren)) else exp.paren(value)
