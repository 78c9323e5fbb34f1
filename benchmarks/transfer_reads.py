"""Results of several widths and sizes in PostgreSQL, and what reading one takes in Spark."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import psycopg

from benchmarks.logins import postgresql_login
from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.stores import Capability
from placement.transfer.link import Result, TransferSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STORE = "pg"
_NUMBER_BYTES = 8
_VIEW = "fetched"
_PAUSE_S = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A result: so many rows of so many bytes, a number and a text."""

    width: int
    rows: int

    @property
    def result(self) -> Result:
        """Return its size as the model sees it."""
        return Result(result_bytes=float(self.rows * self.width), row_bytes=float(self.width))

    def query(self, namespace: str, transfer: TransferSettings) -> CompiledQuery:
        """Return a query whose every value Spark has to read, and of which it hands out one row."""
        sql = f'SELECT n, filler FROM "{namespace}".{_table(self.width)} WHERE n <= {self.rows}'
        fragment = CompiledFragment(
            view=_VIEW,
            store=STORE,
            fragment=_fragment(self),
            sql=sql,
            rows=sql,
            columns=("n", "filler"),
            transfer=transfer,
        )
        # To count rows Spark would ask for no column.
        combine = f"SELECT max(n) AS n, max(filler) AS filler FROM {_VIEW}"
        return CompiledQuery(query=_VIEW, fragments=(fragment,), combine_sql=combine)


def _table(width: int) -> str:
    return f"rows_of_{width}"


def _fragment(rows: Rows) -> Fragment:
    return Fragment(
        coverage=Coverage(
            query=_VIEW,
            kind=Capability.QUERY,
            block="b0",
            sources=(_table(rows.width),),
            tables=frozenset({_table(rows.width)}),
        ),
        work=EstimatedWork(
            scan_bytes=0.0,
            column_bytes=0.0,
            join_rows=0.0,
            aggregate_rows=0.0,
            rows_out=float(rows.rows),
            row_bytes_out=float(rows.width),
        ),
    )


def fill(connection: Connection, most: dict[int, int]) -> None:
    """Make a table for each width, with so many rows."""
    with psycopg.connect(**postgresql_login(connection)) as session:
        for width, rows in most.items():
            name = f'"{connection.namespace}".{_table(width)}'
            filler = width - _NUMBER_BYTES
            session.execute(f"CREATE TABLE {name} (n BIGINT PRIMARY KEY, filler TEXT)".encode())
            session.execute(
                f"INSERT INTO {name} SELECT n, substr(repeat(md5(n::text), {filler // 32 + 1}), 1, "
                f"{filler}) FROM generate_series(1, {rows}) AS s(n)".encode()
            )
            session.execute(f"VACUUM ANALYZE {name}".encode())


def read_s(
    federation: Federation, connection: Connection, rows: Rows, transfer: TransferSettings
) -> float:
    """Return the seconds of reading a result: those that Spark's scan waited for its driver."""
    done = federation.run(rows.query(connection.namespace, transfer))
    if done.rows[0][0] != rows.rows:
        raise RuntimeError(f"{rows} came as {done.rows}")
    (fragment,) = done.fragments
    return fragment.seconds


@contextmanager
def most_memory(spark: "SparkSession") -> Iterator[Callable[[], int]]:
    """Give a function that returns the most bytes alive in Spark's Java since the block began.

    They are counted after one collection after another, beyond those that were alive before.
    """
    jvm: Any = spark.sparkContext._jvm
    factory = jvm.java.lang.management.ManagementFactory
    pools = [
        each
        for each in factory.getMemoryPoolMXBeans()
        if each.isCollectionUsageThresholdSupported()
    ]

    def alive() -> int:
        jvm.java.lang.System.gc()
        return sum(int(each.getCollectionUsage().getUsed()) for each in pools)

    before, most, ended = alive(), [0], Event()

    def watch() -> None:
        while not ended.wait(_PAUSE_S):
            most[0] = max(most[0], alive() - before)

    watching = Thread(target=watch, daemon=True)
    watching.start()

    def stopped() -> int:
        ended.set()
        watching.join()
        return most[0]

    try:
        yield stopped
    finally:
        ended.set()
        watching.join()
