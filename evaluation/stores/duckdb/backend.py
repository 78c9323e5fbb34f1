"""DuckDB: a file, loaded by DuckDB itself and read by Spark's Java process."""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Event
from time import perf_counter
from typing import Any, ClassVar

import duckdb

from evaluation.bulk import bulk
from evaluation.store_protocol.backend import LoadedTable
from evaluation.store_protocol.carried import CarriedTypes
from evaluation.store_protocol.columns import is_floating, quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.holding import Holding
from evaluation.store_protocol.own_answer import OwnAnswer
from evaluation.stores.copies import TransactionalCopies, name_there, table_name
from evaluation.stores.duckdb.own_answer import own_answer, own_seconds
from evaluation.stores.duckdb.sessions import session_with
from placement.stores import FULL_SQL, Capability, Strength
from placement.transfer.link import TransferSettings
from workloads.catalog import Table
from workloads.duck import literal
from workloads.errors import StoreError

_LAST = (1 << 63) - 1
_TABLES = (
    "SELECT table_name FROM information_schema.tables "
    "WHERE table_catalog = current_database() AND table_schema = ?"
)
# DuckDB's own numbers of infinite moments, of which EPOCH_US makes NULL.
_MICROSECONDS = (
    "CASE WHEN isfinite({}) THEN epoch_us({}) "
    f"WHEN {{}} > TIMESTAMP '2000-01-01' THEN {_LAST} WHEN isinf({{}}) THEN -{_LAST} END"
)
# A run of equal numbers is kept as its first one: 0 and -0 are equal.
_SIGNED_ZEROS = "SET disabled_compression_methods = 'rle'"
CARRIED = CarriedTypes(
    mark='"',
    day="({} - DATE '1970-01-01')",
    moment=_MICROSECONDS,
    instant=_MICROSECONDS,
    other="CAST({} AS VARCHAR)",
    forms={
        "UBIGINT": "CAST({} AS DECIMAL(20, 0))",
        **dict.fromkeys(("HUGEINT", "UHUGEINT"), "CAST({} AS DECIMAL(38, 0))"),
    },
)


class DuckDB:
    """A DuckDB file; the namespace is a schema.

    Every method closes the file again: while Python has it open, Java cannot open it.
    """

    kind: ClassVar[str] = "duckdb"
    loads_at_once: ClassVar[int] = 1
    makes_indexes: ClassVar[bool] = False
    dialect: ClassVar[str] = "duckdb"
    jars: ClassVar[tuple[str, ...]] = ("duckdb-jdbc",)
    shares_connections: ClassVar[bool] = False
    capabilities: ClassVar[frozenset[Capability]] = FULL_SQL
    lacks: ClassVar[frozenset[str]] = frozenset()
    holding: ClassVar[Holding] = Holding(infinite_days=True, first_year=None)
    carried: ClassVar[CarriedTypes] = CARRIED
    key_store_options: ClassVar[tuple[str, ...]] = ()
    few_rows: ClassVar[Mapping[str, str]] = {}
    strength: ClassVar[Strength] = Strength(
        columnar=True,
        start_s=0.01,
        scan_bytes_per_s=5e9,
        join_rows_per_s=20e6,
        aggregate_rows_per_s=40e6,
        transfer_bytes_per_s=200e6,
        transfer_rows_per_s=3e6,
        transfer_decimals_per_s=5e6,
        write_start_s=0.01,
        write_rows_per_s=200000.0,
        load_bytes_per_s=100e6,
        conditions_per_s=250e6,
    )

    def jdbc(
        self, connection: Connection, *, timeout_s: float, fetch_size: int
    ) -> Mapping[str, str]:
        """Return Spark's JDBC options; rows are streamed, so the fetch size has no effect."""
        return {
            "url": f"jdbc:duckdb:{connection.path}",
            "driver": "org.duckdb.DuckDBDriver",
            "duckdb.read_only": "true",
            "enable_external_access": "false",
            "jdbc_stream_results": "true",
            "queryTimeout": str(max(1, round(timeout_s))),
            "preferTimestampNTZ": "true",
            "fetchsize": str(fetch_size),
        }

    def transfer_options(self, transfer: TransferSettings) -> Mapping[str, str]:
        """Return the rows that the driver reads ahead: they are streamed."""
        return {"fetchsize": str(transfer.fetch_rows)}

    def session_options(
        self,
        options: Mapping[str, str],
        run: str,  # noqa: ARG002
        *,
        silence_s: float,  # noqa: ARG002
        read_only: bool = False,  # noqa: ARG002
    ) -> Mapping[str, str]:
        """Return `options`: in the engine's own process no other can see its sessions."""
        return options

    def end_sessions(self, connection: Connection, run: str) -> int:  # noqa: ARG002
        """End none: the engine interrupts its statements with the tasks that wait for them."""
        return 0

    def answers(self, connection: Connection) -> bool:
        """Tell whether the file is there."""
        return connection.path is not None and connection.path.exists()

    def refusals(self, connection: Connection) -> tuple[StoreError, ...]:
        """Look whether the file, or its folder where it is not there, can be written."""
        if self.answers(connection):
            with session_with(connection, "opening it failed", read_only=True):
                place = connection.path
        else:
            place = None if connection.path is None else connection.path.parent
        if place is None or os.access(place, os.W_OK):
            return ()
        return (
            StoreError(
                connection.store,
                f"{place} cannot be written: give rights on it, or name another file in "
                f"[stores.{connection.store}].path.",
            ),
        )

    def as_users_have_it(self, connection: Connection, table: Table) -> str:
        """Return the name: DuckDB takes what copies carry as text in functions of its types."""
        return name_there(connection, table)

    def own_answer(self, connection: Connection, sql: str, *, timeout_s: float) -> OwnAnswer:
        """Run a statement by DuckDB's own driver, which opens the file to be read."""
        return own_answer(connection, sql, timeout_s=timeout_s)

    def own_seconds(
        self, connection: Connection, sql: str, *, rounds: int, timeout_s: float
    ) -> Sequence[float]:
        """Run a statement by DuckDB's own driver, and time it."""
        return own_seconds(connection, sql, rounds=rounds, timeout_s=timeout_s)

    def table_name(self, connection: Connection, table: str) -> str:
        """Return ``"namespace"."table"``."""
        return table_name(connection, table)

    def hold(self, connection: Connection) -> AbstractContextManager[None]:  # noqa: ARG002
        """Hold nothing: DuckDB locks its file while it is open."""
        return nullcontext()

    def prepare(self, connection: Connection) -> None:
        """Create the file, the schema and its register; drop staging tables."""
        with session_with(connection, "preparing the namespace failed") as session:
            session.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(connection.namespace)}")
            _copies(session, connection).clean()

    def loaded(self, connection: Connection) -> Mapping[str, LoadedTable]:
        """Return table → copy for every entry of the register whose table is there."""
        if connection.path is None or not connection.path.exists():
            return {}
        with session_with(connection, "reading the register failed", read_only=True) as session:
            return _copies(session, connection).loaded()

    def load(
        self,
        connection: Connection,
        table: Table,
        stop: Event | None = None,  # noqa: ARG002 - one statement, and a fast one
    ) -> LoadedTable:
        """Load with DuckDB's own reader of Parquet, in one transaction.

        There is no key and no index: DuckDB keeps minima and maxima of every block, and joins by
        hashing.
        """
        started = perf_counter()
        failures = Failures(connection=connection)
        files = ", ".join(literal(file) for file in bulk.files(failures, table))
        columns = ", ".join(
            f"CAST({quoted(column.name)} AS {column.type}) AS {quoted(column.name)}"
            for column in table.columns
        )
        with session_with(connection, f"table '{table.name}' cannot be loaded") as session:
            if any(map(is_floating, table.columns)):
                session.execute(_SIGNED_ZEROS)
            copies = _copies(session, connection)
            session.begin()
            session.execute(
                f"CREATE OR REPLACE TABLE {copies.staging(table)} AS "  # noqa: S608 - quoted
                f"SELECT {columns} FROM read_parquet([{files}], hive_partitioning = false)"
            )
            copies.check_staged(table)
            copy = copies.publish(table, started)
            session.commit()
        return copy

    def drop(self, connection: Connection, table: str) -> None:
        """Drop the table and its entry in one transaction."""
        with session_with(connection, f"table '{table}' cannot be dropped") as session:
            session.begin()
            _copies(session, connection).drop(table)
            session.commit()


def _copies(session: duckdb.DuckDBPyConnection, connection: Connection) -> TransactionalCopies:
    def run(statement: str, values: tuple[object, ...] | None = None) -> list[tuple[Any, ...]]:
        return session.execute(statement, values).fetchall()

    return TransactionalCopies(
        connection=connection,
        execute=run,
        listing=_TABLES,
        placeholder="?",
        makes_indexes=DuckDB.makes_indexes,
    )
