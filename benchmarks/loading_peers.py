"""The other ways to load a table that `loading.py` measures: the server's own client, and JDBC."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from evaluation.kinds import BACKENDS, JDBC
from evaluation.servers import mysql as mysql_server
from evaluation.servers import postgresql as postgresql_server
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.stores.mysql import backend as mysql
from evaluation.stores.mysql.servers import gather_statistics
from evaluation.stores.mysql.sessions import session as mysql_session
from evaluation.stores.mysql.values import column_types
from evaluation.stores.postgresql import values as postgresql
from evaluation.stores.postgresql.sessions import session_with
from workloads.catalog import Table
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "peer"
BATCH_ROWS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The table as files that clients read, and the seconds that DuckDB took to write each."""

    csv: Path
    text: Path
    csv_s: float
    text_s: float


def write_files(table: Table, folder: Path) -> Files:
    """Write `table` as CSV and as tab-separated text with ``\\N`` for NULL."""
    csv, text = folder / f"{table.name}.csv", folder / f"{table.name}.tsv"
    seconds = []
    with duckdb.connect() as connection:
        for path, options in (
            (csv, "HEADER false"),
            (text, "HEADER false, DELIMITER '\t', NULLSTR '\\N', QUOTE '', ESCAPE ''"),
        ):
            started = time.perf_counter()
            connection.execute(f"COPY (FROM '{table.parquet}') TO '{path}' (FORMAT csv, {options})")
            seconds.append(time.perf_counter() - started)
        # The text is not escaped, so that there must be nothing to escape.
        special = connection.execute(
            f"SELECT count(*) FROM read_text('{text}') WHERE contains(content, '\\\\')"
        ).fetchone()
    if special != (0,):
        sys.exit(f"{table.name} has backslashes: this benchmark's files do not escape them")
    return Files(csv=csv, text=text, csv_s=seconds[0], text_s=seconds[1])


class PostgreSQLPeer:
    """psql with ``\\copy``, and Spark's JDBC writer."""

    url_options: Mapping[str, str] = {"reWriteBatchedInserts": "true"}

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.name = BACKENDS["postgresql"].table_name(connection, NAME)

    def create(self, table: Table) -> str:
        """Return the definition that our loader gives its staging table."""
        columns = ", ".join(
            f"{quoted(each.name)} {postgresql.TYPES.of('pg', table, each)}"
            for each in table.columns
        )
        return f"CREATE TABLE {self.name} ({columns})"

    def fresh(self, table: Table | None) -> None:
        """Drop the table; make an empty one for `table`, if there is one."""
        with session_with(self.connection, "making a table failed") as session:
            session.execute(f"DROP TABLE IF EXISTS {self.name}".encode())
            if table is not None:
                session.execute(self.create(table).encode())
            else:
                session.execute(b"CHECKPOINT")

    def clients(self, table: Table, files: Files) -> Mapping[str, tuple[bool, Any]]:
        """Return way → (whether the table is there before, what loads it)."""
        text = f"\\copy {self.name} FROM '{files.text}'"
        new = ("BEGIN", self.create(table), text, "COMMIT")
        return {
            "psql, CSV": (True, lambda: self.psql(f"\\copy {self.name} FROM '{files.csv}' CSV")),
            "psql, text": (True, lambda: self.psql(text)),
            # With minimal WAL a table made in the same transaction is not logged.
            "psql, text, table made in the transaction": (False, lambda: self.psql(*new)),
        }

    def psql(self, *commands: str) -> None:
        program = postgresql_server._binaries() / "psql"
        words = [word for command in commands for word in ("-c", command)]
        run(
            [
                *(str(program), "-X", "-q", "-v", "ON_ERROR_STOP=1"),
                *("-h", str(self.connection.host), "-p", str(self.connection.port)),
                *("-U", str(self.connection.user), "-d", str(self.connection.database), *words),
            ],
            {"PGPASSWORD": self.connection.password or ""},
        )

    def finish(self, table: Table) -> None:
        """Add the key and the statistics that our loader adds."""
        key = ", ".join(quoted(column) for column in table.primary_key)
        with session_with(self.connection, "finishing a table failed") as session:
            session.execute(f"ALTER TABLE {self.name} ADD PRIMARY KEY ({key})".encode())
            session.execute(f"VACUUM (FREEZE, ANALYZE) {self.name}".encode())

    def count(self) -> int:
        with session_with(self.connection, "counting failed") as session:
            row = session.execute(f"SELECT count(*) FROM {self.name}".encode()).fetchone()
        return int(row[0]) if row else 0


class MySQLPeer:
    """The mariadb client with LOAD DATA LOCAL INFILE, and Spark's JDBC writer."""

    url_options: Mapping[str, str] = {"useBulkStmts": "true"}

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.name = BACKENDS["mysql"].table_name(connection, NAME)

    def create(self, table: Table, *, keyed: bool = True) -> str:
        """Return the definition that our loader gives its staging table."""
        types = column_types(Failures(connection=self.connection), table, mysql.TYPES)
        body = [f"{quoted(name, '`')} {kind}" for name, kind in types.items()]
        if keyed:
            body.append(self.key(table))
        return (
            f"CREATE TABLE {self.name} ({', '.join(body)}) ENGINE=InnoDB "
            "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
        )

    def key(self, table: Table) -> str:
        return f"PRIMARY KEY ({', '.join(quoted(each, '`') for each in table.primary_key)})"

    def fresh(self, table: Table | None) -> None:
        """Drop the table; make an empty one for `table`, if there is one."""
        with mysql_session(self.connection, "making a table failed") as execute:
            execute(f"DROP TABLE IF EXISTS {self.name}")
            if table is not None:
                execute(self.create(table))

    def clients(self, table: Table, files: Files) -> Mapping[str, tuple[bool, Any]]:
        """Return way → (whether the table is there before, what loads it)."""
        load = f"LOAD DATA LOCAL INFILE '{files.text}' INTO TABLE {self.name} CHARACTER SET utf8mb4"
        bulk = f"SET unique_checks = 0, foreign_key_checks = 0; {load}"
        keyless = self.create(table, keyed=False)
        then = f"{keyless}; {load}; ALTER TABLE {self.name} ADD {self.key(table)}"
        return {
            "LOAD DATA": (True, lambda: self.client(load)),
            "LOAD DATA without checks": (True, lambda: self.client(bulk)),
            "LOAD DATA, then the key": (False, lambda: self.client(then)),
        }

    def client(self, statements: str) -> None:
        program = mysql_server._installed(Silent()) / "bin" / "mariadb"
        run(
            [
                *(str(program), "--no-defaults", "--local-infile=1", "--batch"),
                *("--protocol=TCP", "-h", str(self.connection.host)),
                *("-P", str(self.connection.port), "-u", str(self.connection.user)),
                *("-e", statements),
            ],
            {"MYSQL_PWD": self.connection.password or ""},
        )

    def finish(self, table: Table) -> None:
        """Add the statistics that our loader adds."""
        with mysql_session(self.connection, "finishing a table failed") as execute:
            gather_statistics(execute, self.name, table.rows, ())

    def count(self) -> int:
        with mysql_session(self.connection, "counting failed") as execute:
            ((rows,),) = execute(f"SELECT count(*) FROM {self.name}")
        return int(rows)


Peer = PostgreSQLPeer | MySQLPeer
PEERS = {"pg": PostgreSQLPeer, "maria": MySQLPeer}


def write_jdbc(spark: "SparkSession", peer: Peer, table: Table) -> None:
    """Append by Spark's plain JDBC writer, a stream a core, with its drivers' best settings."""
    cores = spark.sparkContext.defaultParallelism
    size_bytes = table.parquet.stat().st_size if table.parquet else 0
    spark.conf.set("spark.sql.files.maxPartitionBytes", str(-(-size_bytes // cores) + 1))
    spark.conf.set("spark.sql.files.openCostInBytes", "0")
    backend = JDBC[peer.connection.kind]
    options = dict(backend.jdbc(peer.connection, timeout_s=3600, fetch_size=1000))
    mark = "&" if "?" in options["url"] else "?"
    more = "&".join(f"{name}={value}" for name, value in peer.url_options.items())
    options["url"] += mark + more
    frame = spark.read.parquet(str(table.parquet))
    writer = frame.write.format("jdbc").mode("append").options(**options)
    writer.option("dbtable", peer.name).option("batchsize", BATCH_ROWS).save()


def run(arguments: list[str], secrets: Mapping[str, str]) -> None:
    ended = subprocess.run(
        arguments, env={**os.environ, **secrets}, capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        sys.exit(f"{Path(arguments[0]).name} failed: {ended.stderr.strip()}")


__all__ = ["PEERS", "Files", "Peer", "write_files", "write_jdbc"]
