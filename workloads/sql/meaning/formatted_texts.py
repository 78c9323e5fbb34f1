"""Texts with places for values, which DuckDB marks in another way."""

import re

from sqlglot import exp

from workloads.sql.meaning.replacing import UnlikeError, inner_first, put

_PLACES = re.compile(r"(%s|%%)")


def formatted_texts(tree: exp.Query) -> exp.Query:
    """Join what ``FORMAT('%s: %s', a, b)`` of PostgreSQL joins: a NULL is an empty text in both."""
    for format_ in inner_first(tree, exp.Format):
        parts = _PLACES.split(format_.this.name)
        wanted = parts.count("%s")
        values = list(format_.expressions)
        plain = isinstance(format_.this, exp.Literal) and format_.this.is_string
        if not plain or any("%" in part for part in parts[::2]) or wanted > len(values):
            raise UnlikeError(format_, "FORMAT is known with %s in a constant text: use CONCAT")
        taken = iter(values)
        joined = [
            next(taken).copy() if part == "%s" else exp.Literal.string(part.replace("%%", "%"))
            for part in parts
            if part
        ]
        put(format_, exp.Concat(expressions=joined or [format_.this], safe=True, coalesce=True))
    return tree
