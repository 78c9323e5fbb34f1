"""TOML, written by hand so that it can have comments."""

import textwrap
from collections.abc import Iterable

from workloads.errors import ConfigurationError
from workloads.one_line import one_line

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_SURROGATES = range(0xD800, 0xE000)
_COMMENT_COLUMN, _COLUMNS = 32, 100


def text(value: object) -> str:
    """Return a basic string: quotes and what cannot be shown are escaped, letters are not."""
    return '"' + "".join(map(_escaped, str(value))) + '"'


def array(values: Iterable[object]) -> str:
    """Return a list of strings on one line."""
    return f"[{', '.join(map(text, values))}]"


def line(written: str, comment: str = "") -> str:
    """Return a line, with a comment behind it in a column of its own."""
    if not comment:
        return written
    return f"{written:{_COMMENT_COLUMN - 2}}  # {one_line(comment)}"


def remark(comment: str) -> tuple[str, ...]:
    """Return a comment on lines of its own; it may hold what a server said."""
    return tuple(
        f"# {each}"
        for each in textwrap.wrap(
            one_line(comment), _COLUMNS - 2, break_long_words=False, break_on_hyphens=False
        )
    )


def commented(lines: Iterable[str]) -> tuple[str, ...]:
    """Return lines that are read once their marks are removed."""
    return tuple(each if each.startswith("#") else f"# {each}" for each in lines)


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code in _SURROGATES:
        raise ConfigurationError(
            "A name or path has bytes that are not UTF-8, which no TOML can hold: rename it."
        )
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"
