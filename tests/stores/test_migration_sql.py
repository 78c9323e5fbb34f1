"""The commands of a migration, carried out as they are printed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evaluation.kinds import BACKENDS
from evaluation.migration_sql import Command, MigrationCommands
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


def follow(
    commands: Sequence[Command], names: dict[str, Any], connections: Mapping[str, Connection]
) -> list[tuple[Any, ...]]:
    """Carry commands out; return the row of each SQL command that ends in a query."""
    found = []
    for command in commands:
        if command.language == "pyspark":
            exec("\n".join(command.text), names)
        else:
            rows = run_sql(connections[str(command.store)], command.text)
            found += [tuple(row) for row in rows][:1] if "SELECT" in command.text[-1] else []
    return found


def test_a_migration_around_all_stores_by_its_printed_commands(
    spark: "SparkSession",
    embedded: Mapping[str, Connection],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connections = {
        name: replace(each, namespace='Moved by "hand" `x\'') for name, each in embedded.items()
    }
    password = str(connections["maria"].password)
    monkeypatch.setenv("MARIA_PASSWORD", password)
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
        names: dict[str, Any] = {"spark": spark}
        preamble = writer.preamble(steps)
        follow([preamble], names, connections)
        for step, commands in zip(steps, writer.of(steps), strict=True):
            written = "\n".join(line for command in commands for line in command.text)
            assert all(str(c.password) not in written for c in connections.values() if c.password)
            rows = follow(commands, names, connections)
            if step.kind == "verify":
                assert rows[0] == rows[1], f"{step.table} in {step.target}"
                assert rows[0][0] == catalog.table(step.table).rows
                assert rows[0][1] > 0
        assert password not in "\n".join(preamble.text)
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
