"""PostgreSQL's own answer to a statement that is passed through to it."""

import psycopg

from evaluation.store_protocol.carried import is_carried
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.own_answer import OwnAnswer
from evaluation.stores.postgresql.sessions import Session, session_with
from evaluation.stores.postgresql.types import duckdb_type, has_equal


def own_answer(connection: Connection, sql: str, *, timeout_s: float) -> OwnAnswer:
    """Run `sql` in a transaction that writes nothing; StoreError for what fails."""
    with session_with(connection, "its own answer cannot be had") as session:
        session.execute(f"SET statement_timeout = {round(timeout_s * 1000)}".encode())
        session.read_only = True
        with session.transaction():
            session.execute(
                f"SET LOCAL search_path = {quoted(connection.namespace)}, public".encode()
            )
            types = _types(session, sql)
            columns = ", ".join(
                name if type_ is not None else f"CAST({name} AS TEXT) AS {name}"
                for name, type_ in types.items()
            )
            sent = f"SELECT {columns} FROM ({sql}\n) own({', '.join(types)})"  # noqa: S608 - ours
            rows = session.execute(sent.encode()).fetchall()
    return OwnAnswer(
        sql=sent, types={name: type_ or "VARCHAR" for name, type_ in types.items()}, rows=rows
    )


def _types(session: Session, sql: str) -> dict[str, str | None]:
    """Return a name for each column, and DuckDB's type; None for what is handed out as text."""
    asked = session.execute(f"SELECT * FROM ({sql}\n) own LIMIT 0".encode())  # noqa: S608 - as told
    return {
        f"c{number}": _type(session, column)
        for number, column in enumerate(asked.description or (), start=1)
    }


def _type(session: Session, column: psycopg.Column) -> str | None:
    known = session.adapters.types.get(column.type_code)
    if known is None or column.type_code == known.array_oid or not has_equal(known.name):
        return None
    scale = column.scale if column.scale is not None else 0
    modifier = -1 if column.precision is None else (column.precision << 16 | scale) + 4
    type_ = duckdb_type(known.name, modifier)
    return type_ if is_carried(type_) else None
