"""PostgreSQL: control through psycopg, bulk by COPY."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from time import perf_counter
from typing import Any, ClassVar
from urllib.parse import quote

import psycopg

from evaluation.bulk import bulk
from evaluation.bulk.widths import indexed_widths
from evaluation.installation.pool_jar import POOL_JARS
from evaluation.store_protocol.backend import LoadedTable
from evaluation.store_protocol.carried import CarriedTypes
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.holding import Holding
from evaluation.store_protocol.own_answer import OwnAnswer
from evaluation.stores.copies import TransactionalCopies, table_name
from evaluation.stores.postgresql import answering as postgresql_answering
from evaluation.stores.postgresql import encryption
from evaluation.stores.postgresql import sessions as postgresql_sessions
from evaluation.stores.postgresql.indexes import index_statements, renaming
from evaluation.stores.postgresql.own_answer import as_users_have_it, own_answer, own_seconds
from evaluation.stores.postgresql.refusals import refusals
from evaluation.stores.postgresql.reindexing import change
from evaluation.stores.postgresql.sessions import connect, locked, mark_session, session_with
from evaluation.stores.postgresql.values import CARRIED, LAST_YEAR, TYPES
from evaluation.stores.reindexing import ended_with_us, reindexed
from placement.stores import FULL_SQL, Capability, Strength, waiting
from placement.transfer.bounds import MOST_MESSAGE
from placement.transfer.link import TransferSettings
from workloads.catalog import Table
from workloads.counting.own import APPLICATION
from workloads.errors import StoreError
from workloads.features import all_but

_NAME_BYTES = 63
# By default PostgreSQL reorders at most eight tables, and joins others as the text has them: a
# fragment's are in the order of their names. An exhaustive search takes too long for many.
_REORDERED = "-c join_collapse_limit=100 -c from_collapse_limit=100 -c geqo=on -c geqo_threshold=12"
_TABLES = "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = %s"
MOST_AT_ONCE = "64M"
"""Bytes of a result that the driver holds at most when it fetches no portions."""


class PostgreSQL:
    """PostgreSQL 12 or newer; the namespace is a schema."""

    kind: ClassVar[str] = "postgresql"
    loads_at_once: ClassVar[int] = 1
    makes_indexes: ClassVar[bool] = True
    dialect: ClassVar[str] = "postgres"
    jars: ClassVar[tuple[str, ...]] = ("postgresql-jdbc", *POOL_JARS)
    shares_connections: ClassVar[bool] = True
    capabilities: ClassVar[frozenset[Capability]] = FULL_SQL
    lacks: ClassVar[frozenset[str]] = all_but(
        *("window", "window_nulls_last", "rollup", "grouping", "grouping_sets_over_no_rows"),
        "skipped_constants",
        *("grouping_in_having", "sliding_frame", "narrower_subquery"),
        *("full_join", "lateral", "distinct_on", "intersect", "except", "repeated_rows"),
        *("in_as_value", "exists_as_value", "quantified_comparison", "symmetric_between"),
        *("nested_correlation", "correlated_limit", "correlated_block", "limit_in_subquery"),
        *("subquery_in_join_condition", "offset_without_limit", "having_expression", "row_value"),
        *("quotient_by_zero", "wide_decimal", "floor_of_double", "statistic", "text_function"),
        *(
            "several_windows",
            "date_function",
            "date_format",
            "day_of_any_year",
            "date_part",
            "iso_date_part",
            "fractional_seconds",
        ),
    )
    holding: ClassVar[Holding] = Holding(
        types=TYPES, last_year=LAST_YEAR, nul=False, name_bytes=_NAME_BYTES
    )
    # What is fetched in portions is never computed in parallel (a portal that may stop early runs
    # in the leader alone). A wrong expectation must not cost the engine its memory.
    carried: ClassVar[CarriedTypes] = CARRIED
    key_store_options: ClassVar[tuple[str, ...]] = encryption.KEY_STORE_OPTIONS
    few_rows: ClassVar[Mapping[str, str]] = {"fetchsize": "0", "maxResultBuffer": MOST_AT_ONCE}
    answering = staticmethod(postgresql_answering.answering)
    strength: ClassVar[Strength] = Strength(
        portions=True,
        most_driver_rows=10_000,
        start_s=0.003,
        scan_bytes_per_s=3e9,
        scan_rows_per_s=23e6,
        scan_values_per_s=370e6,
        join_rows_per_s=10e6,
        aggregate_rows_per_s=6e6,
        transfer_bytes_per_s=90e6,
        transfer_rows_per_s=2.5e6,
        transfer_decimals_per_s=5e6,
        driver_rows_per_s=250_000.0,
        link=waiting(0.0005),
        write_start_s=0.002,
        write_rows_per_s=50000.0,
        load_bytes_per_s=25e6,
        index_rows_per_s=1e6,
        conditions_per_s=100e6,
    )

    def jdbc(
        self, connection: Connection, *, timeout_s: float, fetch_size: int
    ) -> Mapping[str, str]:
        """Return Spark's JDBC options; the namespace is the search path."""
        host = f"[{connection.host}]" if ":" in (connection.host or "") else connection.host
        # A store that is only read has no namespace of ours.
        schema = {} if connection.read_only else {"currentSchema": quoted(connection.namespace)}
        database = quote(connection.database or connection.user or "", safe="")
        return {
            "url": f"jdbc:postgresql://{host}:{connection.port or 5432}/{database}",
            "driver": "org.postgresql.Driver",
            "user": connection.user or "",
            "password": connection.password or "",
            **encryption.jdbc_options(connection),
            "ApplicationName": APPLICATION,
            # So the name is a setting that the session begins with, and keeps when it is reset.
            "assumeMinServerVersion": "12",
            **schema,
            # What PostgreSQL cannot estimate (a CTE read twice, a grouped table) it takes for a row
            # or two and then loops over tables without an index: q59, q4 and q11 do not end so.
            "options": f"-c statement_timeout={round(timeout_s * 1000)} -c timezone=UTC"
            f" -c enable_nestloop=off {_REORDERED}",
            "preferTimestampNTZ": "true",
            "fetchsize": str(fetch_size),
        }

    def transfer_options(self, transfer: TransferSettings) -> Mapping[str, str]:
        """Return the portion's rows, and the receive buffer where it is to be a small one.

        The kernel lets a buffer grow that nobody sets, beyond the largest message.
        """
        rows = {"fetchsize": str(transfer.fetch_rows)}
        if transfer.message_bytes >= MOST_MESSAGE:
            return rows
        return {**rows, "receiveBufferSize": str(transfer.message_bytes)}

    def session_options(
        self,
        options: Mapping[str, str],
        run: str,
        *,
        silence_s: float,
        read_only: bool = False,  # noqa: ARG002 - none of its sessions writes or takes a lock
    ) -> Mapping[str, str]:
        """Return `options` with those that mark sessions and bound the driver's waits."""
        return postgresql_sessions.session_options(options, run, silence_s=silence_s)

    def end_sessions(self, connection: Connection, run: str) -> int:
        """End the marked sessions by the server's own means."""
        return postgresql_sessions.end_sessions(connection, run)

    def answers(self, connection: Connection) -> bool:
        """Tell whether a login succeeds."""
        return postgresql_sessions.answers(connection)

    def refusals(self, connection: Connection) -> tuple[StoreError, ...]:
        """Ask for its version, whether it takes writes, and for CREATE."""
        return refusals(connection)

    def as_users_have_it(self, connection: Connection, table: Table) -> str:
        """Return the copy with its values cast back from text."""
        return as_users_have_it(connection, table)

    def own_answer(self, connection: Connection, sql: str, *, timeout_s: float) -> OwnAnswer:
        """Run a statement by psycopg."""
        return own_answer(connection, sql, timeout_s=timeout_s)

    def own_seconds(
        self, connection: Connection, sql: str, *, rounds: int, timeout_s: float
    ) -> Sequence[float]:
        """Run a statement by psycopg, and time it."""
        return own_seconds(connection, sql, rounds=rounds, timeout_s=timeout_s)

    def table_name(self, connection: Connection, table: str) -> str:
        """Return ``"namespace"."table"``."""
        return table_name(connection, table)

    @contextmanager
    def hold(self, connection: Connection) -> Iterator[None]:
        """Hold an advisory lock, which ends with its session."""
        failures = Failures(connection=connection)
        with failures.logging_in(psycopg.OperationalError):
            session = connect(connection)
        try:
            with failures.told("holding the namespace failed", psycopg.Error):
                got = locked(session, f"{APPLICATION} {connection.namespace}")
            if not got:
                raise failures.in_use()
            yield
        finally:
            session.close()

    def prepare(self, connection: Connection) -> None:
        """Create the schema and its register; drop staging tables."""
        with session_with(connection, "preparing the namespace failed") as session:
            known = session.execute(
                "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %s",
                (connection.namespace,),
            )
            # Whoever may not create schemas may still use one that an administrator made.
            if known.fetchone() is None:
                session.execute(
                    f"CREATE SCHEMA IF NOT EXISTS {quoted(connection.namespace)}".encode()
                )
            _copies(session, connection).clean()

    def loaded(self, connection: Connection) -> Mapping[str, LoadedTable]:
        """Return table → copy for every entry of the register whose table is there."""
        with session_with(connection, "reading the register failed") as session:
            return _copies(session, connection).loaded()

    def load(self, connection: Connection, table: Table, stop: Event | None = None) -> LoadedTable:
        """Load by COPY, several at the same time, then rename and register in one transaction."""
        started = perf_counter()
        failures = Failures(connection=connection)
        if len(table.name.encode()) > _NAME_BYTES:
            raise StoreError(
                connection.store,
                f"the name of table '{table.name}' is longer than {_NAME_BYTES} bytes.",
            )
        columns = ", ".join(
            f"{quoted(column.name)} {TYPES.of(connection.store, table, column)}"
            for column in table.columns
        )
        with session_with(connection, f"table '{table.name}' cannot be loaded") as session:
            copies = _copies(session, connection)
            staging = copies.staging(table)
            copies.execute(f"DROP TABLE IF EXISTS {staging}")
            copies.execute(f"CREATE TABLE {staging} ({columns})")
            sender = _Copy(connection=connection, target=staging)
            bulk.check_rows(failures, table, bulk.send(failures, table, sender, stop=stop))
            if table.primary_key:
                key = ", ".join(quoted(column) for column in table.primary_key)
                copies.execute(f"ALTER TABLE {staging} ADD PRIMARY KEY ({key})")
            for statement in index_statements(table, staging, indexed_widths(failures, table)):
                copies.execute(statement)
            # Freezes the rows and maps them visible as well, which scans of indexes need.
            copies.execute(f"VACUUM (FREEZE, ANALYZE) {staging}")
            copies.check_staged(table)
            return copies.publish(table, started, renaming(table, connection.namespace))

    def reindex(
        self, connection: Connection, table: Table, there: LoadedTable, stop: Event | None = None
    ) -> LoadedTable | None:
        """Make the missing indexes one after another, after others of ours are dropped."""
        with (
            ended_with_us(connection, self.end_sessions) as run,
            session_with(connection, f"the copy of '{table.name}' cannot be re-indexed") as session,
        ):
            mark_session(session, run)
            copies = _copies(session, connection)
            return reindexed(copies, table, there, lambda: change(copies, table, stop))

    def drop(self, connection: Connection, table: str) -> None:
        """Drop the table and its entry in one transaction."""
        with session_with(connection, f"table '{table}' cannot be dropped") as session:
            _copies(session, connection).drop(table)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Copy:
    """Sends rows by COPY into the table `target`, in one transaction."""

    connection: Connection
    target: str

    def __call__(self, chunks: Iterable[memoryview]) -> int:
        with connect(self.connection) as session, session.cursor() as cursor:
            # The transaction that publishes the copy waits for the log of all before it.
            cursor.execute("SET synchronous_commit = off")
            with cursor.copy(f"COPY {self.target} FROM STDIN".encode()) as copy:
                for chunk in chunks:
                    copy.write(chunk)
            return cursor.rowcount


def _copies(
    session: "psycopg.Connection[tuple[Any, ...]]", connection: Connection
) -> TransactionalCopies:
    def run(statement: str, values: tuple[object, ...] | None = None) -> list[tuple[Any, ...]]:
        cursor = session.execute(statement.encode(), values)
        return [] if cursor.description is None else cursor.fetchall()

    return TransactionalCopies(
        connection=connection, execute=run, listing=_TABLES, transaction=session.transaction
    )
