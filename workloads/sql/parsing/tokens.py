"""Checks on a statement's tokens before parsing: constructs that sqlglot would stumble over."""

from collections.abc import Iterator, Sequence

from sqlglot import Token, TokenType

from workloads.sql.parsing.door import error_at
from workloads.sql.parsing.nesting import refuse_depth
from workloads.workload import Query

_CLAUSES = frozenset(
    {
        TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.HAVING,
        TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT, TokenType.R_PAREN,
        TokenType.COMMA,
    }
)  # fmt: skip
"""Tokens that begin neither an item of a list nor a condition or a name."""

_NEED_MORE = {
    TokenType.COMMA: "an item is missing after ','",
    TokenType.ON: "the condition after ON is missing",
    TokenType.ALIAS: "the name after AS is missing",
    TokenType.GROUP_BY: "GROUP BY lists nothing",
    TokenType.SELECT: "SELECT lists nothing",
}
_NEED_LESS = {TokenType.SELECT, TokenType.L_PAREN, TokenType.FROM}
_WATCHED = _NEED_MORE.keys() | _NEED_LESS
_EMPTY_LISTS = frozenset({"postgres", "materialize", "risingwave"})
_TRAILING_COMMAS = frozenset({"duckdb", "bigquery", "snowflake", "clickhouse", "databricks"})
_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}
_SET_OPERATORS = {TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT}
_JOINS_NEED_CONDITIONS = frozenset({"postgres", "redshift", "duckdb", "trino", "presto", "athena"})
_UNCONDITIONAL = frozenset({"CROSS", "NATURAL", "ASOF", "POSITIONAL", "ARRAY", "PASTE"})
_HINTED = frozenset({"HASH", "LOOP", "MERGE", "REMOTE", "FOR"})
_OUTER = frozenset({"LEFT", "RIGHT", "FULL", "OUTER", "SEMI", "ANTI"})
_JOINS_END = {
    TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT,
    TokenType.QUALIFY, TokenType.SELECT, TokenType.SET, TokenType.COMMA, TokenType.SEMICOLON,
    *_SET_OPERATORS,
}  # fmt: skip
_MOST_BARE_JOINS = 12
"""sqlglot's time doubles with each join without a condition."""


def checked(query: Query, tokens: Sequence[Token], dialect: str) -> list[Token]:
    """Return the tokens of a statement as they are to be parsed.

    Raises:
        SqlError: They are nested too deeply, or something is missing.
    """
    refuse_depth(query, tokens)
    _refuse_dangling(query, tokens, dialect)
    if any(token.token_type is TokenType.OFFSET for token in tokens):
        tokens = _with_selected_operands(tokens)
    if any(token.token_type is TokenType.JOIN for token in tokens):
        return _with_cross_joins(query, tokens, dialect)
    return list(tokens)


def _refuse_dangling(query: Query, tokens: Sequence[Token], dialect: str) -> None:
    """Refuse lists, conditions and names that are not there: sqlglot reads on."""
    last = len(tokens) - 1
    for index, token in enumerate(tokens):
        here = token.token_type
        if here not in _WATCHED:
            continue
        after = tokens[index + 1].token_type if index < last else None
        if here in _NEED_LESS and after is TokenType.COMMA:
            raise error_at(query, tokens[index + 1].start, "an item is missing before ','")
        if here in _NEED_MORE and _is_missing(here, after, dialect):
            raise error_at(query, token.start, _NEED_MORE[here])


def _is_missing(here: TokenType, after: TokenType | None, dialect: str) -> bool:
    """Whether what must follow `here` is not there."""
    if after is not None and after not in _CLAUSES:
        return False
    if here is TokenType.SELECT:
        return dialect not in _EMPTY_LISTS
    return (
        here is not TokenType.COMMA or after is TokenType.COMMA or dialect not in _TRAILING_COMMAS
    )


def _with_selected_operands(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with SELECT * FROM in EXISTS before a query in parentheses.

    sqlglot reads no OFFSET after one that EXISTS begins with.
    """
    opened = (TokenType.EXISTS, TokenType.L_PAREN, TokenType.L_PAREN)
    kinds = [token.token_type for token in tokens]
    selected: list[Token] = []
    for index, token in enumerate(tokens):
        if tuple(kinds[index - 2 : index + 1]) == opened:
            words = ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))
            selected += [
                Token(kind, text, line=token.line, col=token.col, start=token.start, end=token.end)
                for kind, text in words
            ]
        selected.append(token)
    return selected


def _with_cross_joins(query: Query, tokens: Sequence[Token], dialect: str) -> list[Token]:
    """Return the tokens with CROSS before each JOIN that has no condition, where that may be."""
    bare = list(_bare_joins(tokens))
    words = {index: _words_before(tokens, index) for index in bare}
    bare = [index for index in bare if not words[index] & _UNCONDITIONAL]
    outer = [index for index in bare if words[index] & _OUTER]
    inner = [index for index in bare if not words[index] & (_OUTER | _HINTED)]
    if (inner or outer) and dialect in _JOINS_NEED_CONDITIONS:
        reason = "this JOIN has neither ON nor USING: write CROSS JOIN if that is meant"
        raise error_at(query, tokens[min(inner + outer)].start, reason)
    if len(outer) > _MOST_BARE_JOINS:
        raise error_at(query, tokens[outer[0]].start, "this outer JOIN has neither ON nor USING")
    crossed = list(tokens)
    for index in reversed(inner):
        join = tokens[index]
        cross = Token(
            TokenType.CROSS, "CROSS", line=join.line, col=join.col, start=join.start, end=join.end
        )
        follows_inner = tokens[index - 1].token_type is TokenType.INNER
        crossed[index - follows_inner : index] = [cross]
    return crossed


def _bare_joins(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield the indexes of the JOINs that no ON or USING belongs to: each belongs to the last."""
    levels: list[list[int]] = [[]]
    for index, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPENING:
            levels.append([])
        elif kind in _CLOSING and len(levels) > 1:
            yield from levels.pop()
        elif kind is TokenType.JOIN:
            levels[-1].append(index)
        elif kind in (TokenType.ON, TokenType.USING) and levels[-1]:
            levels[-1].pop()
        elif kind in _JOINS_END:
            yield from levels[-1]
            levels[-1] = []
    for level in levels:
        yield from level


def _words_before(tokens: Sequence[Token], index: int) -> set[str]:
    """Return the words right before a JOIN that say what kind of join it is."""
    words: set[str] = set()
    known = _UNCONDITIONAL | _OUTER | _HINTED | {"INNER", "ANY", "ALL", "GLOBAL"}
    for token in reversed(tokens[max(0, index - 4) : index]):
        if token.text.upper() not in known:
            break
        words.add(token.text.upper())
    return words
