"""Expressions that are written as DuckDB's text, with holes."""

from sqlglot import exp, parse_one
from sqlglot.expressions import Expr


def computed(template: str, *arguments: Expr) -> Expr:
    """Return a template's expression, with arguments for its columns a, b, c and d."""
    tree = parse_one(f"({template})", dialect="duckdb")
    given = dict(zip("abcd", arguments, strict=False))
    for column in list(tree.find_all(exp.Column)):
        column.replace(exp.paren(given[column.name].copy()))
    return tree
