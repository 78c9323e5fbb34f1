"""The text of a statement that is sent as it was written, reduced to what was checked of it.

A server reads such a text by its own rules. So comments are blanked out, of which MySQL runs some,
with what changes no row of an answer (`unsent_clauses`). Strings are refused that PostgreSQL's
rules may end elsewhere than sqlglot's.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import pairwise

from sqlglot import Token, TokenType

from workloads.errors import NotSentError
from workloads.sql.parsing.door import place_of
from workloads.sql.parsing.parse import tokens_of
from workloads.sql.parsing.placeholders import question_marks, stands_for_value
from workloads.sql.parsing.unsent_clauses import unsent_clauses
from workloads.workload import Query

NO_VALUES = "it has parameters, whose values are not known"
"""Why a statement with parameters is not run."""

_OF_THE_SERVER = (
    # PostgreSQL: what it knows of itself and of its files, locks, large objects, SQL in strings.
    *("pg_*", "lo_*", "loread", "lowrite", "setval", "nextval", "set_config", "txid_*", "dblink*"),
    *("table_to_xml*", "schema_to_xml*", "database_to_xml*", "query_to_*", "cursor_to_xml*"),
    *("ts_stat", "ts_rewrite", "crosstab*", "connectby", "xpath_table", "http*", "invoke"),
    *(
        "query_export_to_s3",
        "table_import_from_s3",
        "brin_*",
        "gin_clean_pending_list",
        "current_setting",
    ),
    # MySQL and MariaDB.
    *(
        "get_lock",
        "release_*lock*",
        "is_*_lock",
        "sleep",
        "benchmark",
        "master_*",
        "source_pos_wait",
    ),
    *("wait_for_*", "load_file", "sys_*", "ps_*", "format_path", "lastval", "uuid_short"),
)
"""Functions that no statement may call that is sent as it is; ``*`` is any rest of a name."""
_HARMLESS = ("pg_typeof", "pg_column_size", "pg_size_pretty", "pg_get_viewdef", "pg_input_is_valid")
_NEXT_TO_ESCAPES = re.compile(r"(?i)\bu&[\"']")


def as_checked(query: Query, dialect: str) -> Query:
    """Return a statement with blanks for all that is no token, which stays where it was.

    Raises:
        NotSentError: It may mean something else to the server, or calls what it may not.
        SqlError: It has no tokens, is several statements, or reaches the host.
    """
    tokens = tokens_of(query, dialect)
    for start, what in _refused(query.sql, tokens, dialect):
        line, column = place_of(query, start)
        reason = f"{what} is in none that is sent to a server as it is written"
        raise NotSentError(reason, origin=query.origin, line=line, column=column)
    marked = question_marks(query.sql, dialect)
    # Of a parameter the tokens have one sign alone.
    text = [
        own if own != sign or own.isspace() else " "
        for own, sign in zip(query.sql, marked, strict=True)
    ]
    blank = unsent_clauses(tokens, dialect)
    for place, token in enumerate(tokens):
        if token.token_type is not TokenType.HINT and place not in blank:
            text[token.start : token.end + 1] = query.sql[token.start : token.end + 1]
    return replace(query, sql="".join(text))


def has_parameters(query: Query, dialect: str) -> bool:
    """Tell whether a statement has parameters, whose values nobody knows.

    ``?`` is an operator of PostgreSQL behind a value, and a parameter elsewhere.
    """
    marked = question_marks(query.sql, dialect)
    if marked != query.sql:
        return True
    return any(
        token.text == "?" and (dialect != "postgres" or stands_for_value(marked, token.start))
        for token in tokens_of(query, dialect)
        if token.token_type is not TokenType.STRING
    )


def _refused(sql: str, tokens: Sequence[Token], dialect: str) -> Iterator[tuple[int, str]]:
    """Yield what a text may not have, with its place."""
    if found := _NEXT_TO_ESCAPES.search(sql):
        yield found.start(), "U& before quotes"
    depth = 0
    for token, after in pairwise((*tokens, None)):
        if token is None:
            return
        kind = token.token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth < 0:
            yield token.start, "a parenthesis that closes none"
        if dialect == "postgres":
            yield from _strange_string(sql, token, after)
        if after is not None and after.token_type is TokenType.L_PAREN:
            name = token.text.lower()
            if name not in _HARMLESS and any(fnmatchcase(name, each) for each in _OF_THE_SERVER):
                yield token.start, f"{name}()"


def _strange_string(sql: str, token: Token, after: Token | None) -> Iterator[tuple[int, str]]:
    """Yield a string of PostgreSQL whose end sqlglot may see elsewhere."""
    if token.token_type is TokenType.HEREDOC_STRING:
        yield token.start, "a string between dollar signs"
    if token.token_type is TokenType.UNICODE_STRING:
        yield token.start, "a string with U&"
    if token.token_type is TokenType.BYTE_STRING and "\\" in sql[token.start : token.end + 1]:
        yield token.start, "a string with backslashes that are escapes"
    if after is not None and {token.token_type, after.token_type} <= _STRINGS:
        yield after.start, "a string that goes on in another"


_STRINGS = frozenset({TokenType.STRING, TokenType.BYTE_STRING, TokenType.NATIONAL_STRING})
