"""DIV."""

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put


def whole_divisions(tree: exp.Query) -> exp.Query:
    """Cut the quotient of DIV off, also where its sides have places: ``-1.5 DIV 1`` is -1."""
    for quotient in inner_first(tree, exp.IntDiv):
        sides = quotient.this, quotient.expression
        if all(side.is_type(*exp.DataType.INTEGER_TYPES) for side in sides):
            continue
        divisor = exp.func("NULLIF", sides[1].copy(), exp.Literal.number(0))
        found = exp.Div(this=exp.paren(sides[0].copy()), expression=divisor)
        put(quotient, exp.cast(exp.Anonymous(this="TRUNC", expressions=[found]), "BIGINT"))
    return tree
