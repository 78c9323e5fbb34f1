"""The test whether one text contains another."""

from sqlglot import exp


def contained_text(tree: exp.Query) -> exp.Query:
    """Ask for the position of a text that may be contained: not every store has CONTAINS."""
    for node in list(tree.find_all(exp.Contains)):
        position = exp.StrPosition(this=node.this.copy(), substr=node.expression.copy())
        node.replace(exp.paren(exp.GT(this=position, expression=exp.Literal.number(0))))
    return tree
