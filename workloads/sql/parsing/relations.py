"""The tables that a text names, found by its tokens: for statements that sqlglot cannot parse.

A name is a table's where it follows FROM, JOIN or a comma of a FROM clause, is no CTE of the text,
and is not called as a function.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sqlglot import Token, TokenType

_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_JOINS = frozenset({TokenType.JOIN, TokenType.STRAIGHT_JOIN})
_BEFORE = frozenset({"ONLY", "LATERAL"})
_OWN_TYPES = frozenset(
    {
        *("box", "point", "line", "lseg", "path", "polygon", "circle", "inet", "cidr", "macaddr"),
        *("macaddr8", "tsvector", "tsquery", "jsonpath", "pg_lsn", "money", "varbit", "xml"),
        *("int4range", "int8range", "numrange", "tsrange", "tstzrange", "daterange"),
        *("int4multirange", "int8multirange", "nummultirange", "datemultirange"),
    }
)
"""Types of which sqlglot does not read a value that is written so."""
_FROM_ENDS = frozenset(
    {
        TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT,
        TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT, TokenType.WINDOW, TokenType.FETCH,
        TokenType.OFFSET,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A name of a table at `start` up to `end` of a text, with the schema that stands before it."""

    schema: str
    name: str
    start: int
    end: int
    has_alias: bool


@dataclass(slots=True)
class _Level:
    """One pair of parentheses: whether a SELECT is in it, and its FROM clause is open."""

    selects: bool = False
    in_from: bool = False


@dataclass(slots=True)
class _Reader:
    """Goes over the tokens once."""

    tokens: Sequence[Token]
    levels: list[_Level] = field(default_factory=lambda: [_Level()])

    def relations(self) -> Iterator[Relation]:
        """Yield every table that is named, those of CTEs among them."""
        for index, token in enumerate(self.tokens):
            kind, level = token.token_type, self.levels[-1]
            if kind is TokenType.L_PAREN:
                # A join may be in parentheses: what follows them is its first table.
                begins = level.in_from and self._begins_item(index)
                self.levels.append(_Level(selects=begins, in_from=begins))
                if begins:
                    yield from self._named(index + 1)
            elif kind is TokenType.R_PAREN:
                if len(self.levels) > 1:
                    self.levels.pop()
            elif kind is TokenType.SELECT:
                level.selects, level.in_from = True, False
            elif kind in _FROM_ENDS:
                level.in_from = False
            elif self._opens(index, level):
                level.in_from = True
                yield from self._named(index + 1)

    def _opens(self, index: int, level: _Level) -> bool:
        """Tell whether a table may follow: FROM of a SELECT, a JOIN, or a comma between tables."""
        kind = self.tokens[index].token_type
        if kind is TokenType.FROM:
            return level.selects and self._text(index - 1) != "DISTINCT"
        return level.in_from and (kind in _JOINS or kind is TokenType.COMMA)

    def _begins_item(self, index: int) -> bool:
        before = self.tokens[index - 1] if index else None
        return before is not None and (
            before.token_type in _JOINS
            or before.token_type in (TokenType.FROM, TokenType.COMMA, TokenType.L_PAREN)
        )

    def _named(self, index: int) -> Iterator[Relation]:
        while self._text(index) in _BEFORE:
            index += 1
        parts: list[Token] = []
        while self._is_name(index):
            parts.append(self.tokens[index])
            if self._kind(index + 1) is not TokenType.DOT:
                break
            index += 2
        if not parts or self._kind(index + 1) is TokenType.L_PAREN:
            return
        after = self._kind(index + 1)
        yield Relation(
            schema=parts[-2].text if len(parts) > 1 else "",
            name=parts[-1].text,
            start=parts[0].start,
            end=parts[-1].end + 1,
            has_alias=after is TokenType.ALIAS or after in _NAMES,
        )

    def _is_name(self, index: int) -> bool:
        """Tell whether a token may be part of a name: a word that is no keyword of a query."""
        kind = self._kind(index)
        if kind in _NAMES:
            return True
        word = self._text(index)
        return word.isidentifier() and kind not in (TokenType.SELECT, TokenType.VALUES)

    def _kind(self, index: int) -> TokenType | None:
        return self.tokens[index].token_type if 0 <= index < len(self.tokens) else None

    def _text(self, index: int) -> str:
        return self.tokens[index].text.upper() if 0 <= index < len(self.tokens) else ""


def has_typed_text(tokens: Sequence[Token]) -> bool:
    """Tell whether there is a value of a type of PostgreSQL's, as in ``box '((0,0),(5,5))'``."""
    return any(
        word.text.lower() in _OWN_TYPES and after.token_type is TokenType.STRING
        for word, after in pairwise(tokens)
    )


def named_relations(tokens: Sequence[Token]) -> tuple[Relation, ...]:
    """Return the tables that a text names, and its CTEs where it reads them, in its order."""
    return tuple(_Reader(tokens).relations())


def named_ctes(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the names in small letters of what may be CTEs, or windows that are called so."""
    return frozenset(
        tokens[index].text.lower() for index in range(len(tokens) - 2) if _is_cte(tokens, index)
    )


def reads_otherwise(tokens: Sequence[Token]) -> bool:
    """Tell whether a text may read a table in a way that is not looked at: ``TABLE t``, ``{OJ``."""
    return any(
        token.token_type in (TokenType.TABLE, TokenType.L_BRACE) or token.text == "{"
        for token in tokens
    )


def _is_cte(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether the token is the name before ``AS (``, ``AS MATERIALIZED (`` or ``(x) AS (``."""
    after = index + 1
    if tokens[after].token_type is TokenType.L_PAREN:
        while after < len(tokens) and tokens[after].token_type is not TokenType.R_PAREN:
            after += 1
        after += 1
    if after >= len(tokens) or tokens[after].token_type is not TokenType.ALIAS:
        return False
    after += 1
    while after < len(tokens) and tokens[after].text.upper() in ("NOT", "MATERIALIZED"):
        after += 1
    return after < len(tokens) and tokens[after].token_type is TokenType.L_PAREN
