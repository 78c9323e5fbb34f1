"""MariaDB and MySQL: which of the two a server of kind mysql is, and what differs between them."""

import re
from dataclasses import dataclass, replace

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.sessions import Execute, session
from placement.stores import Strength
from workloads.errors import StoreError

# By default MariaDB's sessions hash nothing, and a join of both servers has 256 kB.
_JOIN_BYTES = 64 << 20
_JOINS = 4
_JOINS_BYTES = _JOINS * _JOIN_BYTES
# 10.11. Some versions before it hash wrongly: MDEV-19620, MDEV-21104, MDEV-24767.
_HASHING = 101100
# For each column's statistics: as many as PostgreSQL takes by default.
_SAMPLE_ROWS = 30_000
_BUCKETS = 100
_NUMBERS = re.compile(r"(\d+)\.(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class MySQLServer:
    """One of the two, which a server is by what it says of itself.

    `oldest` is the first version that runs what is sent to it. In `collation` equal means equal:
    nothing is folded, and trailing spaces count. `strength` is that of an uncalibrated store.
    """

    name: str
    oldest: tuple[int, int, int]
    collation: str
    strength: Strength


MARIADB = MySQLServer(
    name="MariaDB",
    oldest=(10, 5, 0),
    collation="utf8mb4_nopad_bin",
    strength=Strength(
        repeats_ctes=True,
        clustered=True,
        most_driver_rows=2_000,
        start_s=0.004,
        scan_bytes_per_s=2.9e9,
        scan_rows_per_s=6.3e6,
        join_rows_per_s=6e6,
        aggregate_rows_per_s=1.2e6,
        transfer_bytes_per_s=90e6,
        transfer_rows_per_s=2.5e6,
        transfer_decimals_per_s=3e6,
        driver_rows_per_s=80_000.0,
        write_start_s=0.003,
        write_rows_per_s=50000.0,
        load_bytes_per_s=25e6,
        index_rows_per_s=400_000.0,
        conditions_per_s=22e6,
    ),
)
MYSQL = MySQLServer(
    name="MySQL",
    # INTERSECT and EXCEPT.
    oldest=(8, 0, 31),
    collation="utf8mb4_0900_bin",
    # It keeps the rows of a CTE that is read more than once.
    strength=replace(MARIADB.strength, repeats_ctes=False),
)


def server_of(execute: Execute) -> MySQLServer:
    """Return which of the two answers, by its version: their protocols are the same."""
    return _told(_version(execute))


def asked_server(connection: Connection) -> MySQLServer:
    """Ask a store of kind mysql which of the two it is.

    It is given a few seconds. Raises StoreError where it is not there.
    """
    with session(connection, "asking for its version failed", patient=False) as execute:
        return server_of(execute)


def refuse_older(connection: Connection, execute: Execute) -> None:
    """Raise StoreError for a server that lacks what is sent to it."""
    version = _version(execute)
    server = _told(version)
    found = _NUMBERS.match(version)
    if found is not None and tuple(map(int, found.groups())) < server.oldest:
        raise StoreError(
            connection.store,
            f"its {server.name} {found[0]} is too old: {'.'.join(map(str, server.oldest))} or "
            "newer is needed.",
        )


def reading_settings(timeout_s: float, *, own_tables: bool = False) -> str:
    """Return the SET statement of sessions that read, with the statements' limit in seconds.

    Each of the two reads the other's part as a comment. Literals compare as columns do; a mode
    of the server's, such as to take || for OR or to refuse a GROUP BY, changes no meaning.
    MariaDB would compute a grouped derived table anew for each row that it is joined with,
    where it has no indexes to do so: q23 then takes 18 times as long. Keys are sent as a long
    IN, which it would join with groups instead of asking it of the rows that are grouped.
    Joins are by hashes and batches of keys, in the memory that our own servers give all sessions,
    or in more where the server gives that. Versions of MariaDB that hash wrongly are left alone.
    With `own_tables` of users: these have moments of the session's time zone, and unsigned numbers,
    of which differences may be below zero.
    """
    mode = "'NO_UNSIGNED_SUBTRACTION', time_zone = '+00:00'" if own_tables else "''"
    return (
        f"SET sql_mode = {mode}/*M!, max_statement_time = {timeout_s},"
        f" collation_connection = {MARIADB.collation},"
        " optimizer_switch = 'split_materialized=off,mrr=on,join_cache_hashed=on,"
        "join_cache_bka=on,optimize_join_buffer_size=on',"
        " in_predicate_conversion_threshold = 0 */"
        f"/*M!{_HASHING} , join_cache_level = 8,"
        f" {_at_least('join_buffer_space_limit', f'{_JOINS}*@@join_buffer_size', _JOINS_BYTES)},"
        f" {_at_least('join_buffer_size', _JOIN_BYTES)} */"
        f"/*!80000, max_execution_time = {max(1, round(timeout_s * 1000))},"
        f" {_at_least('join_buffer_size', _JOIN_BYTES)},"
        f" collation_connection = {MYSQL.collation} */"
    )


def _at_least(variable: str, *sizes: str | int) -> str:
    # The largest is a decimal number to MySQL, which it does not take for a size.
    largest = f"GREATEST({', '.join(map(str, (f'@@{variable}', *sizes)))})"
    return f"{variable} = CAST({largest} AS UNSIGNED)"


def time_limit(timeout_s: float) -> str:
    """Return the SET statement of sessions that are otherwise as the server has them."""
    return (
        f"SET @placement_advisor = NULL/*M!, max_statement_time = {timeout_s} */"
        f"/*!80000, max_execution_time = {max(1, round(timeout_s * 1000))} */"
    )


def gather_statistics(execute: Execute, table: str, rows: int, columns: tuple[str, ...]) -> None:
    """Give a copy, by its quoted name, the statistics that the server's optimizer plans by.

    `columns` are quoted names of columns in which values are counted.
    """
    if server_of(execute) is MARIADB:
        share = min(1.0, _SAMPLE_ROWS / max(1, rows))
        execute("SET SESSION analyze_sample_percentage = %s", (100 * share,))
        execute(f"ANALYZE TABLE {table} PERSISTENT FOR ALL")
        return
    execute(f"ANALYZE TABLE {table}")
    if rows and columns:
        counted = ", ".join(columns)
        execute(f"ANALYZE TABLE {table} UPDATE HISTOGRAM ON {counted} WITH {_BUCKETS} BUCKETS")


def gather_index_statistics(execute: Execute, table: str, indexes: tuple[str, ...]) -> None:
    """Give indexes that a copy has got since their statistics; columns keep those that they have.

    `table` is the copy's quoted name, and `indexes` are names of indexes.
    """
    if server_of(execute) is MARIADB:
        listed = ", ".join(quoted(name, "`") for name in indexes)
        execute(f"ANALYZE TABLE {table} PERSISTENT FOR COLUMNS () INDEXES ({listed})")
        return
    execute(f"ANALYZE TABLE {table}")


def _version(execute: Execute) -> str:
    ((version,),) = execute("SELECT version()")
    return str(version)


def _told(version: str) -> MySQLServer:
    return MARIADB if "mariadb" in version.lower() else MYSQL
