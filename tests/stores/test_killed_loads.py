"""A load that is killed leaves no half table, and nothing at all after the next start."""

import pickle
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pymysql
import pytest

from evaluation.kinds import BACKENDS
from evaluation.objects.client import ObjectClient
from evaluation.objects.tables import SpaceTables, batches, group_of
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.register import STAGING
from evaluation.stores.accumulo.sessions import session
from tests.stores.dying_load import exit_code
from tests.stores.parquet_tables import numbers
from workloads.catalog import Table

pytestmark = pytest.mark.stores

OLD_ROWS = 10
NEW_ROWS = 6_000
EACH = defaultdict(lambda: 1, accumulo=3)
"""Kind → after each how many statements a load is killed: Accumulo's takes six seconds to die."""


def answer(connection: Connection, statement: str) -> list[tuple[Any, ...]]:
    """Ask a store without our back ends."""
    if connection.kind == "postgresql":
        with psycopg.connect(
            host=connection.host,
            port=connection.port,
            dbname=connection.database,
            user=connection.user,
            password=connection.password,
        ) as session:
            return session.execute(statement.encode()).fetchall()
    if connection.kind == "mysql":
        with (
            pymysql.connect(
                host=connection.host,
                port=connection.port or 0,
                user=connection.user,
                password=connection.password or "",
            ) as server,
            server.cursor() as cursor,
        ):
            cursor.execute(statement)
            return list(cursor.fetchall())
    with duckdb.connect(str(connection.path), read_only=True) as file:
        return file.execute(statement).fetchall()


def tables(connection: Connection) -> set[str]:
    if connection.kind == "accumulo":
        return set(accumulo_tables(connection))
    if connection.kind == "objects":
        with objects_of(connection) as (found, strays):
            return set(found) | {f"{STAGING}{each}" for each in strays}
    return {
        row[0]
        for row in answer(
            connection,
            "SELECT table_name FROM information_schema.tables "
            f"WHERE table_schema = '{connection.namespace}'",
        )
    }


def accumulo_tables(connection: Connection) -> dict[str, str]:
    """Every table of the namespace, without it, with its whole name."""
    with session(connection, "a test") as opened:
        listed = opened.execute("list", namespace=connection.namespace)
    return {name.partition(".")[2]: name for name in listed}


@contextmanager
def objects_of(connection: Connection) -> Iterator[tuple[Mapping[str, pa.Table], set[str]]]:
    """The tables of an object store, and the objects that are of none."""
    with ObjectClient(connection.nodes, connection.password or "") as client:
        entries = SpaceTables(client, connection.namespace).all()
        made = client.objects(group_of(connection.namespace)).values()
        strays = {one for ids in made for one in ids}
        for table in entries.values():
            strays -= set(table.ids)
        yield (
            {
                name: pa.Table.from_batches(
                    [batch for each in client.get(table.ids).buffers() for batch in batches(each)],
                    table.arrow_schema,
                )
                for name, table in entries.items()
            },
            {one.hex() for one in strays},
        )


def count(connection: Connection, table: str) -> int:
    if connection.kind == "accumulo":
        with session(connection, "a test") as opened:
            return int(opened.execute("count", table=accumulo_tables(connection)[table]))
    if connection.kind == "objects":
        with objects_of(connection) as (found, _):
            return int(found[table].num_rows)
    name = BACKENDS[connection.kind].table_name(connection, table)
    return int(answer(connection, f"SELECT count(*) FROM {name}")[0][0])


def die_after(statements: int, connection: Connection, table: Table) -> bool:
    """Load in a process that dies after so many statements; tell whether it died."""
    code = exit_code(connection, table, statements, 600)
    assert code in {0, -signal.SIGKILL}
    return code != 0


def test_killed_after_any_statement_there_is_the_old_copy_or_the_new_one(
    server: Connection, tmp_path: Path
) -> None:
    connection = replace(server, namespace="killed")
    backend = BACKENDS[connection.kind]
    old = replace(numbers(tmp_path, "numbers", OLD_ROWS), fingerprint="old")
    new = replace(numbers(tmp_path, "numbers-new", NEW_ROWS), name="numbers", fingerprint="new")
    rows_of = {"old": {OLD_ROWS}, "new": {NEW_ROWS}, None: {OLD_ROWS, NEW_ROWS}}
    seen = set()
    statements = 1
    while True:
        backend.prepare(connection)
        backend.load(connection, old)
        if not die_after(statements, connection, new):
            break
        loaded = backend.loaded(connection).get("numbers")
        fingerprint = loaded.fingerprint if loaded else None
        seen.add(fingerprint)
        assert count(connection, "numbers") in rows_of[fingerprint]
        backend.prepare(connection)
        assert not [name for name in tables(connection) if name.startswith(STAGING)]
        # A copy that was complete may have been published since.
        kept = backend.loaded(connection).get("numbers")
        assert count(connection, "numbers") in rows_of[kept.fingerprint if kept else None]
        assert fingerprint is None or (kept and kept.fingerprint in {fingerprint, "new"})
        statements += EACH[connection.kind]
    assert statements > 5
    assert {"old", "new"} <= seen
    assert backend.loaded(connection)["numbers"].fingerprint == "new"
    backend.drop(connection, "numbers")


_LOADS = """
import pickle, sys
from evaluation.kinds import BACKENDS
connection, table = pickle.load(sys.stdin.buffer)
BACKENDS[connection.kind].load(connection, table)
"""


def test_a_load_killed_while_rows_arrive_leaves_no_rows(
    process: Connection, tmp_path: Path
) -> None:
    connection = replace(process, namespace="killed_amid")
    backend = BACKENDS[connection.kind]
    backend.prepare(connection)
    # The object store takes three millions in the time that others need to begin.
    table = numbers(tmp_path, "numbers", 30_000_000 if process.kind == "objects" else 3_000_000)
    with subprocess.Popen([sys.executable, "-c", _LOADS], stdin=subprocess.PIPE) as child:
        assert child.stdin is not None
        child.stdin.write(pickle.dumps((connection, table)))
        child.stdin.close()
        while not any(name.startswith(STAGING) for name in tables(connection)):
            assert child.poll() is None
            time.sleep(0.02)
        time.sleep(0.5)
        assert child.poll() is None
        child.kill()
    assert backend.loaded(connection) == {}
    assert "numbers" not in tables(connection)
    backend.prepare(connection)
    assert not [name for name in tables(connection) if name.startswith(STAGING)]
