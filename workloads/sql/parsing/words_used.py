"""The words of a statement of DuckDB, taken from its tokens: it need not be parsed."""

from collections.abc import Sequence
from itertools import pairwise

from sqlglot import Dialect, Token, TokenType

from workloads.sql.parsing.door import door
from workloads.workload import Query

_LITERAL = (TokenType.STRING, TokenType.IDENTIFIER)
_WITHOUT_PARENTHESES = frozenset(
    {
        *("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"),
        *("current_user", "session_user", "current_role", "current_catalog", "current_schema"),
    }
)


def called_names(query: Query) -> frozenset[str]:
    """Return the functions that a statement calls, in lower case.

    Raises:
        SqlError: The text is no SQL.
    """
    tokens = _tokens(query)
    found = set()
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        name = token.text.lower()
        is_call = after is not None and after.token_type is TokenType.L_PAREN
        if (is_call and token.token_type is not TokenType.STRING) or (
            name in _WITHOUT_PARENTHESES and token.token_type not in _LITERAL
        ):
            found.add(name)
    return frozenset(found)


def keywords(query: Query) -> frozenset[str]:
    """Return the words of a statement in capitals, names among them unless they are quoted.

    DISTINCT ON is one of them.

    Raises:
        SqlError: The text is no SQL.
    """
    tokens = [each for each in _tokens(query) if each.token_type not in _LITERAL]
    pairs = pairwise(tokens)
    both = {f"{one.text} {other.text}".upper() for one, other in pairs}
    return frozenset({each.text.upper() for each in tokens} | (both & {"DISTINCT ON"}))


def names_written(query: Query) -> frozenset[str]:
    """Return the words of a statement that may be names, in lower case.

    Raises:
        SqlError: The text is no SQL.
    """
    kinds = (TokenType.VAR, TokenType.IDENTIFIER)
    return frozenset(each.text.lower() for each in _tokens(query) if each.token_type in kinds)


def _tokens(query: Query) -> Sequence[Token]:
    with door(query):
        return Dialect.get_or_raise("duckdb").tokenize(query.sql)
