"""MariaDB and MySQL: control through PyMySQL, bulk by LOAD DATA."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import pymysql
from pymysql.connections import Connection as Session

from evaluation.connection import Connection
from evaluation.stores import bulk
from evaluation.stores.backend import LoadedTable
from evaluation.stores.columns import ColumnTypes, is_text, quoted
from evaluation.stores.failures import Failures
from evaluation.stores.register import REGISTER, STAGING, Register, entry, found, staging_name
from placement.stores import FULL_SQL, Capability, Strength
from workloads.catalog import Table
from workloads.duck import connect, literal
from workloads.errors import CatalogError, StoreError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_Kind = TypeVar("_Kind", bound=Session)

_CONNECT_TIMEOUT_S = 10
_LOCK_TIMEOUT_S = 60
_NAME_LENGTH = 64
_PACKET_BYTES = 1 << 18
_MARK = "`"
# A row's declared widths may come to 65,535 bytes; text beyond our share of them lies elsewhere.
_ROW_CHARACTERS = 8_000
_KEY_CHARACTERS = 500
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_TYPES = ColumnTypes(
    text="LONGTEXT",
    decimal="DECIMAL",
    names={
        **dict.fromkeys(_WHOLE, "BIGINT"),
        "UBIGINT": "BIGINT UNSIGNED",
        "FLOAT": "FLOAT",
        "DOUBLE": "DOUBLE",
        "BOOLEAN": "BOOLEAN",
        "DATE": "DATE",
        "TIMESTAMP": "DATETIME(6)",
    },
)


class MySQL:
    """MariaDB 10.5 or MySQL 8.0, or newer; the namespace is a database."""

    kind: ClassVar[str] = "mysql"
    dialect: ClassVar[str] = "mysql"
    jars: ClassVar[tuple[str, ...]] = ("mariadb-jdbc",)
    capabilities: ClassVar[frozenset[Capability]] = FULL_SQL
    lacks: ClassVar[frozenset[str]] = frozenset(
        {"rollup", "grouping", "full_join", "window_nulls_last"}
    )
    strength: ClassVar[Strength] = Strength(
        start_s=0.07,
        scan_bytes_per_s=600e6,
        join_rows_per_s=6e6,
        aggregate_rows_per_s=1.2e6,
        transfer_bytes_per_s=200e6,
        transfer_rows_per_s=400e3,
    )

    def jdbc(
        self, connection: Connection, *, timeout_s: float, fetch_size: int
    ) -> Mapping[str, str]:
        """Return Spark's JDBC options; its dialect knows the URL, MariaDB's driver takes it."""
        host = f"[{connection.host}]" if ":" in (connection.host or "") else connection.host
        server = f"jdbc:mysql://{host}:{connection.port or 3306}"
        # Each of the two reads the other's part as a comment. Literals compare as columns do.
        limits = (
            f"/*M! max_statement_time = {timeout_s}, collation_connection = utf8mb4_nopad_bin */"
            f"/*!80000 max_execution_time = {round(timeout_s * 1000)},"
            " collation_connection = utf8mb4_0900_bin */"
        )
        return {
            # The driver takes the name as it stands: it decodes nothing.
            "url": f"{server}/{connection.namespace}?permitMysqlScheme",
            "driver": "org.mariadb.jdbc.Driver",
            "user": connection.user or "",
            "password": connection.password or "",
            "sessionInitStatement": f"SET {limits}",
            # MySQL 8 hands its key to whoever has no TLS, as it does to PyMySQL.
            "allowPublicKeyRetrieval": "true",
            "preferTimestampNTZ": "true",
            "fetchsize": str(fetch_size),
        }

    def table_name(self, connection: Connection, table: str) -> str:
        """Return ```namespace`.`table```."""
        return f"{quoted(connection.namespace, _MARK)}.{quoted(table, _MARK)}"

    def prepare(self, connection: Connection) -> None:
        """Create the database and its register; drop staging tables."""
        with _session(connection, "preparing the namespace failed") as execute:
            namespace = quoted(connection.namespace, _MARK)
            execute(f"CREATE DATABASE IF NOT EXISTS {namespace} {_collation(execute)}")
            execute(self._register(connection).create)
            for name in _tables(execute, connection):
                if name.startswith(STAGING):
                    execute(f"DROP TABLE {self.table_name(connection, name)}")

    def loaded(self, connection: Connection) -> Mapping[str, LoadedTable]:
        """Return table → copy for every entry of the register whose table is there."""
        with _session(connection, "reading the register failed") as execute:
            tables = _tables(execute, connection)
            if REGISTER not in tables:
                return {}
            entries = execute(self._register(connection).read)
        return found(connection.store, entries, tables)

    def load(self, spark: "SparkSession", connection: Connection, table: Table) -> LoadedTable:
        """Load by LOAD DATA from Spark's tasks, then rename and register.

        Every step of the last ones is atomic alone, and the register never names a table whose
        rename is not done.
        """
        started = perf_counter()
        failures = Failures(connection=connection)
        if len(table.name) > _NAME_LENGTH:
            raise StoreError(
                connection.store,
                f"the name of table '{table.name}' is longer than {_NAME_LENGTH} characters.",
            )
        staging = self.table_name(connection, staging_name(table.name))
        columns = _columns(failures, table)
        with _session(connection, f"table '{table.name}' cannot be loaded") as execute:
            execute(f"DROP TABLE IF EXISTS {staging}")
            definitions = ", ".join(f"{name} {kind}" for name, kind in columns.items())
            execute(f"CREATE TABLE {staging} ({definitions}) ENGINE=InnoDB {_collation(execute)}")
            sender = _LoadData(connection=connection, target=staging)
            bulk.check_rows(failures, table, bulk.send(spark, failures, table, sender))
            self._complete(execute, failures, table, staging, columns)
            return self._publish(execute, connection, table, staging, started)

    def _complete(
        self,
        execute: "_Execute",
        failures: Failures,
        table: Table,
        staging: str,
        columns: Mapping[str, str],
    ) -> None:
        """Give the staged copy its key and its statistics, and count it."""
        key = [quoted(column, _MARK) for column in table.primary_key]
        if key and not any(columns[column] == _TYPES.text for column in key):
            # Sorted once it is all there, instead of row by row.
            execute(f"ALTER TABLE {staging} ADD PRIMARY KEY ({', '.join(key)})")
        if _is_mariadb(execute):
            # Statistics of every column, from as large a sample as the server thinks fit.
            execute("SET SESSION analyze_sample_percentage = 0")
            execute(f"ANALYZE TABLE {staging} PERSISTENT FOR ALL")
        else:
            execute(f"ANALYZE TABLE {staging}")
        ((rows,),) = execute(f"SELECT count(*) FROM {staging}")  # noqa: S608 - quoted
        bulk.check_rows(failures, table, rows)

    def _publish(
        self,
        execute: "_Execute",
        connection: Connection,
        table: Table,
        staging: str,
        started: float,
    ) -> LoadedTable:
        register = self._register(connection)
        target = self.table_name(connection, table.name)
        execute(register.forget, (table.name,))
        if table.name in _tables(execute, connection):
            old = self.table_name(connection, f"{staging_name(table.name)}_old")
            execute(f"DROP TABLE IF EXISTS {old}")
            execute(f"RENAME TABLE {target} TO {old}, {staging} TO {target}")
            execute(f"DROP TABLE {old}")
        else:
            execute(f"RENAME TABLE {staging} TO {target}")
        copy = LoadedTable(
            store=connection.store,
            table=table.name,
            fingerprint=table.fingerprint,
            rows=table.rows,
            load_s=perf_counter() - started,
        )
        execute(register.remember, entry(copy))
        return copy

    def drop(self, connection: Connection, table: str) -> None:
        """Remove the entry, then the table."""
        with _session(connection, f"table '{table}' cannot be dropped") as execute:
            execute(self._register(connection).forget, (table,))
            execute(f"DROP TABLE IF EXISTS {self.table_name(connection, table)}")

    def _register(self, connection: Connection) -> Register:
        return Register(name=self.table_name(connection, REGISTER))


class _BulkSession(Session):
    """A session that answers a server's request for a file with `chunks`, whatever it asks for.

    So no file is written for LOAD DATA, and no file of ours can be asked for.
    """

    chunks: Iterable[memoryview] = ()

    def _read_packet(self, *arguments: Any) -> Any:  # noqa: ANN401
        driver: Any = super()
        packet = driver._read_packet(*arguments)
        if not packet.is_load_local_packet():
            return packet
        for chunk in self.chunks:
            for start in range(0, len(chunk), _PACKET_BYTES):
                driver.write_packet(chunk[start : start + _PACKET_BYTES])
        driver.write_packet(b"")
        return driver._read_packet(*arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class _LoadData:
    """Sends rows by LOAD DATA into the table `target`, in one transaction."""

    connection: Connection
    target: str

    def __call__(self, chunks: Iterable[memoryview]) -> int:
        session = _connect(self.connection, _BulkSession, autocommit=False)
        try:
            session.chunks = chunks
            with session.cursor() as cursor:
                taken = cursor.execute(
                    f"LOAD DATA LOCAL INFILE 'rows' INTO TABLE {self.target} CHARACTER SET utf8mb4"
                )
                # With LOCAL a value that does not fit is altered and only warned of.
                cursor.execute("SHOW WARNINGS")
                warnings = cursor.fetchall()
            if warnings:
                raise ValueError(warnings[0][2])
            session.commit()
        finally:
            session.close()
        return int(taken)


class _Execute(Protocol):
    """Runs a statement, with values to bind, and returns its rows."""

    def __call__(
        self, statement: str, values: tuple[object, ...] | None = None
    ) -> tuple[Any, ...]: ...


@contextmanager
def _session(connection: Connection, work: str) -> Iterator[_Execute]:
    failures = Failures(connection=connection)
    with failures.logging_in(pymysql.MySQLError, OSError):
        session = _connect(connection, Session, autocommit=True)
    with failures.told(work, pymysql.MySQLError), session, session.cursor() as cursor:

        def execute(statement: str, values: tuple[object, ...] | None = None) -> tuple[Any, ...]:
            cursor.execute(statement, values)
            return tuple(cursor.fetchall())

        execute(f"SET SESSION lock_wait_timeout = {_LOCK_TIMEOUT_S}")
        yield execute


def _connect(connection: Connection, kind: type[_Kind], *, autocommit: bool) -> _Kind:
    return kind(
        host=connection.host,
        port=connection.port or 3306,
        user=connection.user,
        password=connection.password or "",
        charset="utf8mb4",
        connect_timeout=_CONNECT_TIMEOUT_S,
        local_infile=kind is _BulkSession,
        autocommit=autocommit,
        init_command="SET time_zone = '+00:00'",
    )


def _tables(execute: _Execute, connection: Connection) -> frozenset[str]:
    rows = execute(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = %s",
        (connection.namespace,),
    )
    return frozenset(str(row[0]) for row in rows)


def _is_mariadb(execute: _Execute) -> bool:
    ((version,),) = execute("SELECT version()")
    return "mariadb" in str(version).lower()


def _collation(execute: _Execute) -> str:
    """Return the character set in which equal means equal: no folding, trailing spaces count."""
    collation = "utf8mb4_nopad_bin" if _is_mariadb(execute) else "utf8mb4_0900_bin"
    return f"CHARACTER SET utf8mb4 COLLATE {collation}"


def _columns(failures: Failures, table: Table) -> dict[str, str]:
    """Return quoted column → type. Text is as wide as its widest value, where it can be.

    Temporary tables with LONGTEXT lie on disk, and keys cannot hold it.
    """
    widths = _widths(failures, table)
    free = _ROW_CHARACTERS
    columns = {}
    for column in table.columns:
        kind = _TYPES.of(failures.store, table, column)
        if column.name in widths:
            limit = min(free, _KEY_CHARACTERS if column.name in table.primary_key else free)
            width = max(1, widths[column.name])
            if width <= limit:
                kind = f"VARCHAR({width})"
                free -= width
        columns[quoted(column.name, _MARK)] = kind
    return columns


def _widths(failures: Failures, table: Table) -> dict[str, int]:
    """Return text column → characters of its widest value."""
    names = [column.name for column in table.columns if is_text(column)]
    if not names:
        return {}
    files = ", ".join(literal(file) for file in bulk.files(failures, table))
    widest = ", ".join(f"coalesce(max(length({quoted(name)})), 0)" for name in names)
    try:
        with connect(f"reading table '{table.name}'") as connection:
            row = connection.execute(
                f"SELECT {widest} FROM read_parquet([{files}])"  # noqa: S608 - quoted
            ).fetchone()
    except CatalogError as error:
        raise StoreError(failures.store, str(error)) from None
    return dict(zip(names, row or (), strict=True))
