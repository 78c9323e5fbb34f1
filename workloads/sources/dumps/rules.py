"""The lexical rules of a dialect as patterns of bytes: how a quote goes on, how a row ends."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from workloads.folding.lexis import Lexis

SIGN = rb"/\*M?!\d*"
"""Opens a comment whose text MySQL and MariaDB run."""

BATCH = rb"[gG][oO](?:[ \t]+\d+)?[ \t]*(?=[\r\n]|\Z)"
DELIMITER = rb"(?i:delimiter)[ \t]+(?P<mark>\S+)[ \t]*(?=[\r\n]|\Z)"
CLIENT = rb"\\[A-Za-z!?]"
_TAG = rb"(?<![\w$\x80-\xff])\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*)?\$"
_WORD_BEFORE = rb"(?<![\w$@#\x80-\xff])"
_NEXT = rb"\n[ \t]*(?i:(?:insert|replace)\s+into|create|alter|drop)\b"
_TAIL = rb"\b(?i:on|returning|as)\b"
_COMMENT = rb"(?:[^*]++|\*(?=[^/]))*+"
_NESTED_COMMENT = rb"(?:[^*/]++|\*(?=[^/])|/(?=[^*]))*+"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A string, a quoted name or a comment, by the bytes that close it.

    `inner` matches from behind the opening, or from any later place at which it stopped, up to
    the closing; without it the closing is the first there is. A line comment is closed by
    nothing.
    """

    closing: bytes
    inner: re.Pattern[bytes] | None = None
    is_comment: bool = False

    def stop(self, data: bytes, at: int) -> int:
        """Return the offset of the closing, or of the first byte that may be a part of it."""
        if self.inner is not None:
            found = self.inner.match(data, at)
            return found.end() if found is not None else at
        end = data.find(self.closing, at)
        return end if end >= 0 else max(at, len(data) - len(self.closing) + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Patterns of one dialect.

    `gap` is looked for between statements, `token` in a statement. `flat` and `deep` are looked
    for in what an INSERT inserts, outside and inside parentheses. `row` matches most rows whole.
    """

    gap: re.Pattern[bytes]
    token: re.Pattern[bytes]
    flat: re.Pattern[bytes]
    deep: re.Pattern[bytes]
    row: bytes
    plain: re.Pattern[bytes] | None
    quotes: Mapping[bytes, Quote]
    nested_comments: bool

    def quote(self, opening: bytes) -> Quote:
        """Return what `opening` opens."""
        return self.quotes.get(opening) or Quote(closing=opening)

    def rows(self, head: bytes) -> re.Pattern[bytes]:
        """Match a row with what leads to the next one, which may be another INSERT with `head`.

        Anything else is matched as a group of one byte.
        """
        return _rows(self.row, head)


@cache
def rules(lexis: Lexis) -> Rules:
    """Return the patterns of a dialect."""
    quotes = _quotes(lexis)
    openings = sorted(quotes, key=len, reverse=True)
    opened = [_opening(each, lexis) for each in openings]
    if lexis.dollar_quotes:
        opened.append(_TAG)
    first = re.escape(b"".join(sorted({each[:1] for each in openings} | {b";", b"*", b"\n", b"$"})))
    quoted = rb"(?P<quote>" + rb"|".join(opened) + rb")"
    comments = rb"|".join(_opening(each, lexis) for each in openings if quotes[each].is_comment)
    lines = rb"(?P<batch>\n[ \t]*(?:%b|%b))" % (BATCH, DELIMITER.replace(b"?P<mark>", b"?:"))
    return Rules(
        gap=re.compile(
            rb"(?P<blank>[\s;]++)|(?P<sign>%b)|(?P<close>\*/)|(?P<quote>%b)|(?P<client>%b)"
            rb"|(?P<batch>%b|/[ \t]*(?=[\r\n]|\Z))|(?P<program>%b)"
            % (SIGN, comments, CLIENT, BATCH, DELIMITER)
        ),
        token=re.compile(
            rb"(?=[%b])(?:(?P<end>;)|(?P<sign>%b)|(?P<close>\*/)|%b|(?P<client>\n[ \t]*%b)|%b)"
            % (first, SIGN, lines, CLIENT, quoted)
        ),
        flat=re.compile(
            rb"(?P<open>\()|(?P<shut>\))|(?P<comma>,)|(?P<end>;)|%b|(?P<next>%b)|(?P<tail>%b)|%b"
            % (lines, _NEXT, _TAIL, quoted)
        ),
        deep=re.compile(rb"(?P<open>\()|(?P<shut>\))|(?P<end>;)|%b" % quoted),
        row=_row(lexis, openings),
        plain=_plain(quotes),
        quotes=quotes,
        nested_comments=lexis.nested_comments,
    )


def escaping(lexis: Lexis) -> Rules:
    """Return the patterns where a backslash escapes: of MySQL, which its back quotes give away."""
    if lexis.backslash:
        return rules(lexis)
    names = tuple(dict.fromkeys([*lexis.identifiers, ("`", "`")]))
    return rules(replace(lexis, backslash=True, identifiers=names, dollar_quotes=False))


def _opening(opening: bytes, lexis: Lexis) -> bytes:
    before = _WORD_BEFORE if opening[:1].isalpha() else b""
    spaced = rb"(?=\s|\Z)" if opening == b"--" and lexis.spaced_dashes else b""
    return before + re.escape(opening) + spaced


def _quotes(lexis: Lexis) -> dict[bytes, Quote]:
    prefixed = {opening: (closing, escapes) for opening, closing, escapes in lexis.prefixed}
    found = {
        opening.encode(): _string(closing.encode(), backslash=backslash)
        for opening in lexis.literal_openings()
        for closing, backslash in (prefixed.get(opening, (opening, lexis.backslash)),)
    }
    found |= {a.encode(): _string(b.encode(), backslash=False) for a, b in lexis.identifiers}
    line = Quote(closing=b"", inner=re.compile(rb"[^\r\n]*+"), is_comment=True)
    found |= {mark.encode(): line for mark in lexis.line_comments}
    inner = re.compile(_NESTED_COMMENT if lexis.nested_comments else _COMMENT)
    return found | {b"/*": Quote(closing=b"*/", inner=inner, is_comment=True)}


def _string(closing: bytes, *, backslash: bool) -> Quote:
    return Quote(closing=closing, inner=re.compile(_inner(closing, backslash=backslash)))


def _inner(closing: bytes, *, backslash: bool) -> bytes:
    first, rest = re.escape(closing[:1]), closing[1:]
    plain = rb"[^%b\\]" % first if backslash else rb"[^%b]" % first
    others = [rb"\\(?s:.)"] if backslash else []
    # What follows must be there, since the closing may be cut by the end of a block.
    other = rb"%b(?=(?!%b)(?s:.){%d})" % (first, re.escape(rest), len(rest))
    others.append(other if rest else first * 2)
    return rb"%b*+(?:(?:%b)%b*+)*+" % (plain, rb"|".join(others), plain)


def _row(lexis: Lexis, openings: list[bytes]) -> bytes:
    """Match a row with strings and at most one more level of parentheses, without comments."""
    special = {each[:1] for each in openings if not each[:1].isalnum()} - {b"-"}
    special |= {b"'", b"(", b")", b";", b"\\", b"/"} | ({b"$"} if lexis.dollar_quotes else set())
    plain = rb"[^%b\-]++|-(?!-)" % b"".join(map(re.escape, sorted(special)))
    letters = {each[-2:-1] for each in openings if each[:1].isalnum() and each[-1:] == b"'"}
    before = rb"(?<![%b])" % b"".join(sorted(letters)) if all(map(bytes.isalnum, letters)) else None
    if "'" in lexis.strings and before is not None:
        before = before if letters else b""
        plain += rb"|%b'%b'" % (before, _inner(b"'", backslash=lexis.backslash))
    return rb"\((?:%b|\((?:%b)*+\))*+\)" % (plain, plain)


def _plain(quotes: Mapping[bytes, Quote]) -> re.Pattern[bytes] | None:
    """Match text with strings, names and comments that are whole; None where quotes are long.

    A letter before a quote, a dollar quote and a comment in a comment are not passed over.
    """
    texts = {opening: quote for opening, quote in quotes.items() if not quote.is_comment}
    if any(len(opening) > 1 and not opening[:1].isalpha() for opening in texts):
        return None
    letters = b"".join(sorted({opening[:1] for opening in texts if len(opening) > 1}))
    marks = {opening for opening in quotes if len(opening) == 1}
    special = b"".join(map(re.escape, sorted(marks | {b"-", b"/", b"*", b";", b"$", b"\n"})))
    parts = [
        rb"[^%b%b]++" % (special, letters),
        rb"\n(?![ \t]*(?:(?i:go|delimiter)\b|\\))",
        rb"\$(?=[0-9])|\*(?!/)|/(?![*/])|-(?!-)",
        rb"--(?=\s)[^\r\n]*+",
        rb"/\*(?!M?!)(?:[^*/]++|\*(?!/)|/(?!\*))*+\*/",
    ]
    parts += [rb"[%b](?!['\"])" % letters] if letters else []
    for opening, quote in texts.items():
        if len(opening) == 1 and quote.inner is not None:
            parts.append(re.escape(opening) + quote.inner.pattern + re.escape(quote.closing))
    return re.compile(rb"(?:%b)*+" % rb"|".join(parts))


@cache
def _rows(row: bytes, head: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"%b\s*+(?:,\s*+|;\s*+%b)|((?s:.))" % (row, re.escape(head)))
