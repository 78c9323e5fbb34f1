"""PostgreSQL's ``uuid $1``, which its statistics have in the place of ``uuid '…'``, as a cast.

It is no SQL, and sqlglot takes it for a column with an alias, or for nothing at all.
"""

import re
from collections.abc import Sequence

from sqlglot import Dialect, Token, TokenType

from workloads.workload import Query

_OTHERS = frozenset(
    {
        "box", "cidr", "circle", "citext", "geography", "geometry", "hstore", "inet", "json",
        "jsonb", "jsonpath", "line", "lseg", "ltree", "macaddr", "macaddr8", "money", "oid", "path",
        "pg_lsn", "point", "polygon", "regclass", "regproc", "regtype", "tsquery", "tsvector",
        "txid_snapshot", "xml",
    }
)  # fmt: skip
"""Types that are words like any other to some of sqlglot's dialects."""
_NUMBERED = re.compile(r"\$\d")
_ZONES = (["WITH", "TIME", "ZONE"], ["WITHOUT", "TIME", "ZONE"])
_ENDS = (TokenType.COMMA, TokenType.R_PAREN)


def with_casts(query: Query, tokens: Sequence[Token], engine: Dialect) -> Sequence[Token]:
    """Return the tokens with ``$1::uuid`` for ``uuid $1``.

    ``interval $1`` is an interval to sqlglot too, except as an argument of a call.
    """
    if not _NUMBERED.search(query.sql):
        return tokens
    cast: list[Token] = []
    for index, token in enumerate(tokens):
        cast.append(token)
        if token.token_type is not TokenType.PLACEHOLDER or query.sql[token.start] != "$":
            continue
        length = length_of_type(cast[:-1], engine)
        if length and (
            cast[-2].token_type is not TokenType.INTERVAL
            or (tokens[index + 1 :] and tokens[index + 1].token_type in _ENDS)
        ):
            colons = Token(
                TokenType.DCOLON, "::", line=token.line, col=token.col, start=token.start,
                end=token.end,
            )  # fmt: skip
            cast[-length - 1 :] = [token, colons, *cast[-length - 1 : -1]]
    return cast


def length_of_type(before: Sequence[Token], engine: Dialect) -> int:
    """Return how many of the last tokens are the name of a type; 0 if they are none."""
    first = len(before) - 1
    if first > 1 and before[first].token_type is TokenType.R_PAREN:
        while first > 0 and before[first].token_type is not TokenType.L_PAREN:
            first -= 1
        first -= 1
    if [token.text.upper() for token in before[max(0, first - 2) : first + 1]] in _ZONES:
        first -= 3
    if first < 0:
        return 0
    type_ = before[first]
    types = engine.parser_class.TYPE_TOKENS
    is_type = type_.token_type in types or type_.text.lower() in _OTHERS
    return len(before) - first if is_type else 0
