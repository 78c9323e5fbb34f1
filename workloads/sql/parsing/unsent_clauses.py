"""Clauses that change no row of an answer, and that a copy cannot follow: locks, hints of indexes.

They are found by tokens, at any depth of a text, and are not sent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import Token, TokenType

_AFTER_LOCKS = frozenset({TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH})
_QUERIES = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN})
_HINTS = frozenset({"USE", "FORCE", "IGNORE"})
_INDEXES = frozenset({"INDEX", "KEY"})
_OF_INDEX = frozenset({"FOR", "JOIN", "ORDER", "GROUP", "BY", "ORDER BY", "GROUP BY"})
"""Words between ``USE INDEX`` and its list: ``FOR ORDER BY``, in one token or more."""


def unsent_clauses(tokens: Sequence[Token], dialect: str) -> frozenset[int]:
    """Return the places of the tokens of such clauses."""
    found = {place for clause in _locks(tokens) for place in clause}
    if dialect == "mysql":
        found.update(place for clause in _index_hints(tokens) for place in clause)
    return frozenset(found)


@dataclass(slots=True)
class _Level:
    """A pair of parentheses: whether a query is in it, and where its locks begin, if it has some.

    ``substring(a FOR share)`` locks nothing.
    """

    is_query: bool
    begin: int | None = None


def _locks(tokens: Sequence[Token]) -> Iterator[range]:
    """Yield the places of each ``FOR UPDATE`` and its like: a LIMIT may follow."""
    levels = [_Level(is_query=True)]
    for place, token in enumerate(tokens):
        level, kind = levels[-1], token.token_type
        if kind is TokenType.L_PAREN:
            levels.append(_Level(is_query=_kind(tokens, place + 1) in _QUERIES))
        elif kind is TokenType.R_PAREN and len(levels) > 1:
            levels.pop()
        elif level.begin is None:
            level.begin = place if level.is_query and _locks_here(tokens, place) else None
            continue
        elif kind not in _AFTER_LOCKS:
            continue
        if level.begin is not None and kind is not TokenType.L_PAREN:
            yield range(level.begin, place)
            level.begin = None
    if levels[0].begin is not None:
        yield range(levels[0].begin, len(tokens))


def _locks_here(tokens: Sequence[Token], place: int) -> bool:
    word, after = _word(tokens, place), _word(tokens, place + 1)
    if word == "FOR":
        return after in ("UPDATE", "SHARE", "NO", "KEY")
    return word == "LOCK" and after == "IN"


def _index_hints(tokens: Sequence[Token]) -> Iterator[range]:
    """Yield the places of each ``USE INDEX (a, b)`` and its like, of MySQL."""
    for place in range(len(tokens)):
        if _word(tokens, place) not in _HINTS or _word(tokens, place + 1) not in _INDEXES:
            continue
        end = place + 2
        while _word(tokens, end) in _OF_INDEX:
            end += 1
        if _kind(tokens, end) is TokenType.L_PAREN:
            while end < len(tokens) and tokens[end].token_type is not TokenType.R_PAREN:
                end += 1
            yield range(place, end + 1)


def _kind(tokens: Sequence[Token], place: int) -> TokenType | None:
    return tokens[place].token_type if place < len(tokens) else None


def _word(tokens: Sequence[Token], place: int) -> str:
    """Return a word in capitals; nothing for what stands in quotes."""
    if _kind(tokens, place) in (None, TokenType.IDENTIFIER, TokenType.STRING):
        return ""
    return tokens[place].text.upper()
