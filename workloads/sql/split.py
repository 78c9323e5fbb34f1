"""Split a text of several statements, safely: a semicolon may stand in a string or a comment."""

from dataclasses import dataclass
from difflib import get_close_matches

from sqlglot import Dialect, Dialects, TokenType, tokenize
from sqlglot.errors import TokenError

from workloads.errors import ConfigurationError, SqlError

_OPENING = ("'", '"', "`", "/*", "$")
_ATTEMPTS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement without its semicolon.

    `line` is the 1-based line of the text at which it starts, `comment` what stands before it on
    lines of its own.
    """

    sql: str
    line: int
    comment: str


def split_statements(text: str, dialect: str, origin: str) -> tuple[Statement, ...]:
    """Return the statements of `text`; empty ones are left out.

    Raises:
        ConfigurationError: No dialect is called so.
        SqlError: A string or a comment does not end.
    """
    refuse_unknown_dialect(dialect)
    try:
        tokens = tokenize(text, dialect=dialect)
    except TokenError as error:
        raise _unfinished(text, dialect, origin) from error
    statements: list[Statement] = []
    start, end, free = None, 0, 0
    line, counted = 1, 0
    for token in [*tokens, None]:
        if token is not None and token.token_type is not TokenType.SEMICOLON:
            start = token.start if start is None else start
            end = token.end + 1
            continue
        if start is not None:
            line, counted = line + text.count("\n", counted, start), start
            comment = _own_lines(text[free:start], first=free == 0)
            statements.append(Statement(sql=text[start:end], line=line, comment=comment))
        start = None
        free = token.end + 1 if token is not None else len(text)
    return tuple(statements)


def refuse_unknown_dialect(dialect: str) -> None:
    """Raise ConfigurationError, naming the nearest, where sqlglot has no dialect called so."""
    if Dialect.get(dialect) is not None or not dialect:
        return
    known = sorted(each.value for each in Dialects if each.value)
    near = get_close_matches(dialect.lower(), known, n=1, cutoff=0.4)
    hint = f"did you mean '{near[0]}'?" if near else f"take one of {', '.join(known)}."
    raise ConfigurationError(f"'{dialect}' is not a known SQL dialect: {hint}")


def _own_lines(gap: str, *, first: bool) -> str:
    """Return a gap between statements without what trails the statement before it."""
    return gap if first else gap.partition("\n")[2]


def _unfinished(text: str, dialect: str, origin: str) -> SqlError:
    """Find what does not end: the last opening before which the text is still sound."""
    places = [place for place in range(len(text)) if text.startswith(_OPENING, place)]
    for place in reversed(places[-_ATTEMPTS:]):
        try:
            tokenize(text[:place], dialect=dialect)
        except TokenError:
            continue
        line = text.count("\n", 0, place) + 1
        column = place - text.rfind("\n", 0, place)
        what = "comment" if text.startswith("/*", place) else "quoted text"
        return SqlError(f"the {what} does not end", origin=origin, line=line, column=column)
    return SqlError("a quoted text or a comment does not end", origin=origin)
