"""TPC-DS as a user's own tables: facts in a PostgreSQL, dimensions in a MariaDB."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.logins import mysql_statements, postgresql_login
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Catalog, Column, Table
from workloads.duck import connect, literal
from workloads.progress import Progress

POSTGRESQL, MARIADB = "pg", "maria"
FACTS = frozenset(
    {
        *("store_sales", "store_returns", "catalog_sales", "catalog_returns"),
        *("web_sales", "web_returns", "inventory"),
    }
)
SCHEMAS = {POSTGRESQL: "sales", MARIADB: "retail"}
"""Server → the schema, or database, of its tables."""
READER = "live_tpcds_reader"
# MariaDB's own default: to it 'a' and 'A' are equal, and trailing spaces do not count.
COLLATION = "utf8mb4_uca1400_ai_ci"
_CHUNK = 1 << 20

Run = Callable[[str], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The SQL of one of the servers: `mark` quotes names, `types` are its own of DuckDB's."""

    name: str
    mark: str
    types: Mapping[str, str]

    def table(self, table: str) -> str:
        return f"{quoted(SCHEMAS[self.name], self.mark)}.{quoted(table, self.mark)}"

    def columns(self, table: Table) -> str:
        return ", ".join(self._column(each, table) for each in table.columns)

    def key(self, table: Table) -> str:
        return ", ".join(quoted(each, self.mark) for each in table.primary_key)

    def _column(self, column: Column, table: Table) -> str:
        type_ = self.types.get(column.type, column.type)
        needed = " NOT NULL" if column.name in table.primary_key else ""
        return f"{quoted(column.name, self.mark)} {type_}{needed}"


SERVERS = {
    POSTGRESQL: Server(name=POSTGRESQL, mark='"', types={"DOUBLE": "DOUBLE PRECISION"}),
    # The longest text of TPC-DS has 200 characters.
    MARIADB: Server(name=MARIADB, mark="`", types={"VARCHAR": "VARCHAR(255)"}),
}


def server_of(table: str) -> str:
    return POSTGRESQL if table in FACTS else MARIADB


def make(
    catalog: Catalog,
    connections: Mapping[str, Connection],
    password: str,
    scratch: Path,
    progress: Progress,
) -> None:
    """Make the tables that are not there yet with all their rows, and an account that reads.

    A table's rows pass through `scratch` as CSV, one table at a time.
    """
    tables = sorted(catalog.tables.values(), key=lambda each: (server_of(each.name), each.name))
    with (
        _postgresql(connections[POSTGRESQL]) as (pg, copy),
        _mariadb(connections[MARIADB]) as maria,
        progress.task("Making the users' tables", sum(each.rows for each in tables)) as task,
    ):
        pg(f"CREATE SCHEMA IF NOT EXISTS {SCHEMAS[POSTGRESQL]}")
        maria(f"CREATE DATABASE IF NOT EXISTS {SCHEMAS[MARIADB]} COLLATE {COLLATION}")
        for each in tables:
            if server_of(each.name) == POSTGRESQL:
                _fill_postgresql(pg, copy, each, scratch)
            else:
                _fill_mariadb(maria, each, scratch)
            task.advance(each.rows)
        _make_reader(pg, maria, password)


def sizes(connections: Mapping[str, Connection]) -> dict[str, int]:
    """Return server → the bytes that its tables and their indexes take there."""
    with (
        _postgresql(connections[POSTGRESQL]) as (pg, _),
        _mariadb(connections[MARIADB]) as maria,
    ):
        ((own,),) = pg(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' "
            f"AND relnamespace = '{SCHEMAS[POSTGRESQL]}'::regnamespace"
        ).fetchall()
        ((other,),) = maria(
            "SELECT sum(data_length + index_length) FROM information_schema.tables "
            f"WHERE table_schema = '{SCHEMAS[MARIADB]}'"
        )
    return {POSTGRESQL: int(own), MARIADB: int(other)}


@contextmanager
def _postgresql(connection: Connection) -> Iterator[tuple[Run, Callable[[str, Path], None]]]:
    with psycopg.connect(**postgresql_login(connection)) as session:

        def copy(target: str, file: Path) -> None:
            statement = f"COPY {target} FROM STDIN (FORMAT csv, NULL 'NULL')"
            with (
                session.cursor() as cursor,
                file.open("rb") as rows,
                cursor.copy(statement.encode()) as sent,
            ):
                while chunk := rows.read(_CHUNK):
                    sent.write(chunk)

        yield (lambda sql: session.execute(sql.encode())), copy


@contextmanager
def _mariadb(connection: Connection) -> Iterator[Run]:
    with mysql_statements(connection, local_infile=True) as run:
        yield run


def _fill_postgresql(
    run: Run, copy: Callable[[str, Path], None], table: Table, scratch: Path
) -> None:
    server = SERVERS[POSTGRESQL]
    name = server.table(table.name)
    run(f"CREATE TABLE IF NOT EXISTS {name} ({server.columns(table)})")
    if run(f"SELECT count(*) FROM {name}").fetchone() == (table.rows,):
        return
    run(f"DROP TABLE {name}")
    run(f"CREATE TABLE {name} ({server.columns(table)})")
    with _as_csv(table, scratch) as file:
        copy(name, file)
    run(f"ALTER TABLE {name} ADD PRIMARY KEY ({server.key(table)})")
    run(f"VACUUM (ANALYZE) {name}")


def _fill_mariadb(run: Run, table: Table, scratch: Path) -> None:
    server = SERVERS[MARIADB]
    name = server.table(table.name)
    made = f"{name} ({server.columns(table)}, PRIMARY KEY ({server.key(table)}))"
    run(f"CREATE TABLE IF NOT EXISTS {made}")
    if run(f"SELECT count(*) FROM {name}") == ((table.rows,),):
        return
    run(f"DROP TABLE {name}")
    run(f"CREATE TABLE {made}")
    with _as_csv(table, scratch) as file:
        run(
            f"LOAD DATA LOCAL INFILE {literal(file)} INTO TABLE {name} CHARACTER SET utf8mb4 "
            "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' ESCAPED BY ''"
        )
    run(f"ANALYZE TABLE {name}")


@contextmanager
def _as_csv(table: Table, scratch: Path) -> Iterator[Path]:
    """Write the rows of a table for the length of the block; a word NULL stands for nothing."""
    file = scratch / f"{table.name}.csv"
    with connect(f"writing {table.name}") as duckdb:
        duckdb.execute(
            f"COPY (FROM {literal(table.parquet)}) TO {literal(file)} "
            "(FORMAT csv, HEADER false, NULLSTR 'NULL')"
        )
    try:
        yield file
    finally:
        file.unlink()


def _make_reader(pg: Run, maria: Run, password: str) -> None:
    schema, database = SCHEMAS[POSTGRESQL], SCHEMAS[MARIADB]
    if not pg(f"SELECT 1 FROM pg_roles WHERE rolname = '{READER}'").fetchall():
        pg(f"CREATE ROLE {READER} LOGIN")
    pg(f"ALTER ROLE {READER} PASSWORD '{password}'")
    pg(f"GRANT USAGE ON SCHEMA {schema} TO {READER}")
    pg(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {READER}")
    maria(f"CREATE USER IF NOT EXISTS {READER}@'%'")
    maria(f"ALTER USER {READER}@'%' IDENTIFIED BY '{password}'")
    maria(f"GRANT SELECT, SHOW VIEW ON {database}.* TO {READER}@'%'")
