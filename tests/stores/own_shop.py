"""Tables of stores that are read where they are: a shop on each server in turn."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from evaluation.kinds import KINDS
from evaluation.own_rows import OwnStore, with_own_rows
from evaluation.store_protocol.connection import Connection
from tests.stores.each_store import named
from tests.stores.live_servers import maria, postgres
from workloads.catalog import Catalog, Table
from workloads.progress import Silent

SILENT = Silent()

POSTGRESQL = r"""
DROP SCHEMA IF EXISTS own CASCADE; CREATE SCHEMA own;
CREATE TYPE own.mood AS ENUM ('sad', 'ok');
CREATE TABLE own."Every type" (id int PRIMARY KEY, small smallint, big bigint, f real,
  d double precision, n numeric(12, 2), free numeric, t text, c char(6), b boolean, day date,
  ts timestamp, tz timestamptz, tm time, iv interval, u uuid, js jsonb, ar int[], m own.mood,
  by bytea, "Odd ""name" int);
INSERT INTO own."Every type" VALUES
  (1, -1, 9223372036854775807, 0.1, 0.1, 1234567890.12, 1.5, E'a,b"c\nd', 'ab ', true, '1500-02-03',
   '2024-01-02 03:04:05.678901', '2024-01-02 03:04:05+02', '12:34:56.5', '1 day 02:00',
   '00000000-0000-0000-0000-000000000001', '{"a": 1}', '{1,2}', 'ok', '\xff', 1),
  (2, NULL, NULL, 'infinity', 'NaN', NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL, NULL, NULL, NULL);
CREATE TABLE own.nothing (a int, b text);
CREATE TABLE own.one (a text); INSERT INTO own.one VALUES (NULL), (''), (E'\\N'), ('\.');
CREATE TABLE own.part (a int, k int) PARTITION BY RANGE (k);
CREATE TABLE own.part1 PARTITION OF own.part FOR VALUES FROM (0) TO (10);
CREATE TABLE own.part2 PARTITION OF own.part FOR VALUES FROM (10) TO (20);
INSERT INTO own.part SELECT i, i % 20 FROM generate_series(1, 1000) i;
"""

MYSQL = (
    "DROP DATABASE IF EXISTS own",
    "CREATE DATABASE own CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    (
        "CREATE TABLE own.`Every type` (id int unsigned PRIMARY KEY, flag tinyint(1), "
        "tiny tinyint, ub bigint unsigned, f float, d double, n decimal(12, 2), "
        "wide decimal(50, 2), t text, v varchar(20) COLLATE utf8mb4_bin, "
        "l varchar(20) CHARACTER SET latin1, "
        "e enum('a', 'B'), day date, dt datetime(6), ts timestamp(6) NULL, tm time(3), y year, "
        "bi bit(9), js json, bl blob, `odd``name` int)"
    ),
    (
        "INSERT INTO own.`Every type` VALUES (1, 1, -5, 18446744073709551615, 0.1, 0.1, "
        "1234567890.12, 1.5, 'a,b\"c\nd\\\\', 'Ü', 'ü', 'B', '1500-02-03', "
        "'2024-01-02 03:04:05.678901', '2024-01-02 03:04:05.5', '-12:34:56.5', 2024, "
        "b'100000001', '{\"a\": 1}', x'ff', 1), (2" + ", NULL" * 7 + ", ''" + ", NULL" * 12 + ")"
    ),
    "CREATE TABLE own.nothing (a int, b text)",
    "CREATE TABLE own.part (a int, k int)",
    "INSERT INTO own.part VALUES " + ", ".join(f"({i}, {i % 20})" for i in range(1000)),
)


class Shop:
    """The tables on one server."""

    def __init__(self, connection: Connection, folder: Path) -> None:
        self.connection = replace(connection, read_only=True, password=connection.password)
        self._writer = connection
        self._folder = folder
        self.own = KINDS[connection.kind].own
        assert self.own is not None

    def write(self, sql: str, mode: str | None = None) -> None:
        """Run a statement; of MySQL with other rules for values, if `mode` names some."""
        if self.connection.kind == "postgresql":
            postgres(self._writer, sql)
        elif mode is None:
            maria(self._writer, sql)
        else:
            maria(self._writer, f"SET SESSION sql_mode = '{mode}'", sql)

    def catalog(self) -> Catalog:
        live = KINDS[self.connection.kind].live
        assert live is not None
        assert self.own is not None
        found = live.catalog(self.connection, SILENT, schemas=("own",))
        return self.own.as_read(self.connection, found, SILENT)

    def read(self, *names: str, most_bytes: int = 1 << 30) -> Catalog:
        catalog = self.catalog()
        store = OwnStore(connection=self.connection, most_bytes=most_bytes)
        asked = names or tuple(catalog.tables)
        stores = {self.connection.store: store}
        return with_own_rows(catalog, asked, stores, self._folder, SILENT)

    def changed(self, catalog: Catalog) -> tuple[str, ...]:
        assert self.own is not None
        tables = [table for table in catalog.tables.values() if table.parquet is not None]
        told = self.own.changed(self.connection, tables)
        return tuple(name for name, is_changed in told.items() if is_changed)


@pytest.fixture(params=["pg", "maria", "mysql8"])
def own_shop(
    request: pytest.FixtureRequest, embedded: Mapping[str, Connection], tmp_path: Path
) -> Iterator[Shop]:
    """The tables on the server that the parameter names; they are dropped at the end."""
    name = request.param
    connection = embedded[name] if name in embedded else named(request, name)
    found = Shop(connection, tmp_path / "rows")
    for sql in (POSTGRESQL,) if name == "pg" else MYSQL:
        found.write(sql)
    yield found
    found.write("DROP SCHEMA own CASCADE" if name == "pg" else "DROP DATABASE own")


def rows_of(table: Table) -> list[tuple[object, ...]]:
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.execute(f"FROM '{table.parquet}'").fetchall()


def files(catalog: Catalog) -> dict[str, tuple[Path | None, int]]:
    """The Parquet of each table, with when it was written."""
    return {
        name: (table.parquet, table.parquet.stat().st_mtime_ns)
        for name, table in catalog.tables.items()
        if table.parquet is not None
    }
