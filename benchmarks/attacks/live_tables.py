"""Tables with every type on three servers and in a DuckDB file, and what a reader sees of them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from benchmarks.attacks.asking import asked
from benchmarks.attacks.copied_rows import digest
from evaluation.store_protocol.connection import Connection

SCHEMA = "own"
READER, _PASSWORD = "copying_reader", "reading"
EVERY, PARTS = "Every type", "part"
"""The tables: one with a column of each type, one in parts where the server has them."""
_POSTGRESQL = (
    f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE",
    f"CREATE SCHEMA {SCHEMA}",
    f"CREATE TYPE {SCHEMA}.mood AS ENUM ('sad', 'ok')",
    (
        f'CREATE TABLE {SCHEMA}."{EVERY}" (id int PRIMARY KEY, small smallint, big bigint, f real, '
        "d double precision, n numeric(12, 2), free numeric, t text, c char(6), b boolean, "
        "day date, ts timestamp, tz timestamptz, tm time, iv interval, u uuid, js jsonb, ar int[], "
        f'm {SCHEMA}.mood, by bytea, "Odd ""name" int)'
    ),
    (
        f'INSERT INTO {SCHEMA}."{EVERY}" SELECT i, i % 30000, 9223372036854775807 - i, i * 0.1, '
        "i / 3.0, i * 1.25, i / 8.0, E'a,b\"c\\nd\\\\' || i, 'k' || i % 7, i % 2 = 0, "
        "date '1500-02-03' + i, timestamp '2024-01-02 03:04:05.678901' + i * interval '1 s', "
        "timestamptz '2024-01-02 03:04:05+02' + i * interval '1 s', "
        "time '00:00' + i * interval '1 s', i * interval '1 minute', "
        "CAST(lpad(to_hex(i), 32, '0') AS uuid), "
        "jsonb_build_object('a', i), ARRAY[i, 2], 'ok', decode(md5(CAST(i AS text)), 'hex'), i "
        "FROM generate_series(1, {rows}) i"
    ),
    f"INSERT INTO {SCHEMA}.\"{EVERY}\" (id, t) SELECT -i, '' FROM generate_series(1, 9) i",
    f"CREATE TABLE {SCHEMA}.{PARTS} (a int, k int) PARTITION BY RANGE (k)",
    f"CREATE TABLE {SCHEMA}.part1 PARTITION OF {SCHEMA}.{PARTS} FOR VALUES FROM (0) TO (10)",
    f"CREATE TABLE {SCHEMA}.part2 PARTITION OF {SCHEMA}.{PARTS} FOR VALUES FROM (10) TO (20)",
    f"INSERT INTO {SCHEMA}.{PARTS} SELECT i, i % 20 FROM generate_series(1, {{rows}}) i",
    (
        f"DO $$ BEGIN CREATE ROLE {READER} LOGIN PASSWORD '{_PASSWORD}'; "
        "EXCEPTION WHEN duplicate_object THEN NULL; END $$"
    ),
    f"GRANT USAGE ON SCHEMA {SCHEMA} TO {READER}",
    f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO {READER}",
    "ANALYZE",
)
_MYSQL = (
    f"DROP DATABASE IF EXISTS {SCHEMA}",
    f"CREATE DATABASE {SCHEMA} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    (
        f"CREATE TABLE {SCHEMA}.`{EVERY}` (id int PRIMARY KEY, flag tinyint(1), tiny tinyint, "
        "ub bigint unsigned, f float, d double, n decimal(12, 2), wide decimal(50, 2), t text, "
        "v varchar(20) COLLATE utf8mb4_bin, l varchar(20) CHARACTER SET latin1, e enum('a', 'B'), "
        "day date, dt datetime(6), ts timestamp(6) NULL, tm time(3), y year, bi bit(9), js json, "
        "bl blob, `odd``name` int)"
    ),
    f"CREATE TABLE {SCHEMA}.{PARTS} (a int, k int) PARTITION BY HASH (k) PARTITIONS 2",
    f"INSERT INTO {SCHEMA}.{PARTS} VALUES {{numbers}}",
    (
        f"INSERT INTO {SCHEMA}.`{EVERY}` SELECT a, a % 2, -(a % 100), 18446744073709551615 - a, "
        "a * 0.1, a / 3e0, a * 1.25, a * 1.5, concat('a,b\"c\\nd\\\\', a), "
        "concat('Ü', a % 9), 'ü', 'B', date '1500-02-03' + interval a day, "
        "timestamp '2024-01-02 03:04:05.678901' + interval a second, "
        "timestamp '2024-01-02 03:04:05.5' + interval a second, sec_to_time(a), 2024, "
        f"b'100000001', json_object('a', a), unhex(md5(a)), a FROM {SCHEMA}.{PARTS}"
    ),
    f"INSERT INTO {SCHEMA}.`{EVERY}` (id, t) VALUES (-1, ''), (-2, '')",
    f"CREATE USER IF NOT EXISTS {READER}@'%' IDENTIFIED BY '{_PASSWORD}'",
    f"GRANT SELECT, SHOW VIEW ON {SCHEMA}.* TO {READER}@'%'",
)
_DUCKDB = (
    f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE",
    f"CREATE SCHEMA {SCHEMA}",
    (
        f'CREATE TABLE {SCHEMA}."{EVERY}" (id INTEGER PRIMARY KEY, u UBIGINT, f FLOAT, d DOUBLE, '
        "n DECIMAL(12, 2), t VARCHAR, b BOOLEAN, day DATE, s TIMESTAMP_S, ns TIMESTAMP_NS, "
        "ns2 TIMESTAMP_NS, tz TIMESTAMPTZ, tm TIME, iv INTERVAL, uid UUID, h HUGEINT, "
        "ar INTEGER[], st STRUCT(a INTEGER), m ENUM ('sad', 'ok'), js JSON, bl BLOB, "
        '"Odd ""name" INTEGER)'
    ),
    (
        f'INSERT INTO {SCHEMA}."{EVERY}" SELECT i, 18446744073709551615 - i, i * 0.1, i / 3.0, '
        "i * 1.25, 'a,b\"c' || chr(10) || 'd\\' || i, i % 2 = 0, DATE '1500-02-03' + i, "
        "TIMESTAMP '1969-12-31 23:59:59' + i * INTERVAL '1 s', "
        "TIMESTAMP '2024-01-02 03:04:05.678901' + i * INTERVAL '1 s', "
        "make_timestamp_ns(1704164645678901234 + i), "
        "TIMESTAMPTZ '2024-01-02 03:04:05+02' + i * INTERVAL '1 s', "
        "TIME '00:00:00.5' + i * INTERVAL '1 s', i * INTERVAL '1 minute', "
        "CAST(lpad(to_hex(i), 32, '0') AS UUID), 10 ** 30 + i, [i, NULL], {'a': i}, 'ok', "
        "to_json({'a': i}), CAST(md5(CAST(i AS VARCHAR)) AS BLOB), i "
        "FROM range(1, {rows} + 1) r(w), LATERAL (SELECT CAST(w AS INTEGER) AS i)"
    ),
    f"INSERT INTO {SCHEMA}.\"{EVERY}\" (id, t) VALUES (-1, ''), (-2, '')",
    f"CREATE TABLE {SCHEMA}.{PARTS} (a INTEGER, k INTEGER)",
    f"INSERT INTO {SCHEMA}.{PARTS} SELECT i, i % 20 FROM range(1, {{rows}} + 1) r(i)",
)
_FILLED = {"postgresql": _POSTGRESQL, "mysql": _MYSQL, "duckdb": _DUCKDB}
# What a value is as text does not come from how we read it.
_SHOWN = {
    "postgresql": 'id, small, big, f, d, n, free::float8, t, c::text, b, day, ts, tz, tm::text || '
    "CASE WHEN date_part('microseconds', tm)::int % 1000000 = 0 THEN '.000000' ELSE '' END, "
    'iv::text, u::text, js::text, ar::text, m::text, by, "Odd ""name"',
    "mysql": "id, flag, tiny, ub, f, d, n, CAST(wide AS DOUBLE), t, v, l, e, day, dt, ts, "
    "CONCAT(CAST(tm AS CHAR), '000'), y, CAST(bi + 0 AS SIGNED), CAST(js AS CHAR), bl, `odd``name`",
    "duckdb": "id, u, f, d, n, t, b, day, s, CAST(ns AS TIMESTAMP), "
    "strftime(ns2, '%Y-%m-%d %H:%M:%S.%n'), tz, strftime(DATE '2000-01-01' + tm, '%H:%M:%S.%f'), "
    "CAST(iv AS VARCHAR), CAST(uid AS VARCHAR), h, CAST(to_json(ar) AS VARCHAR), "
    "CAST(to_json(st) AS VARCHAR), CAST(m AS VARCHAR), CAST(js AS VARCHAR), bl, \"Odd \"\"name\"",
}  # fmt: skip
_FLOATS = {"postgresql": 3, "mysql": 4, "duckdb": 2}
"""The column of `EVERY` that is a float of four bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveServer:
    """A server or a file with the tables; `owner` may write there."""

    owner: Connection

    @property
    def reader(self) -> Connection:
        """The account of the advisor, in sessions that only read."""
        if self.owner.kind == "duckdb":
            return replace(self.owner, read_only=True)
        return replace(self.owner, user=READER, password=_PASSWORD, read_only=True)

    @property
    def float_column(self) -> int:
        return _FLOATS[self.owner.kind]

    def fill(self, rows: int) -> None:
        """Make the tables anew, each with about so many rows."""
        numbers = ", ".join(f"({i}, {i % 20})" for i in range(1, rows + 1))
        for each in _FILLED[self.owner.kind]:
            self.ask(each.replace("{rows}", str(rows)).replace("{numbers}", numbers))

    def change(self, number: int) -> None:
        """Change rows of both tables."""
        name = self._name(EVERY)
        self.ask(f"UPDATE {name} SET t = 'changed {number}' WHERE id % 3 = {number % 3}")
        self.ask(f"DELETE FROM {SCHEMA}.{PARTS} WHERE a = {number}")
        self.ask(f"INSERT INTO {SCHEMA}.{PARTS} VALUES ({-number - 1}, 3)")

    def digests(self) -> dict[str, str]:
        """Return table → digest of its rows, as the server's own driver has them."""
        every = f"SELECT {_SHOWN[self.owner.kind]} FROM {self._name(EVERY)}"
        return {
            EVERY: digest(self.ask(every), self.float_column),
            PARTS: digest(self.ask(f"SELECT a, k FROM {SCHEMA}.{PARTS}")),
        }

    def objects(self, namespace: str) -> list[tuple[Any, ...]]:
        """Return all tables of the server that are not in `namespace`, but for its own."""
        return sorted(
            self.ask(
                "SELECT table_schema, table_name FROM information_schema.tables WHERE "
                f"table_schema NOT IN ('{namespace}', 'information_schema', 'pg_catalog', 'sys', "
                "'performance_schema', 'mysql')"
            )
        )

    def seconds_until_no_session(self, longest_s: float) -> float | None:
        """Return how long sessions of the reader are still there; None: longer than that.

        A file can be written once nobody reads it.
        """
        if self.owner.kind == "duckdb":
            return self._seconds_until_writable(longest_s)
        sql = {
            "postgresql": f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{READER}'",
            "mysql": f"SELECT count(*) FROM information_schema.processlist WHERE user = '{READER}'",
        }[self.owner.kind]
        began = time.monotonic()
        while self.ask(sql)[0][0]:
            if time.monotonic() - began > longest_s:
                return None
            time.sleep(0.05)
        return time.monotonic() - began

    def _seconds_until_writable(self, longest_s: float) -> float | None:
        began = time.monotonic()
        while True:
            try:
                self.ask("SELECT 1")
            except duckdb.IOException:
                if time.monotonic() - began > longest_s:
                    return None
                time.sleep(0.05)
            else:
                return time.monotonic() - began

    def ask(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run a statement as the owner, by the server's own driver."""
        return asked(self.owner, sql)

    def _name(self, table: str) -> str:
        mark = "`" if self.owner.kind == "mysql" else '"'
        return f"{SCHEMA}.{mark}{table}{mark}"
