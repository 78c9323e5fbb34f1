"""UNION BY NAME as a union by position: few systems know it."""

from sqlglot import exp


def positional_unions(tree: exp.Query) -> exp.Query:
    """Give the operands of UNION BY NAME the same columns in the same order.

    Those are the first one's and what the second has besides; what an operand lacks is NULL.
    """
    # The innermost first: the columns of an operand that is a union too are known then.
    for union in reversed(list(tree.find_all(exp.SetOperation))):
        if not union.args.get("by_name"):
            continue
        sides = {"this": union.this, "expression": union.args["expression"]}
        left, right = ([*each.named_selects] for each in sides.values())
        names = [*left, *(name for name in right if name not in left)]
        for key, names_of in (("this", left), ("expression", right)):
            if names_of != names:
                union.set(key, _selecting(sides[key], names_of, names))
        union.set("by_name", None)
    return tree


def _selecting(operand: exp.Expr, known: list[str], names: list[str]) -> exp.Select:
    alias = "_named"
    relation = operand if isinstance(operand, exp.Subquery) else exp.Subquery(this=operand)
    relation.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    columns = (
        exp.alias_(exp.column(name, table=alias) if name in known else exp.null(), name)
        for name in names
    )
    return exp.select(*columns).from_(relation, copy=False)
