"""PostgreSQL's own answer to a statement that is passed through to it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter

import psycopg

from evaluation.store_protocol.carried import is_carried
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.own_answer import OwnAnswer, UnlikeCopyError
from evaluation.stores.copies import name_there
from evaluation.stores.postgresql.sessions import Session, session_with, set_search_path
from evaluation.stores.postgresql.types import duckdb_type, has_equal
from workloads.catalog import Column, Table
from workloads.counting.own import MARK

_OF_TEXT: Mapping[str, str] = {
    "UUID": "CAST({} AS UUID)",
    "TIME": "CAST({} AS TIME)",
    "TIME WITH TIME ZONE": "CAST({} AS TIME WITH TIME ZONE)",
    "INTERVAL": "CAST({} AS INTERVAL)",
    "BIT": "CAST({} AS BIT VARYING)",
    "JSON": "CAST({} AS JSONB)",
}
"""DuckDB's type of what is carried as text → PostgreSQL's value of it; ``{}`` is the column."""
_WHOLE_PARTS = re.compile(
    r"""\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*\""""
    r"""|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|--[^\n]*|/\*.*?\*/|\?""",
    re.DOTALL,
)
"""Strings, quoted names and comments of PostgreSQL, and question marks outside of them."""
_OF_TYPES = (
    psycopg.errors.UndefinedFunction,
    psycopg.errors.UndefinedObject,
    psycopg.errors.WrongObjectType,
    psycopg.errors.DatatypeMismatch,
    psycopg.errors.CannotCoerce,
)
"""Operators, functions and types that are not there for the values of a copy."""
_TEXT = re.compile(r"\btext\b")
_ELEMENTS: Mapping[str, str] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER"), "INTEGER"),
    "BIGINT": "BIGINT",
    "DOUBLE": "DOUBLE PRECISION",
    "BOOLEAN": "BOOLEAN",
    "VARCHAR": "TEXT",
    "UUID": "UUID",
    "DATE": "DATE",
}
"""Types of a list's values → those of an array's."""


def as_users_have_it(connection: Connection, table: Table) -> str:
    """Return the store's copy of `table`, with the values of what it carries as text.

    Lists are arrays; structs and maps are JSONB. A table of the store's own is as it is.
    """
    name = name_there(connection, table)
    is_own = table.origin is not None and table.origin.store == connection.store
    if is_own or not any(each.own_type for each in table.columns):
        return name
    columns = ", ".join(_value(each) for each in table.columns)
    return f"(SELECT {columns} FROM {name})"  # noqa: S608 - names are quoted


def _value(column: Column) -> str:
    name, own = quoted(column.name), column.own_type
    if column.type != "VARCHAR" or not own:
        return name
    form = _OF_TEXT.get(own, "{}")
    if own.startswith(("STRUCT", "MAP")):
        form = _OF_TEXT["JSON"]
    elif (element := _ELEMENTS.get(own.removesuffix("[]"))) and own.endswith("[]"):
        form = (
            "CASE WHEN {} IS NOT NULL THEN CAST(ARRAY(SELECT jsonb_array_elements_text("
            f"CAST({{}} AS JSONB))) AS {element}[]) END"
        )
    return f"{form.replace('{}', name)} AS {name}"


def own_answer(connection: Connection, sql: str, *, timeout_s: float) -> OwnAnswer:
    """Run `sql` in a transaction that writes nothing.

    Raises:
        UnlikeCopyError: It takes a type of PostgreSQL's own where a copy has text.
        StoreError: It fails otherwise.
    """
    with (
        session_with(connection, "its own answer cannot be had") as session,
        _told_of_types(connection.store),
    ):
        session.execute(f"SET statement_timeout = {round(timeout_s * 1000)}".encode())
        session.read_only = True
        with session.transaction():
            if not connection.read_only:
                set_search_path(session, (connection.namespace,), is_local=True)
            types = _types(session, sql)
            columns = ", ".join(
                name if type_ is not None else f"CAST({name} AS TEXT) AS {name}"
                for name, type_ in types.items()
            )
            sent = f"SELECT {MARK} {columns} FROM ({sql}\n) own({', '.join(types)})"  # noqa: S608
            rows = session.execute(sent.encode(), prepare=True).fetchall()
    return OwnAnswer(
        sql=_for_jdbc(sent),
        types={name: type_ or "VARCHAR" for name, type_ in types.items()},
        rows=rows,
    )


@contextmanager
def _told_of_types(store: str) -> Iterator[None]:
    """Tell what fails for a copy's types from what fails anyway, as a misspelt function does."""
    try:
        yield
    except _OF_TYPES as error:
        told = error.diag.message_primary or ""
        if not (isinstance(error, psycopg.errors.UndefinedObject) or _TEXT.search(told)):
            raise
        raise UnlikeCopyError(
            store, f"copies have text where it takes types of PostgreSQL's own ({told})"
        ) from None


def own_seconds(
    connection: Connection, sql: str, *, rounds: int, timeout_s: float
) -> Sequence[float]:
    """Run `sql` so often in a transaction that writes nothing; StoreError for what fails."""
    seconds = []
    with session_with(connection, "it cannot be run as it is written") as session:
        session.execute(f"SET statement_timeout = {round(timeout_s * 1000)}".encode())
        session.read_only = True
        with session.transaction():
            for _ in range(rounds):
                started = perf_counter()
                # In binary, which is sent as one statement, however it is written.
                session.execute(sql.encode(), binary=True).fetchall()
                seconds.append(perf_counter() - started)
    return seconds


def _for_jdbc(sql: str) -> str:
    """Return a text for the JDBC driver, to which ``?`` is a parameter: it is written ``??``."""
    return _WHOLE_PARTS.sub(lambda found: "??" if found[0] == "?" else found[0], sql)


def _types(session: Session, sql: str) -> dict[str, str | None]:
    """Return a name for each column, and DuckDB's type; None for what is handed out as text."""
    # Prepared: as one statement, however it is written.
    asked = session.execute(
        f"SELECT {MARK} * FROM ({sql}\n) own LIMIT 0".encode(),  # noqa: S608 - as told
        prepare=True,
    )
    return {
        f"c{number}": _type(session, column)
        for number, column in enumerate(asked.description or (), start=1)
    }


def _type(session: Session, column: psycopg.Column) -> str | None:
    known = session.adapters.types.get(column.type_code)
    if known is None or column.type_code == known.array_oid or not has_equal(known.name):
        return None
    if known.name == "numeric" and column.precision is None:
        # It has any number of digits.
        return None
    scale = column.scale if column.scale is not None else 0
    modifier = -1 if column.precision is None else (column.precision << 16 | scale) + 4
    type_ = duckdb_type(known.name, modifier)
    return type_ if is_carried(type_) else None
