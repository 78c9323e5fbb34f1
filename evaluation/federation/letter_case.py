"""Upper and lower case of all letters."""

from sqlglot import exp


def letter_case(tree: exp.Query) -> exp.Query:
    """Change the case of letters by the database's collation: that of our columns has ASCII only.

    What comes of it compares as the columns do.
    """
    for node in list(tree.find_all(exp.Lower, exp.Upper)):
        value = exp.Collate(this=exp.paren(node.this.copy()), expression=_named("default"))
        again = type(node)(this=value)
        node.replace(exp.paren(exp.Collate(this=again, expression=_named("C"))))
    return tree


def _named(collation: str) -> exp.Expr:
    return exp.to_identifier(collation, quoted=True)
