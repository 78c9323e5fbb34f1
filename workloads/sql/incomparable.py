"""Statements whose answer on a copy cannot be compared with anything, and why.

They count for their tables, and stay with their server. But they are not run on copies: what a
copy answers would not be what the users' own tables do.
"""

import re
from collections.abc import Iterable, Sequence

from sqlglot import Token, TokenType

from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql.parsing.as_checked import NO_VALUES, has_parameters
from workloads.sql.parsing.parse import tokens_of
from workloads.workload import Query

SYSTEM_COLUMNS = frozenset({"ctid", "oid", "tableoid", "xmin", "xmax", "cmin", "cmax"})
"""Columns that each table of PostgreSQL has, or had, of which the catalog says nothing."""
_OF_PLACE = SYSTEM_COLUMNS - {"oid"}
_BY_CHANCE = frozenset(
    {
        *("random", "random_normal", "setseed", "gen_random_uuid", "gen_random_bytes"),
        *("uuid_generate_v1", "uuid_generate_v1mc", "uuid_generate_v4", "uuidv4", "uuidv7"),
        *("clock_timestamp", "timeofday", "rand", "uuid", "random_bytes", "connection_id"),
    }
)
_BY_MOMENT = frozenset(
    {
        *("now", "current_date", "current_time", "current_timestamp", "localtime"),
        *("localtimestamp", "statement_timestamp", "transaction_timestamp", "sysdate"),
        *("curdate", "curtime", "utc_date", "utc_time", "utc_timestamp"),
    }
)
_WITHOUT_PARENTHESES = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"}
)
_CHANGING = re.compile(rf"(?i)\b(?:{'|'.join(sorted(_BY_CHANCE | _BY_MOMENT))})\b")
_EACH_TIME = "gives another value each time"
_TEXTS = frozenset({TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.BYTE_STRING})


def incomparable(
    query: Query, tokens: Sequence[Token], dialect: str, tables: Iterable[str], catalog: Catalog
) -> str:
    """Return why a copy's answer to a statement is comparable with no other; "" where it is."""
    if has_parameters(query, dialect):
        return NO_VALUES
    own = {column.name.lower() for name in tables for column in catalog.tables[name].columns}
    for place, token in enumerate(tokens):
        word = token.text.lower()
        if token.token_type in _TEXTS:
            continue
        if token.token_type is TokenType.TABLE_SAMPLE:
            return "TABLESAMPLE draws rows by where they lie, and in a copy they lie elsewhere"
        if dialect == "postgres" and word in _OF_PLACE - own:
            return f"{word} tells where or since when a row lies, which a copy has otherwise"
        if not _is_called(tokens, place):
            continue
        if word in _BY_CHANCE:
            return f"{word}() {_EACH_TIME}"
        if dialect == "mysql" and token.token_type is TokenType.PARTITION:
            return "it reads a partition by its name, and a copy has none"
    return ""


def only_of_copy(tables: Sequence[str]) -> str:
    """Return why no copy of `tables`, which are read without their children, has the answer."""
    if not tables:
        return ""
    return f"ONLY leaves out the tables that inherit from {tables[0]}, whose rows its copies have"


def changing(query: Query, dialect: str) -> str:
    """Return which function of a statement has another value in each run, and why; "" for none."""
    if not _CHANGING.search(query.sql):
        return ""
    try:
        tokens = tokens_of(query, query.dialect or dialect)
    except SqlError:  # what is wrong is said by who runs it
        return ""
    for place, token in enumerate(tokens):
        is_called = token.token_type not in _TEXTS and _is_called(tokens, place)
        if is_called and token.text.lower() in _BY_CHANCE:
            return f"{token.text.lower()}() {_EACH_TIME}"
    moment = moment_of(tokens)
    return f"{moment} tells the moment of the run" if moment else ""


def moment_of(tokens: Sequence[Token]) -> str:
    """Return the function of the present moment that a statement calls, as ``now()``; "" for none.

    It is run: most such statements have the same answer for a while.
    """
    for place, token in enumerate(tokens):
        word = token.text.lower()
        if token.token_type not in _TEXTS and word in _BY_MOMENT:
            if _is_called(tokens, place):
                return f"{word}()"
            if word in _WITHOUT_PARENTHESES and token.token_type is not TokenType.IDENTIFIER:
                return word
    return ""


def _is_called(tokens: Sequence[Token], place: int) -> bool:
    return place + 1 < len(tokens) and tokens[place + 1].token_type is TokenType.L_PAREN
