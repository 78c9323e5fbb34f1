"""Concatenation of what is no text."""

from sqlglot import exp


def concatenated_text(tree: exp.Query) -> exp.Query:
    """Cast CONCAT's arguments to text: Spark would make a number of the '' in NULL's place."""
    for node in list(tree.find_all(exp.Concat)):
        texts = [
            each if isinstance(each, exp.Literal) else exp.cast(each.copy(), exp.DType.TEXT)
            for each in node.expressions
        ]
        node.set("expressions", texts)
    return tree
