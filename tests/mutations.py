"""Statements with mistakes in them, drawn from a seed."""

import random
import re
from collections.abc import Callable

_TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|\w+|\s+|[^\w\s]")
_KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP", "BY", "ORDER", "HAVING", "JOIN", "LEFT", "ON", "UNION",
    "INTERSECT", "EXCEPT", "CASE", "WHEN", "THEN", "END", "AND", "OR", "NOT", "IN", "EXISTS",
    "BETWEEN", "LIKE", "IS", "NULL", "AS", "WITH", "RECURSIVE", "OVER", "PARTITION", "ROWS",
    "CAST", "INTERVAL", "DATE", "LIMIT", "OFFSET", "DISTINCT", "ALL", "LATERAL", "UNNEST",
    "VALUES", "USING", "NATURAL", "CROSS", "FULL", "INSERT", "UPDATE", "DELETE", "MERGE",
    "QUALIFY", "PIVOT", "ROLLUP", "CUBE", "FILTER", "WITHIN",
)  # fmt: skip
_BRACKETS = "'\"`()[]{}$;"
_STRANGE = ("é", "名", "\u202e", "\x00", "🙂", "٣", "ﬁ", "\ufeff", "\r", "\u2028")

Tokens = list[str]


def mutated(text: str, draw: random.Random) -> str:
    """Return `text` with one to three mistakes."""
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        tokens = _TOKEN.findall(text)
        solid = [index for index, token in enumerate(tokens) if not token.isspace()]
        if not solid:
            return text
        draw.choice(MISTAKES)(tokens, solid, draw)
        text = "".join(tokens)
    return text


def _delete(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    del tokens[draw.choice(solid)]


def _delete_some(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    start = draw.choice(solid)
    del tokens[start : start + draw.randrange(1, 30)]


def _repeat(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    index = draw.choice(solid)
    tokens.insert(index, tokens[index] + " ")


def _repeat_some(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    start, target = draw.choice(solid), draw.choice(solid)
    tokens[target:target] = tokens[start : start + draw.randrange(1, 30)]


def _swap(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    one, other = draw.choice(solid), draw.choice(solid)
    tokens[one], tokens[other] = tokens[other], tokens[one]


def _mistake_name(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    names = [index for index in solid if tokens[index].islower()]
    if names:
        tokens[draw.choice(names)] = tokens[draw.choice(names)]


def _truncate(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    cut = draw.choice(solid)
    tokens[cut:] = [tokens[cut][: draw.randrange(len(tokens[cut]) + 1)]]


def _unbalance(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    tokens.insert(draw.choice(solid), draw.choice(_BRACKETS))


def _take_for_keyword(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    tokens[draw.choice(solid)] = draw.choice(_KEYWORDS)


def _add_keyword(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    tokens.insert(draw.choice(solid), draw.choice(_KEYWORDS) + " ")


def _add_noise(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    index = draw.choice(solid)
    place = draw.randrange(len(tokens[index]) + 1)
    sign = draw.choice((chr(draw.randrange(32, 127)), chr(draw.randrange(0x100, 0xD7FF))))
    tokens[index] = tokens[index][:place] + sign + tokens[index][place:]


def _take_for_unicode(tokens: Tokens, solid: list[int], draw: random.Random) -> None:
    tokens[draw.choice(solid)] = draw.choice(_STRANGE)


MISTAKES: tuple[Callable[[Tokens, list[int], random.Random], None], ...] = (
    _delete,
    _delete_some,
    _repeat,
    _repeat_some,
    _swap,
    _mistake_name,
    _truncate,
    _unbalance,
    _take_for_keyword,
    _add_keyword,
    _add_noise,
    _take_for_unicode,
)
