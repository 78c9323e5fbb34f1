"""Rows of MySQL and MariaDB: counted where that is cheap, sampled where nothing is kept of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import pymysql

from evaluation.live.sampling import LONGEST_TEXT, Sample, sample_rows
from evaluation.store_protocol.columns import quoted
from evaluation.stores.mysql.sessions import Execute
from workloads.counting.own import ALIAS

MARK = "`"

_TIMEOUT_S = 60
# Each of the two reads the other's part as a comment. MySQL keeps sizes for a day by default.
SETTINGS = (
    f"SET /*M! max_statement_time = {_TIMEOUT_S} *//*!80000 max_execution_time = "
    f"{_TIMEOUT_S * 1000}, information_schema_stats_expiry = 0 */"
)
# Refused rights and a view that is none any more; too late in MariaDB and in MySQL.
UNREAD = frozenset({1142, 1143, 1356, 1969, 3024})
"""Numbers of errors after which nothing is known of a table, and the others are still read."""
# InnoDB's estimates are off by half at times; so many rows are counted in about a second.
_COUNTED_ROWS = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A table as it can be read: its quoted name, estimated rows and bytes, DuckDB's types."""

    name: str
    rows: int
    bytes: int
    types: Mapping[str, str]


def counted(execute: Execute, table: Stored) -> int:
    """Return the number of rows, or the store's estimate where counting is dear or refused."""
    if table.rows > _COUNTED_ROWS:
        return table.rows
    try:
        ((rows,),) = execute(f"SELECT count(*) FROM {table.name} AS {ALIAS}")  # noqa: S608
    except pymysql.MySQLError as error:
        if error.args[0] not in UNREAD:
            raise
        return table.rows
    return int(rows)


def sample(execute: Execute, table: Stored, rows: int) -> Sample | None:
    """Return some of the `rows` of a table; None where they may not be read.

    Rows are drawn in one pass over the table; where that takes too long, its first ones are.
    """
    wanted = sample_rows(table.bytes / max(1, rows))
    columns = ", ".join(_text(name, type_) for name, type_ in table.types.items())
    query = f"SELECT {columns} FROM {table.name} AS {ALIAS}"  # noqa: S608 - quoted
    drawn = f"{query} WHERE rand() < {1.05 * wanted / max(1, rows):.9f}"
    for text in (drawn, query) if wanted < rows else (query,):
        try:
            found = execute(f"{text} LIMIT {wanted}")
        except pymysql.MySQLError as error:
            if error.args[0] not in UNREAD:
                raise
            continue
        return Sample(table=table.name, types=table.types, rows=found, total_rows=rows)
    return None


def _text(name: str, type_: str) -> str:
    column = f"{ALIAS}.{quoted(name, MARK)}"
    if type_ == "BLOB":
        return f"hex(left({column}, {LONGEST_TEXT}))"
    if type_ == "UBIGINT":  # BIT would be taken for bytes
        return f"CAST({column} + 0 AS CHAR)"
    return f"left(CAST({column} AS CHAR), {LONGEST_TEXT})"
