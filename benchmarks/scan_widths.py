"""Read made-up tables of equal rows and several widths in PostgreSQL, MariaDB and Accumulo.

python -m benchmarks.scan_widths [--rows N] [--repeats N] [-o results.json]

Each table has whole numbers of 4 bytes. It is read whole for the sum of its first, its middle or
its last column. Tables and columns take turns. Least squares of the seconds a row tell what a row
costs by itself, each of its bytes, and each value up to the one that is asked for: PostgreSQL finds
it by those before it. One value in 22 is NULL, as in the sales of TPC-DS: rows without NULLs are
unpacked faster. All tables fit in the servers' memory. Servers read in parallel where they do so
for plans. A row's share of starting the statement counts as the row's, at most 2.5 ns for each
millisecond.

Accumulo groups nothing. Spark filters by a value that no row has, so that the tablet servers look
at all rows and hand out none. Two of Spark's tasks read at once, a tablet of 100,000 rows each. The
seconds of a table of few rows, which are Spark's for the most part, are taken off.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import numpy as np
from scipy.optimize import nnls

from benchmarks.provenance import provenance
from evaluation.embedded import EmbeddedRequest, running
from evaluation.installation.jars import jars
from evaluation.installation.java import java_home
from evaluation.spark.session import session
from evaluation.store_protocol.connection import Connection
from evaluation.stores.accumulo.backend import Accumulo
from evaluation.stores.mysql.sessions import session as mysql_session
from evaluation.stores.postgresql.sessions import session_with
from workloads.cache import cache_folder
from workloads.catalog import Column, Table
from workloads.progress import Silent

COLUMNS = (2, 8, 30, 60)
COLUMN_BYTES = 4
ONE_NULL_IN = 22
KINDS = ("postgresql", "mysql", "accumulo")
FEW_ROWS = 1_000
NO_VALUE = 10 * ONE_NULL_IN
KEY_BYTES = 8
NUMBERS = {"postgresql": "generate_series(1, {}) AS s (seq)", "mysql": "seq_1_to_{} AS s"}

Read = Callable[[int, int], object]
"""Reads a table of so many columns for one of them, whose place it is given, from one."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--repeats", type=int, default=7)
    default = Path(__file__).parent / "results" / "scan_widths.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    found = {kind: measured(kind, arguments.rows, arguments.repeats) for kind in KINDS}
    answer = {
        **provenance("benchmarks.scan_widths", before),
        "rows": arguments.rows,
        "repeats": arguments.repeats,
        "stores": found,
    }
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    for kind, each in found.items():
        row_ns, byte_ns, value_ns = (1e9 * each[f"{of}_s"] for of in ("row", "byte", "value"))
        print(f"{kind}: {row_ns:.0f} ns a row, {byte_ns:.2f} a byte, {value_ns:.1f} a value")


def measured(kind: str, rows: int, repeats: int) -> dict[str, Any]:
    """Make the tables in a server of a kind, and read each `repeats` times, after once."""
    request = EmbeddedRequest(store="store", kind=kind)
    with (
        tempfile.TemporaryDirectory(dir=cache_folder()) as folder,
        running([request], Path(folder), Silent()) as connections,
        ExitStack() as stack,
    ):
        if kind == Accumulo.kind:
            read = stack.enter_context(_by_spark(connections["store"], Path(folder), rows))
        else:
            read = stack.enter_context(_by_sql(kind, connections["store"], rows))
        reads = [(count, place) for count in COLUMNS for place in _places(count)]
        seconds: dict[tuple[int, int], list[float]] = {each: [] for each in reads}
        starts = []
        for _ in range(1 + repeats):
            for count, place in reads:
                seconds[count, place].append(_seconds(read, count, place))
                print(kind, count, place, seconds[count, place][-1], flush=True)
            if kind == Accumulo.kind:
                starts.append(_seconds(read, 0, 1))
    start_s = median(starts[1:]) if starts else 0.0
    typical = {read: median(runs[1:]) - start_s for read, runs in seconds.items()}
    key_bytes = KEY_BYTES if kind == Accumulo.kind else 0
    widths = {count: key_bytes + COLUMN_BYTES * count for count in COLUMNS}
    tables = [
        {
            "row_bytes": widths[count],
            "values": place,
            "runs_s": seconds[count, place],
            "median_s": typical[count, place],
        }
        for count, place in reads
    ]
    return {"tables": tables, "start_s": start_s, **_fitted(tables, rows)}


def _fitted(tables: Sequence[Mapping[str, Any]], rows: int) -> dict[str, float]:
    """Return the seconds of a row by itself, of each of its bytes, and of a value."""
    amounts = np.array([(1.0, each["row_bytes"], each["values"]) for each in tables])
    took_s = np.array([each["median_s"] / rows for each in tables])
    found = nnls(amounts / took_s[:, None], np.ones(len(tables)))[0]
    return dict(zip(("row_s", "byte_s", "value_s"), map(float, found), strict=True))


def _places(count: int) -> list[int]:
    """Return the places, from one, of the first, the middle and the last of so many columns."""
    return sorted({1, 1 + count // 2, count})


@contextmanager
def _session(kind: str, connection: Connection) -> Iterator[Callable[[str], Any]]:
    """Yield what runs a statement in the store's namespace."""
    if kind == "mysql":
        with mysql_session(connection, "reading failed") as execute:
            execute(f"CREATE DATABASE IF NOT EXISTS `{connection.namespace}`")
            execute(f"USE `{connection.namespace}`")
            yield execute
    else:
        with session_with(connection, "reading failed") as found:
            yield found.execute


@contextmanager
def _by_sql(kind: str, connection: Connection, rows: int) -> Iterator[Read]:
    """Make the tables by SQL, and yield what sums the column at a place, from one, of one."""
    with _session(kind, connection) as execute:
        for count in COLUMNS:
            _make(execute, kind, count, rows)
        yield lambda count, place: execute(f"SELECT SUM(c{place - 1}) FROM w{count}")


@contextmanager
def _by_spark(connection: Connection, folder: Path, rows: int) -> Iterator[Read]:
    """Load the tables into Accumulo, and yield what looks for rows by the column at a place."""
    backend = Accumulo()
    backend.prepare(connection)
    with session(
        master="local[2]",
        jars=jars(backend.jars, Silent()),
        java_home=java_home(Silent()),
        driver_memory="2g",
    ) as spark:
        frames = {}
        for count in (0, *COLUMNS):
            table = _table(folder, count, rows if count else FEW_ROWS)
            backend.load(connection, table)
            scan = backend.scan(connection, table.name, timeout_s=600, fetch_size=10_000)
            frames[count] = spark.read.format(scan.format).options(**scan.options).load()

        def read(count: int, place: int) -> None:
            found = frames[count].where(f"c{place - 1} = {NO_VALUE}")
            found.write.format("noop").mode("overwrite").save()

        yield read


def _table(folder: Path, count: int, rows: int) -> Table:
    """Make a table of so many columns, two where `count` is 0, beside its key."""
    names = [f"c{n}" for n in range(count or COLUMNS[0])]
    path = folder / f"w{count}.parquet"
    columns = ", ".join(
        f"nullif((seq + {n}) % {ONE_NULL_IN}, 0)::INTEGER AS {name}" for n, name in enumerate(names)
    )
    with duckdb.connect() as database:
        query = f"SELECT seq, {columns} FROM range({rows}) AS s(seq)"
        database.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return Table(
        name=f"w{count}",
        rows=rows,
        fingerprint=f"w{count}",
        primary_key=("seq",),
        parquet=path,
        columns=(
            Column(name="seq", type="BIGINT", width_bytes=float(KEY_BYTES)),
            *(Column(name=name, type="INTEGER", width_bytes=float(COLUMN_BYTES)) for name in names),
        ),
    )


def _make(execute: Callable[[str], Any], kind: str, count: int, rows: int) -> None:
    columns = ", ".join(
        f"CAST(NULLIF((seq + {n}) % {ONE_NULL_IN}, 0) AS {_integer(kind)}) AS c{n}"
        for n in range(count)
    )
    made = f"CREATE TABLE w{count} AS SELECT {columns} FROM {NUMBERS[kind].format(rows)}"
    execute(made)
    execute(f"ANALYZE TABLE w{count}" if kind == "mysql" else f"VACUUM (ANALYZE) w{count}")


def _integer(kind: str) -> str:
    return "INT" if kind == "mysql" else "INTEGER"


def _seconds(read: Read, count: int, place: int) -> float:
    started = time.perf_counter()
    read(count, place)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
