"""The one place where sqlglot's failures become our errors, with a place in the statement."""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from sqlglot.errors import ParseError, SqlglotError

from workloads.errors import SqlError
from workloads.workload import Query

Rest = ParamSpec("Rest")
Result = TypeVar("Result")

FAILURES = (
    SqlglotError,
    RecursionError,
    NotImplementedError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
    ValueError,
    ArithmeticError,
)
"""Errors that sqlglot is known to raise for text that is no SQL: its own, and the marks of a tree
whose parts are not what its rules take for granted."""

_MISSING = re.compile(r"Required keyword: '(\w+)' missing for <class '.*?(\w+)'>")
_TOKEN = re.compile(r"\s*(?:but got )?<Token .*>", re.DOTALL)
_INNER_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")

# What sqlglot warns of on standard error is refused or classed by us.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


@contextmanager
def door(query: Query) -> Iterator[None]:
    """Raise what fails within the block as SqlError at the statement's start, or where it says."""
    try:
        yield
    except ParseError as error:
        raise _syntax_error(query, error) from error
    except RecursionError as error:
        raise error_at(query, 0, "nested too deeply to be read: write it flatter") from error
    except FAILURES as error:
        said = str(error).partition("\n")[0].strip()[:200]
        kind = type(error).__name__
        reason = f"sqlglot cannot make sense of it ({kind}{': ' if said else ''}{said})"
        raise error_at(query, 0, reason) from error


def through_door(
    function: Callable[Concatenate[Query, Rest], Result],
) -> Callable[Concatenate[Query, Rest], Result]:
    """Return `function`, whose first argument is a statement, raising SqlError for FAILURES."""

    @wraps(function)
    def guarded(query: Query, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Result:
        with door(query):
            return function(query, *args, **kwargs)

    return guarded


def error_at(query: Query, offset: int, reason: str) -> SqlError:
    """Return an error at the character `offset`, which counts from 0, of the statement's text."""
    line, column = place_of(query, offset)
    return SqlError(reason, origin=query.origin, line=line, column=column)


def place_of(query: Query, offset: int) -> tuple[int, int]:
    """Return the line and column, from 1, of `offset` in the file that the statement is from."""
    offset = max(0, min(offset, len(query.sql) - 1))
    line = query.sql.count("\n", 0, offset)
    column = offset - query.sql.rfind("\n", 0, offset)
    if line == 0:
        column += query.column - 1
    return query.line + line, column


def offset_of(text: str, line: int, column: int) -> int:
    """Return the offset of a line and column as sqlglot counts them: CR alone ends a line too."""
    start = 0
    for found in re.finditer(r"\r\n|\r|\n", text):
        if line <= 1:
            break
        start, line = found.end(), line - 1
    return start + column - 1


def _syntax_error(query: Query, error: ParseError) -> SqlError:
    first = error.errors[0] if error.errors else {}
    reason = str(first.get("description") or str(error).partition("\n")[0])
    reason = _TOKEN.sub("", _MISSING.sub(_missing, reason)).rstrip(". ")
    token = str(first.get("highlight") or "")
    # sqlglot's column is that of the token's last character.
    last = offset_of(query.sql, int(first.get("line") or 1), int(first.get("col") or 1))
    near = " ".join(token.split())[:40]
    if near:
        reason += f", near '{near}'"
    return error_at(query, last - max(0, len(token) - 1), reason)


def _missing(found: re.Match[str]) -> str:
    part, node = found.groups()
    return f"{_INNER_CAPITAL.sub(' ', node).upper()} is not complete (its '{part}' is missing)"
