"""The commands of a migration, carried out as they are printed."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymysql
import pytest
from pymysql.constants import CLIENT

from advisor.report.text.migration_files import ORDER, migration_files
from evaluation.kinds import BACKENDS
from evaluation.migration_sql import MigrationCommands
from evaluation.store_protocol.connection import Connection
from evaluation.stores.duckdb.sessions import session_with
from evaluation.stores.mysql.sessions import session as mysql_session
from evaluation.stores.postgresql.sessions import connect
from placement.movement.migration import migrate
from tests.stores.parquet_tables import bytes_and_instants, every_type, texts
from tests.unit.placement.problems import problem, store
from workloads.catalog import Catalog
from workloads.indexes import Index

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

START = {"every_type": ("pg",), "texts": ("pg",), "odd": ("pg",)}
AROUND = (
    {"every_type": ("maria",), "texts": ("duck",), "odd": ("maria",)},
    {"every_type": ("duck",), "texts": ("maria", "pg"), "odd": ("duck",)},
    START,
)


INDEXES = {
    "pg": "SELECT count(*) FROM pg_catalog.pg_indexes WHERE tablename = 'every_type'"
    """ AND schemaname = 'Moved by "hand" `x'''""",
    "maria": "SELECT count(DISTINCT index_name) FROM information_schema.statistics"
    """ WHERE table_name = 'every_type' AND table_schema = 'Moved by "hand" `x'''""",
}
"""The number of indexes of the copy of `every_type`, its primary key among them."""


def run_sql(connection: Connection, statements: Sequence[str]) -> Sequence[Any]:
    """Run statements in one session of the store's own driver; return the last one's rows."""
    rows: Sequence[Any] = ()
    if connection.kind == "mysql":
        with mysql_session(connection, "a test") as execute:
            for statement in statements:
                rows = execute(statement)
    elif connection.kind == "duckdb":
        with session_with(connection, "a test") as duck:
            for statement in statements:
                rows = duck.execute(statement).fetchall()
    else:
        with connect(connection) as postgres:
            for statement in statements:
                cursor = postgres.execute(statement.encode())
                rows = cursor.fetchall() if cursor.description else ()
    return rows


def run_file(connection: Connection, text: str) -> Sequence[Any]:
    """Give a whole file of SQL to a store at once, as its client does; return the last rows."""
    if connection.kind == "mysql":
        with (
            closing(
                pymysql.connect(
                    host=connection.host,
                    port=connection.port or 0,
                    user=connection.user,
                    password=connection.password or "",
                    client_flag=CLIENT.MULTI_STATEMENTS,
                )
            ) as session,
            session.cursor() as cursor,
        ):
            cursor.execute(text)
            rows: Sequence[Any] = cursor.fetchall()
            while cursor.nextset():
                rows = cursor.fetchall()
            session.commit()
            return rows
    if connection.kind == "duckdb":
        with session_with(connection, "a test") as duck:
            return duck.execute(text).fetchall()
    with connect(connection) as postgres:
        results = postgres.execute(text.encode())
        while results.nextset():
            pass
        return results.fetchall() if results.description else ()


def follow(
    files: Mapping[str, str], connections: Mapping[str, Connection]
) -> dict[str, list[tuple[Any, ...]]]:
    """Run files in the order of their names; return table and store → rows of verifications."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for name in sorted(files.keys() - {ORDER}):
        if name.endswith(".spark.py"):
            exec(files[name], {})
        else:
            step, store, _ = name.rsplit(".", 2)
            rows = run_file(connections[store], files[name])
            if "-verify-" in step:
                found.setdefault(step.split("-")[0] + step.split("-verify")[1], []).extend(
                    map(tuple, rows)
                )
    return found


def test_a_migration_around_all_stores_by_its_files(
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connections = {
        name: replace(each, namespace='Moved by "hand" `x\'') for name, each in embedded.items()
    }
    monkeypatch.setenv("MARIA_PASSWORD", str(connections["maria"].password))
    shown = {**connections, "maria": replace(connections["maria"], password_env="MARIA_PASSWORD")}
    indexes = (Index(columns=("text",)), Index(columns=("day", "text")), Index(columns=("ratio",)))
    indexed = replace(every_type(tmp_path), indexes=indexes)
    tables = (indexed, texts(tmp_path), bytes_and_instants(tmp_path))
    catalog = Catalog(name="c", tables={table.name: table for table in tables})
    pg = connections["pg"]
    BACKENDS["postgresql"].prepare(pg)
    for table in catalog.tables.values():
        BACKENDS["postgresql"].load(pg, table)
    asked = problem(
        dict.fromkeys(catalog.tables, 10), [store(n) for n in connections], max_copies=2
    )
    writer = MigrationCommands(catalog=catalog, connections=shown, exchange=tmp_path / "exchange")
    start: Mapping[str, tuple[str, ...]] = START
    for goal in AROUND:
        steps = migrate(asked, start, goal).steps
        files = migration_files("Around", steps, writer.preamble(steps), writer.of(steps))
        assert len(files) == len(set(map(str.lower, files)))
        written = "\n".join(files.values())
        assert all(str(c.password) not in written for c in connections.values() if c.password)
        verified = follow(files, connections)
        assert len(verified) == sum(step.kind == "verify" for step in steps)
        for step, rows in verified.items():
            assert rows[0] == rows[1], step
            assert rows[0][0] == catalog.table(step.partition("-")[2]).rows
            assert rows[0][1] > 0
        for name, connection in connections.items():
            held = set(BACKENDS[connection.kind].loaded(connection))
            assert held == {table for table, stores in goal.items() if name in stores}
        for name in INDEXES.keys() & set(goal["every_type"]):
            assert tuple(run_sql(connections[name], [INDEXES[name]])[0]) == (1 + len(indexes),)
        start = goal
    texts_sum = run_sql(
        pg, ['SELECT count(*) FROM "Moved by ""hand"" `x\'"."texts" WHERE text = \'NULL\'']
    )
    assert texts_sum == [(1,)]


def test_a_changed_value_changes_the_checksum(
    embedded: Mapping[str, Connection], tmp_path: Path
) -> None:
    pg = replace(embedded["pg"], namespace="changed")
    backend, table = BACKENDS["postgresql"], texts(tmp_path)
    backend.prepare(pg)
    backend.load(pg, table)
    writer = MigrationCommands(
        catalog=Catalog(name="c", tables={"texts": table}),
        connections={"pg": pg, "other": pg},
        exchange=tmp_path,
    )
    asked = problem({"texts": 1}, [store("pg"), store("other")])
    verify = writer.of(migrate(asked, {"texts": ("pg",)}, {"texts": ("other",)}).steps)[1][0]
    before = run_sql(pg, verify.text)
    name = backend.table_name(pg, "texts")
    run_sql(pg, [f"UPDATE {name} SET text = 'Plain' WHERE text = 'plain'"])
    after = run_sql(pg, verify.text)
    assert before[0][0] == after[0][0]
    assert before[0][1] != after[0][1]
