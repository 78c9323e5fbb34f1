"""Split a text of several statements, safely: a semicolon may stand in a string or a comment."""

import re
from dataclasses import dataclass
from difflib import get_close_matches

from sqlglot import Dialect, Dialects, TokenType, tokenize
from sqlglot.errors import TokenError

from workloads.errors import ConfigurationError, SqlError
from workloads.paths import shortened

_OPENING = ("'", '"', "`", "/*", "$")
_BACKSLASH = re.compile(r"(?m)^\\[A-Za-z!?].*$")
_COPIED = re.compile(
    r"(?ims)^(\s*COPY\b[^;]*?\bFROM\s+STDIN\b[^;]*;[^\n]*\n)(.*?^\\\.[ \t\r]*$)",
)
_NOT_NEWLINE = re.compile(r"[^\n]")
_GO = re.compile(r"(?im)^[ \t]*GO(?:[ \t]+\d+)?[ \t\r]*$")
_BATCH_ENDS = {
    "tsql": _GO,
    "fabric": _GO,
    "oracle": re.compile(r"(?m)^[ \t]*/[ \t\r]*$"),
}
_LOOKED_AT_CHARACTERS = 20_000_000
MODES = "sql_mode is taken to have neither ANSI_QUOTES nor NO_BACKSLASH_ESCAPES"
"""The reading of MySQL's quotes that is assumed, where another one is likely."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement without its semicolon.

    `line` and `column` are the 1-based place in the text at which it starts, `comment` what
    stands before it on lines of its own.
    """

    sql: str
    line: int
    column: int
    comment: str


def split_statements(text: str, dialect: str, origin: str) -> tuple[Statement, ...]:
    """Return the statements of `text`; empty ones are left out.

    Raises:
        ConfigurationError: No dialect is called so.
        SqlError: A string or a comment does not end.
    """
    refuse_unknown_dialect(dialect)
    plain, commands = _without_client_lines(text, dialect)
    try:
        tokens = tokenize(plain, dialect=dialect)
    except TokenError as error:
        raise _unfinished(plain, dialect, origin) from error
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
            comment = _own_lines(plain[free:start], first=free == 0)
            column = start - text.rfind("\n", 0, start)
            statements.append(
                Statement(sql=text[start:end], line=line, column=column, comment=comment)
            )
        start = None
        free = token.end + 1 if token is not None else len(text)
    if commands:
        statements = sorted([*statements, *commands], key=lambda each: each.line)
    return tuple(statements)


def _without_client_lines(text: str, dialect: str) -> tuple[str, list[Statement]]:
    """Return `text` with the lines that only a client understands taken out, and those lines.

    These are psql's commands with a backslash and the data after COPY … FROM STDIN; lines that
    end a batch (GO of T-SQL, / of Oracle) become semicolons. Positions stay as they are.
    """
    commands: list[Statement] = []

    def take(found: re.Match[str]) -> str:
        line = text.count("\n", 0, found.start()) + 1
        commands.append(Statement(sql=found[0].rstrip(), line=line, column=1, comment=""))
        return " " * len(found[0])

    if "\\" in text:
        text = _COPIED.sub(lambda found: found[1] + _NOT_NEWLINE.sub(" ", found[2]), text)
        text = _BACKSLASH.sub(take, text)
    ends = _BATCH_ENDS.get(dialect.lower())
    if ends is not None:
        text = ends.sub(lambda found: ";" + " " * (len(found[0]) - 1), text)
    return text, commands


def refuse_unknown_dialect(dialect: str) -> None:
    """Raise ConfigurationError, naming the nearest, where sqlglot has no dialect called so."""
    if Dialect.get(dialect) is not None or not dialect:
        return
    known = sorted(each.value for each in Dialects if each.value)
    near = get_close_matches(dialect.lower(), known, n=1, cutoff=0.4)
    hint = f"did you mean '{near[0]}'?" if near else f"take one of {', '.join(known)}."
    raise ConfigurationError(f"'{shortened(dialect)}' is not a known SQL dialect: {hint}")


def _own_lines(gap: str, *, first: bool) -> str:
    """Return a gap between statements without what trails the statement before it."""
    return gap if first else gap.partition("\n")[2]


def unfinished(text: str, dialect: str) -> tuple[int, str]:
    """Return the offset of what does not end in `text`, and what that is.

    It is the last opening before which the text is still sound.
    """
    places = [place for place in range(len(text)) if text.startswith(_OPENING, place)]
    budget = _LOOKED_AT_CHARACTERS
    for place in reversed(places):
        try:
            tokenize(text[:place], dialect=dialect)
        except TokenError:
            budget -= place
            if budget < 0:
                break
            continue
        return place, "comment" if text.startswith("/*", place) else "quoted text"
    return 0, "quoted text or comment"


def not_ended(what: str, dialect: str) -> str:
    """Return the message for what does not end in a text, which `unfinished` says."""
    message = f"the {what} does not end"
    if dialect != "mysql" or what == "comment":
        return message
    return f"{message} ({MODES})"


def _unfinished(text: str, dialect: str, origin: str) -> SqlError:
    place, what = unfinished(text, dialect)
    line = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    return SqlError(not_ended(what, dialect), origin=origin, line=line, column=column)
