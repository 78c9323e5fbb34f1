"""Weekdays where Monday is the first."""

from sqlglot import exp


def iso_weekdays(tree: exp.Query) -> exp.Query:
    """Number weekdays from 0, Sunday: Trino counts from 1, Monday, to 7."""
    for node in list(tree.find_all(exp.Extract)):
        if node.name.upper() in ("DOW", "DAYOFWEEK"):
            node.replace(exp.paren(exp.Mod(this=node.copy(), expression=exp.Literal.number(7))))
    return tree
