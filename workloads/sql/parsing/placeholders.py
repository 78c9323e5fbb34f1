"""Parameters of applications and templates, written as the one sign that every dialect reads.

Each is replaced by ``?`` and blanks of the same length, so that positions stay as they are.
"""

import re
from collections.abc import Container, Iterator
from functools import cache

from sqlglot import Dialect

_SIGNS = re.compile(r"[$%{:&?]|\.\.\.")
_OPERAND_BEFORE = re.compile(
    r"(?:^|[=<>(,+\-*/|!~\[]|\b(?:and|any|as|between|by|case|else|escape|first|ilike|in|interval|is"
    r"|like|limit|next|not|offset|on|or|regexp|return|rlike|select|set|then|top|values|when|where))"
    r"\s*$",
    re.IGNORECASE,
)
_LONGEST_WORD = 32

_ALWAYS = r"\$\{[\w. ]+\}|\#\{[\w.]+\}|\{\{[^{}]*\}\}|\{\w+\}|(?<![\w$])\$\w+(?![\w$])"
_AS_OPERAND = r"%s|%\(\w+\)s|:\d+|:'\w+'|&\w+|\?\d+"
_ELIDED = r"\(\s*\.\.\.\s*\)"
_TYPED = r"\b(?:date|time|timestamp|timestamptz)\s+(?=\?|\$\w|:\w|%s)"
_WHOLE_STRING = r"'(?:%s|%\(\w+\)s|\$?\{\w+\}|\{\{[^{}']*\}\})'"
_SLICED = re.compile(r"(?:\b(?!array\b)\w+|[)\]\"])\s*\[\s*$", re.IGNORECASE)
"""Tokens before the end of a slice, such as ``tags[:2]``."""
_FAMILIES = ("%", "{{", "${", "{")
"""The beginnings of what templates write within quotes too, each found before its own prefix."""


def stands_for_value(text: str, start: int) -> bool:
    """Tell whether a value is expected at a place of a text: behind an operator, say."""
    before = text[max(0, start - 3 * _LONGEST_WORD) : start]
    return _OPERAND_BEFORE.search(before) is not None


def question_marks(text: str, dialect: str) -> str:
    """Return `text` with each parameter as ``?``: ``$1``, ``:1``, ``%s``, ``{x}``, ``(...)`` ….

    What stands in strings, comments and quoted names stays. A string that looks like a parameter
    as a whole (``'%s'``, ``'{x}'``) is one only where the text has a parameter of that kind outside
    of strings too, which shows that it is a template: on its own it is a string like any other.
    """
    if not _SIGNS.search(text):
        return text
    pattern = _pattern(dialect)
    bare = {_family(found[0]) for found in pattern.finditer(text) if _is_bare(found)}
    return pattern.sub(lambda found: _replaced(found, bare), text)


def numbered(text: str, dialect: str) -> Iterator[tuple[int, int, int]]:
    """Yield the parameters ``$1``, ``$2`` … outside of strings: where each is, and its number."""
    for found in _pattern(dialect).finditer(text):
        number = found[0].removeprefix("$")
        if found["always"] is not None and number.isdecimal():
            yield found.start(), found.end(), int(number)


def _family(parameter: str) -> str | None:
    """Return how templates of its kind begin a parameter; None where they never quote one."""
    return next((each for each in _FAMILIES if parameter.startswith(each)), None)


def _is_bare(found: re.Match[str]) -> bool:
    """Whether it is a parameter outside of strings."""
    return found["always"] is not None or (found["operand"] is not None and _is_operand(found))


def _replaced(found: re.Match[str], bare: Container[str | None]) -> str:
    text = found[0]
    if found["kept"] is not None or (found["whole"] and _family(text.strip("'")) not in bare):
        return text
    if found["typed"] is not None:
        return " " * len(text) if _is_operand(found) else text
    if found["elided"] is not None:
        return "(?" + " " * (len(text) - 3) + ")"
    if found["operand"] is not None and not _is_operand(found):
        return text
    return "?".ljust(len(text))


def _is_operand(found: re.Match[str]) -> bool:
    """Whether a value may stand here: ``a %s`` is a remainder, ``= %s`` a parameter."""
    start = found.start()
    before = found.string[max(0, start - _LONGEST_WORD) : start]
    if found[0].startswith(":") and _SLICED.search(before):
        return False
    return _OPERAND_BEFORE.search(before) is not None or not before.strip()


@cache
def _pattern(dialect: str) -> re.Pattern[str]:
    tokenizer = Dialect.get_or_raise(dialect).tokenizer_class
    backslash = r"|\\." if "\\" in tokenizer.STRING_ESCAPES else ""
    string = rf"'(?:[^'{chr(92) * 2 if backslash else ''}]|''{backslash})*'"
    if not backslash:
        string = rf"\be'(?:[^'\\]|''|\\.)*'|{string}"
    kept = rf'{string}|"[^"]*"|`[^`]*`|--[^\n]*|/\*.*?\*/|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$'
    return re.compile(
        rf"(?P<whole>{_WHOLE_STRING})|(?P<kept>{kept})|(?P<typed>{_TYPED})"
        rf"|(?P<elided>{_ELIDED})|(?P<always>{_ALWAYS})|(?P<operand>{_AS_OPERAND})",
        re.IGNORECASE | re.DOTALL,
    )
