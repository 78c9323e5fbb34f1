"""Parameters of applications and templates, written as the one sign that every dialect reads.

Each is replaced by ``?`` and blanks of the same length, so that positions stay as they are.
"""

import re
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

_ALWAYS = r"\$\{[\w. ]+\}|\#\{[\w.]+\}|\{\{[^{}]*\}\}|\{\w+\}|(?<![\w$])\$\w+(?![\w$])|:'\w+'"
_AS_OPERAND = r"%s|%\(\w+\)s|:\d+|&\w+|\?\d+"
_ELIDED = r"\(\s*\.\.\.\s*\)"
_TYPED = r"\b(?:date|time|timestamp|timestamptz)\s+(?=\?|\$\w|:\w|%s)"
_WHOLE_STRING = r"'(?:%s|%\(\w+\)s|\$?\{\w+\}|\{\{[^{}']*\}\})'"


def question_marks(text: str, dialect: str) -> str:
    """Return `text` with each parameter as ``?``: ``$1``, ``:1``, ``%s``, ``{x}``, ``(...)`` ….

    What stands in strings, comments and quoted names stays, but for a string that is a parameter
    as a whole.
    """
    if not _SIGNS.search(text):
        return text
    return _pattern(dialect).sub(_replaced, text)


def _replaced(found: re.Match[str]) -> str:
    text = found[0]
    if found["kept"] is not None:
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
    return _OPERAND_BEFORE.search(before) is not None or not before.strip()


@cache
def _pattern(dialect: str) -> re.Pattern[str]:
    tokenizer = Dialect.get_or_raise(dialect).tokenizer_class
    backslash = r"|\\." if "\\" in tokenizer.STRING_ESCAPES else ""
    string = rf"'(?:[^'{chr(92) * 2 if backslash else ''}]|''{backslash})*'"
    kept = rf'{string}|"[^"]*"|`[^`]*`|--[^\n]*|/\*.*?\*/|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$'
    return re.compile(
        rf"(?P<whole>{_WHOLE_STRING})|(?P<kept>{kept})|(?P<typed>{_TYPED})"
        rf"|(?P<elided>{_ELIDED})|(?P<always>{_ALWAYS})|(?P<operand>{_AS_OPERAND})",
        re.IGNORECASE | re.DOTALL,
    )
