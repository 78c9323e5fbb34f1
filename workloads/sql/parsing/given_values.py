"""Statements of PostgreSQL with the values that a log has for their parameters.

A value is written as a string without a type, which PostgreSQL reads as it reads a parameter: by
what it is compared with. Where only a number can stand it is written as one.
"""

import re
from dataclasses import replace

from workloads.sql.parsing.placeholders import numbered
from workloads.workload import Query

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_COUNTED = re.compile(r"(?:\b(?:limit|offset|first|next)|[+\-*/%])\s*$", re.IGNORECASE)
_COUNTS = re.compile(r"\s*(?:[+*/%]|-(?!>))")
_LONGEST_WORD = 32


def with_values(query: Query) -> Query:
    """Return a statement with its `values` in place of ``$1``, ``$2`` …; itself if it lacks one."""
    places = list(numbered(query.sql, "postgres")) if query.values else []
    if not places or any(not 1 <= number <= len(query.values) for _, _, number in places):
        return query
    parts, done = [], 0
    for start, end, number in places:
        value = query.values[number - 1]
        parts += [query.sql[done:start], _literal(value, query.sql, start, end)]
        done = end
    return replace(query, sql="".join((*parts, query.sql[done:])))


def _literal(value: str | None, sql: str, start: int, end: int) -> str:
    if value is None:
        return "NULL"
    is_counted = _COUNTED.search(sql[max(0, start - _LONGEST_WORD) : start]) or _COUNTS.match(
        sql, end
    )
    if is_counted and _NUMBER.fullmatch(value):
        return f"({value})" if value.startswith("-") else value
    return "'" + value.replace("'", "''") + "'"
