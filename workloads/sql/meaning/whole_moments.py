"""Moments without seconds."""

import re

from sqlglot import exp

from workloads.sql.meaning.replacing import inner_first, put

_MINUTES = re.compile(r"\d{4}-\d\d?-\d\d?[ T]\d\d?:\d\d(?=\s*(?:[zZ]|UTC|[+-][\d:]+)?\s*$)")


def whole_moments(tree: exp.Query) -> exp.Query:
    """Write the seconds that ``'2000-01-01 00:00+00'`` lacks: before a zone DuckDB wants them."""
    for cast in inner_first(tree, exp.Cast):
        text = cast.this
        is_moment = cast.to.is_type(exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ)
        if is_moment and isinstance(text, exp.Literal) and text.is_string:
            found = _MINUTES.match(text.name)
            if found is not None:
                whole = f"{found[0]}:00{text.name[found.end() :]}"
                put(text, exp.Literal.string(whole))
    return tree
