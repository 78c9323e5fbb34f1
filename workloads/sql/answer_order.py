"""The order that a statement of DuckDB fixes for its answer, and how many rows it takes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlglot import Dialect, Token, TokenType

from workloads.sql.parsing.door import door
from workloads.workload import Query

_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}
_LIMITS = {TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH}
_BEFORE_NAMES = {TokenType.ALIAS, TokenType.DOT}
"""Any word is a name after AS or a point, also LIMIT."""
_ALL_TOKENS = 5
"""ORDER BY ALL with all that may follow: ASC or DESC, NULLS, FIRST or LAST."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOrder:
    """The end of the outermost ORDER BY, with LIMIT and OFFSET.

    `terms_end` is the offset in `sql` after the last term; None without ORDER BY, or with ORDER BY
    ALL (`is_total`), by which no rows tie that differ. `cut` is the part of `sql` from LIMIT or
    OFFSET on, and `skipped` the text of the number of rows that OFFSET leaves out.
    """

    sql: str
    terms_end: int | None = None
    is_total: bool = False
    cut: tuple[int, int] | None = None
    skipped: str = ""

    @property
    def is_ordered(self) -> bool:
        """Whether the statement fixes an order at all."""
        return self.is_total or self.terms_end is not None

    def uncut(self, columns: int, direction: str) -> str:
        """Return the statement without LIMIT and OFFSET, with its ties sorted by all columns.

        `direction` is ASC or DESC, and sorts NULL first or last.
        """
        start, end = self.cut or (len(self.sql), len(self.sql))
        head = self.sql[:start]
        if self.terms_end is not None:
            nulls = "FIRST" if direction == "ASC" else "LAST"
            ties = (f"{number} {direction} NULLS {nulls}" for number in range(1, columns + 1))
            head = f"{self.sql[: self.terms_end]}, {', '.join(ties)}{head[self.terms_end :]}"
        return f"{head} {self.sql[end:]}"


def answer_order(query: Query) -> AnswerOrder:
    """Return the order of a statement in DuckDB's SQL, from its outermost clauses alone.

    ORDER BY in a derived table fixes nothing. Around a whole statement parentheses do not count.

    Raises:
        SqlError: The text is no SQL.
    """
    with door(query):
        tokens = Dialect.get_or_raise("duckdb").tokenize(query.sql)
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens = tokens[:-1]
    return _order(query.sql, tokens)


class _Clauses(NamedTuple):
    """Numbers of tokens at which the clauses of a statement's outermost level begin."""

    order: int | None
    limit: int
    closing: int | None
    """The parenthesis that ends what the first token begins, if that is one."""


def _order(sql: str, tokens: Sequence[Token]) -> AnswerOrder:
    order, limit, closing = _clauses(tokens)
    cut = None
    if limit < len(tokens):
        cut = (tokens[limit].start, tokens[-1].end + 1)
    if order is None and closing is not None and closing + 1 == limit:
        inner = _order(sql, tokens[1:closing])
        if cut is None:
            return inner
        if inner.cut is None:
            return AnswerOrder(
                sql=sql,
                terms_end=inner.terms_end,
                is_total=inner.is_total,
                cut=cut,
                skipped=_skipped(sql, tokens[limit:]),
            )
    terms = tokens[order + 1 : limit] if order is not None else ()
    is_total = bool(terms) and terms[0].token_type is TokenType.ALL and len(terms) < _ALL_TOKENS
    return AnswerOrder(
        sql=sql,
        terms_end=terms[-1].end + 1 if terms and not is_total else None,
        is_total=is_total,
        cut=cut,
        skipped=_skipped(sql, tokens[limit:]),
    )


def _clauses(tokens: Sequence[Token]) -> _Clauses:
    depth, order, limit, closing = 0, None, len(tokens), None
    for index, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPENING:
            depth += 1
        elif kind in _CLOSING:
            depth -= 1
            if depth == 0 and closing is None and tokens[0].token_type is TokenType.L_PAREN:
                closing = index
        elif depth or (index and tokens[index - 1].token_type in _BEFORE_NAMES):
            continue
        elif kind is TokenType.ORDER_BY:
            order, limit = index, len(tokens)
        elif kind in _LIMITS and limit == len(tokens):
            limit = index
    return _Clauses(order, limit, closing)


def _skipped(sql: str, tokens: Sequence[Token]) -> str:
    """Return the text after OFFSET, up to LIMIT or FETCH."""
    depth, begin, end = 0, None, len(tokens)
    for index, token in enumerate(tokens):
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth == 0 and token.token_type in _LIMITS:
            if begin is not None:
                end = index
                break
            begin = index + 1 if token.token_type is TokenType.OFFSET else None
    taken = tokens[begin:end] if begin is not None else ()
    if taken and taken[-1].text.upper() in ("ROW", "ROWS"):
        taken = taken[:-1]
    return sql[taken[0].start : taken[-1].end + 1] if taken else ""
