"""Lexical rules of a dialect (strings, identifiers, comments, numbers), as regular expressions.

No knowledge of any dialect is here: `workloads.sql.parsing.lexis` takes it from the parser.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

# Comments in comments are followed that deep.
_NESTED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexis:
    """The lexical rules of one dialect.

    `strings` are quotes of text; `prefixed` strings that open otherwise and have their own rule
    for backslashes: (opening, closing, whether a backslash escapes). `identifiers` are pairs of
    quotes. With `spaced_dashes`, ``--`` opens a comment only before white space.
    """

    strings: tuple[str, ...] = ("'",)
    backslash: bool = False
    prefixed: tuple[tuple[str, str, bool], ...] = ()
    identifiers: tuple[tuple[str, str], ...] = (('"', '"'),)
    line_comments: tuple[str, ...] = ("--",)
    spaced_dashes: bool = False
    nested_comments: bool = False
    dollar_quotes: bool = False
    number_suffixes: tuple[str, ...] = ()

    def literal_openings(self) -> tuple[str, ...]:
        """Return what may open a string, the longest first."""
        found = {*self.strings, *(opening for opening, _, _ in self.prefixed)}
        return tuple(sorted(found, key=len, reverse=True))


# One alternative of a pattern: the characters it may start with, and what follows the first.
Part = tuple[str, str]


def alternatives(parts: Sequence[Part]) -> str:
    """Return a pattern that matches the first of `parts` that fits.

    It starts with a set of characters: `re` skips to the next of them many times faster than it
    tries alternatives.
    """
    starts = "".join(sorted({re.escape(c) for first, _ in parts for c in first}))
    tried = "|".join(f"(?<=[{re.escape(first)}]){rest}" for first, rest in parts)
    return f"[{starts}](?:{tried})"


def string(opening: str, closing: str, *, backslash: bool, complete: bool) -> Part:
    """Return the part for a string; without `complete` it may also end with the text."""
    end = re.escape(closing)
    if len(closing) == 1:
        inner = f"[^{end}\\\\]*+" if backslash else f"[^{end}]*+"
        escape = f"(?:{end}{end}|\\\\.)" if backslash else end * 2
        body = f"{inner}(?:{escape}{inner})*+"
    else:
        body = f"(?:\\\\.|(?!{end}).)*+" if backslash else f"(?:(?!{end}).)*+"
    last = end if complete else f"(?:{end})?"
    letter = opening[0].isalpha()
    return opening[0], f"{_NOT_INSIDE_A_WORD if letter else ''}{re.escape(opening[1:])}{body}{last}"


# At the second character: the one before the first is no part of a word.
_NOT_INSIDE_A_WORD = r"(?<![\w$@#].)"


def strings(lexis: Lexis, *, complete: bool = False, plain: bool = False) -> list[Part]:
    """Return the parts for all strings of a dialect; only those without a prefix if `plain`."""
    prefixed = {opening: (closing, escapes) for opening, closing, escapes in lexis.prefixed}
    found = []
    for opening in lexis.literal_openings():
        if plain and (opening in prefixed or len(opening) > 1):
            continue
        closing, backslash = prefixed.get(opening, (opening, lexis.backslash))
        found.append(string(opening, closing, backslash=backslash, complete=complete))
    return found


def identifiers(lexis: Lexis) -> list[Part]:
    """Return the parts for quoted identifiers."""
    return [
        string(opening, closing, backslash=False, complete=True)
        for opening, closing in lexis.identifiers
    ]


def comments(lexis: Lexis, *, complete: bool = False) -> list[Part]:
    """Return the parts for comments; without `complete` one may also end with the text."""
    parts = []
    for mark in lexis.line_comments:
        spaced = r"(?=\s|\Z)" if mark == "--" and lexis.spaced_dashes else ""
        parts.append((mark[0], f"{re.escape(mark[1:])}{spaced}[^\r\n]*+"))
    parts.append(("/", _block_comment(_NESTED if lexis.nested_comments else 0)[1:]))
    if not complete:
        parts.append(("/", r"\*.*+"))
    return parts


def _block_comment(depth: int) -> str:
    nested = f"|{_block_comment(depth - 1)}" if depth else ""
    slash = r"/(?!\*)" if depth else "/"
    return rf"/\*[^*/]*+(?:(?:\*(?!/)|{slash}{nested})[^*/]*+)*+\*/"


def dollar_quoted() -> Part:
    """Return the part for ``$tag$ … $tag$``."""
    return "$", r"(?<![\w$].)(?P<tag>(?:[^\W\d]\w*+)?)\$.*?\$(?P=tag)\$"


def number(lexis: Lexis) -> Part:
    """Return the part for a number: not the digits of a name (``t1``, ``2019_sales``)."""
    suffixes = "|".join(map(re.escape, sorted(lexis.number_suffixes, key=len, reverse=True)))
    suffix = f"(?i:{suffixes})?" if suffixes else ""
    based = r"(?<=0)(?:[xX][0-9a-fA-F]++|[bB][01]++|[oO][0-7]++)"
    decimal = rf"[0-9_]*+(?:\.[0-9_]*+)?(?:[eE][+-]?[0-9]++)?{suffix}"
    return "0123456789", rf"{_NOT_INSIDE_A_WORD}(?:{based}|{decimal})(?!\w)"
