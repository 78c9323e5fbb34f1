"""MariaDB and MySQL: control through PyMySQL, bulk by LOAD DATA."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from threading import Event
from time import perf_counter
from typing import ClassVar

from evaluation.bulk import bulk
from evaluation.installation.pool_jar import POOL_JARS
from evaluation.store_protocol.backend import LoadedTable
from evaluation.store_protocol.carried import NUMBERS, CarriedTypes
from evaluation.store_protocol.columns import ColumnTypes, quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.holding import Holding
from evaluation.store_protocol.own_answer import OwnAnswer
from evaluation.stores.copies import Copies, name_there, table_name
from evaluation.stores.mysql import answering as mysql_answering
from evaluation.stores.mysql import encryption, namespace_lock
from evaluation.stores.mysql import servers as mysql_servers
from evaluation.stores.mysql import sessions as mysql_sessions
from evaluation.stores.mysql.indexes import index_statements
from evaluation.stores.mysql.load_data import LoadData
from evaluation.stores.mysql.own_answer import own_answer, own_seconds
from evaluation.stores.mysql.passed_through import add_full_text
from evaluation.stores.mysql.publishing import published
from evaluation.stores.mysql.refusals import refusals
from evaluation.stores.mysql.reindexing import change
from evaluation.stores.mysql.sessions import Execute, mark_session, session
from evaluation.stores.mysql.values import column_types
from evaluation.stores.reindexing import ended_with_us, reindexed
from placement.stores import FULL_SQL, Capability, Strength
from placement.transfer.link import TransferSettings
from workloads.catalog import Table
from workloads.errors import StoreError
from workloads.features import all_but

_NAME_LENGTH = 64
_TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
_MARK = "`"
_BYTES = "LONGBLOB"
TYPES = ColumnTypes(
    text="LONGTEXT",
    decimal="DECIMAL",
    names={
        # TINYINT(4): what is TINYINT(1) is taken for a truth value.
        "TINYINT": "TINYINT(4)",
        **dict.fromkeys(("SMALLINT", "UTINYINT"), "SMALLINT"),
        **dict.fromkeys(("INTEGER", "USMALLINT"), "INTEGER"),
        **dict.fromkeys(("BIGINT", "UINTEGER"), "BIGINT"),
        "UBIGINT": "DECIMAL(20, 0)",
        # A FLOAT is handed out with six digits, and compared as the double it is anyway.
        **dict.fromkeys(("FLOAT", "DOUBLE"), "DOUBLE"),
        "BOOLEAN": "BOOLEAN",
        "DATE": "DATE",
        **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "DATETIME"), "DATETIME(6)"),
        # In UTC: its own TIMESTAMP ends in 2038.
        "TIMESTAMPTZ": "DATETIME(6)",
        "BLOB": _BYTES,
    },
)
_UNBOUNDED = frozenset({TYPES.text, _BYTES})
"""Types of which neither keys nor histograms are made."""
CARRIED = CarriedTypes(
    mark=_MARK,
    day="DATEDIFF({}, '1970-01-01')",
    moment="TIMESTAMPDIFF(MICROSECOND, '1970-01-01', {})",
    instant="TIMESTAMPDIFF(MICROSECOND, '1970-01-01', {})",
    # A cast to fewer digits than a number has gives the largest number of these.
    wide_decimal="CAST({} AS CHAR)",
    other="CAST({} AS CHAR)",
    forms={"FLOAT": "CAST({} AS DOUBLE)"},
    arrives=NUMBERS
    | {
        ("double", "float"),
        ("string", "decimal"),
        # Truth values that it computes are 0 and 1.
        ("whole", "boolean"),
        # Its NULL, and some of its text.
        ("binary", "string"),
        ("binary", "any"),
    },
)


class MySQL:
    """MariaDB or MySQL (`mysql_servers`), told by what they say; the namespace is a database."""

    kind: ClassVar[str] = "mysql"
    loads_at_once: ClassVar[int] = 1
    makes_indexes: ClassVar[bool] = True
    dialect: ClassVar[str] = "mysql"
    jars: ClassVar[tuple[str, ...]] = ("mariadb-jdbc", *POOL_JARS)
    shares_connections: ClassVar[bool] = True
    capabilities: ClassVar[frozenset[Capability]] = FULL_SQL
    lacks: ClassVar[frozenset[str]] = all_but(
        *("window", "intersect", "except", "repeated_rows", "in_as_value", "exists_as_value"),
        *("correlated_limit", "correlated_block", "subquery_in_join_condition"),
        *("wide_decimal", "floor_of_double", "fractional_seconds"),
    )
    holding: ClassVar[Holding] = Holding(
        types=TYPES, nan=False, last_year=9999, name_characters=_NAME_LENGTH
    )
    carried: ClassVar[CarriedTypes] = CARRIED
    key_store_options: ClassVar[tuple[str, ...]] = encryption.KEY_STORE_OPTIONS
    few_rows: ClassVar[Mapping[str, str]] = {}
    strength: ClassVar[Strength] = mysql_servers.MARIADB.strength
    answering = staticmethod(mysql_answering.answering)

    def jdbc(
        self, connection: Connection, *, timeout_s: float, fetch_size: int
    ) -> Mapping[str, str]:
        """Return Spark's JDBC options; its dialect knows the URL, MariaDB's driver takes it."""
        host = f"[{connection.host}]" if ":" in (connection.host or "") else connection.host
        server = f"jdbc:mysql://{host}:{connection.port or 3306}"
        settings = mysql_servers.reading_settings(timeout_s, own_tables=connection.read_only)
        # A store that is only read has no namespace of ours.
        namespace = "" if connection.read_only else connection.namespace
        return {
            # The driver takes the name as it stands: it decodes nothing.
            "url": f"{server}/{namespace}?permitMysqlScheme",
            "driver": "org.mariadb.jdbc.Driver",
            "user": connection.user or "",
            "password": connection.password or "",
            **encryption.jdbc_options(connection),
            "sessionInitStatement": settings,
            # Spark leaves its own out when it asks for the columns of a statement. Of one row
            # MySQL 8 computes the whole then, which must end too.
            "initSql": settings,
            # MySQL 8 hands its key to whoever has no TLS, as it does to PyMySQL.
            "allowPublicKeyRetrieval": "true",
            "preferTimestampNTZ": "true",
            "fetchsize": str(fetch_size),
        }

    def transfer_options(self, transfer: TransferSettings) -> Mapping[str, str]:
        """Return the rows that the driver reads ahead: they are streamed."""
        return {"fetchsize": str(transfer.fetch_rows)}

    def session_options(
        self,
        options: Mapping[str, str],
        run: str,
        *,
        silence_s: float,
        read_only: bool = False,
    ) -> Mapping[str, str]:
        """Return `options` with those that mark sessions and bound the driver's waits."""
        settings = mysql_servers.reading_settings(silence_s, own_tables=read_only)
        marked = mysql_sessions.session_options(
            run, settings, silence_s=silence_s, locking=not read_only
        )
        return {**options, **marked}

    def end_sessions(self, connection: Connection, run: str) -> int:
        """End the marked sessions by the server's own means."""
        return mysql_sessions.end_sessions(connection, run)

    def answers(self, connection: Connection) -> bool:
        """Tell whether a login succeeds."""
        return mysql_sessions.answers(connection)

    def refusals(self, connection: Connection) -> tuple[StoreError, ...]:
        """Ask for its version, whether it takes writes, and for privileges on the database."""
        return refusals(connection)

    def as_users_have_it(self, connection: Connection, table: Table) -> str:
        """Return the copy as it is: functions of MySQL and MariaDB take such values as text."""
        return name_there(connection, table, _MARK)

    def own_answer(self, connection: Connection, sql: str, *, timeout_s: float) -> OwnAnswer:
        """Run a statement by PyMySQL, in a transaction that writes nothing."""
        return own_answer(connection, sql, timeout_s=timeout_s)

    def index_text(self, connection: Connection, table: str, columns: Sequence[str]) -> None:
        """Add a FULLTEXT index to a copy, which stays as long as the copy does."""
        with session(connection, f"the FULLTEXT index of '{table}' cannot be made") as execute:
            add_full_text(execute, connection.namespace, table, columns)

    def own_seconds(
        self, connection: Connection, sql: str, *, rounds: int, timeout_s: float
    ) -> Sequence[float]:
        """Run a statement by PyMySQL, and time it."""
        return own_seconds(connection, sql, rounds=rounds, timeout_s=timeout_s)

    def table_name(self, connection: Connection, table: str) -> str:
        """Return ```namespace`.`table```."""
        return table_name(connection, table, _MARK)

    def hold(self, connection: Connection) -> AbstractContextManager[None]:
        """Hold a lock by name, which ends with its session."""
        return namespace_lock.held(connection)

    def prepare(self, connection: Connection) -> None:
        """Create the database and its register; drop staging tables."""
        with session(connection, "preparing the namespace failed") as execute:
            mysql_servers.refuse_older(connection, execute)
            namespace = quoted(connection.namespace, _MARK)
            execute(f"CREATE DATABASE IF NOT EXISTS {namespace} {_collation(execute)}")
            _copies(execute, connection).clean()

    def loaded(self, connection: Connection) -> Mapping[str, LoadedTable]:
        """Return table → copy for every entry of the register whose table is there."""
        with session(connection, "reading the register failed") as execute:
            return _copies(execute, connection).loaded()

    def load(self, connection: Connection, table: Table, stop: Event | None = None) -> LoadedTable:
        """Load by LOAD DATA, several at the same time, then rename and register.

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
        types = column_types(failures, table, TYPES)
        columns = {quoted(name, _MARK): kind for name, kind in types.items()}
        with session(connection, f"table '{table.name}' cannot be loaded") as execute:
            copies = _copies(execute, connection)
            staging = copies.staging(table)
            execute(f"DROP TABLE IF EXISTS {staging}")
            definitions = [f"{name} {kind}" for name, kind in columns.items()]
            key = [quoted(column, _MARK) for column in table.primary_key]
            # The table is its key's tree: rows in this order fill it page by page.
            keyed = bool(key) and not any(columns[column] in _UNBOUNDED for column in key)
            if keyed:
                definitions.append(f"PRIMARY KEY ({', '.join(key)})")
            body = ", ".join(definitions)
            execute(f"CREATE TABLE {staging} ({body}) ENGINE=InnoDB {_collation(execute)}")
            sender = LoadData(
                connection=connection,
                target=staging,
                columns=tuple(columns),
                as_bytes=frozenset(name for name, kind in columns.items() if kind == _BYTES),
            )
            sent = bulk.send(failures, table, sender, by_key=keyed, stop=stop)
            bulk.check_rows(failures, table, sent)
            for statement in index_statements(table, staging, types):
                execute(statement)
            counted = tuple(name for name, kind in columns.items() if kind not in _UNBOUNDED)
            mysql_servers.gather_statistics(execute, staging, table.rows, counted)
            copies.check_staged(table)
            return published(copies, table, started)

    def reindex(
        self,
        connection: Connection,
        table: Table,
        there: LoadedTable,
        stop: Event | None = None,  # noqa: ARG002 - one statement
    ) -> LoadedTable | None:
        """Change the indexes by one statement, for which the rows are read once."""
        with (
            ended_with_us(connection, self.end_sessions) as run,
            session(connection, f"the copy of '{table.name}' cannot be re-indexed") as execute,
        ):
            mark_session(execute, run)
            copies = _copies(execute, connection)
            return reindexed(copies, table, there, lambda: change(execute, copies, table))

    def drop(self, connection: Connection, table: str) -> None:
        """Remove the entry, then the table."""
        with session(connection, f"table '{table}' cannot be dropped") as execute:
            copies = _copies(execute, connection)
            execute(copies.register.forget, (table,))
            execute(f"DROP TABLE IF EXISTS {copies.name(table)}")


def _copies(execute: Execute, connection: Connection) -> Copies:
    return Copies(connection=connection, execute=execute, listing=_TABLES, mark=_MARK)


def _collation(execute: Execute) -> str:
    """Return the character set in which equal means equal: no folding, trailing spaces count."""
    return f"CHARACTER SET utf8mb4 COLLATE {mysql_servers.server_of(execute).collation}"
