"""Read made-up tables of equal rows and several widths in PostgreSQL and MariaDB.

python -m benchmarks.scan_widths [--rows N] [--repeats N] [-o results.json]

Each table has whole numbers of 4 bytes, and is read whole for the sum of the middle column. Tables
take turns. Seconds a row are fitted by a straight line over its bytes: what a row costs by itself,
and each of its bytes. All tables fit in the servers' memory.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.provenance import provenance
from evaluation.embedded import EmbeddedRequest, running
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.sessions import session as mysql_session
from evaluation.stores.postgresql.sessions import session_with
from workloads.cache import cache_folder
from workloads.progress import Silent

COLUMNS = (2, 8, 30, 60)
COLUMN_BYTES = 4
KINDS = ("postgresql", "mysql")
NUMBERS = {"postgresql": "generate_series(1, {}) AS s (seq)", "mysql": "seq_1_to_{} AS s"}


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
        row_ns, byte_ns = 1e9 * each["row_s"], 1e9 * each["byte_s"]
        print(f"{kind}: {row_ns:.0f} ns a row, {byte_ns:.2f} ns a byte")


def measured(kind: str, rows: int, repeats: int) -> dict[str, Any]:
    """Make the tables in a server of a kind, and read each `repeats` times, after once."""
    request = EmbeddedRequest(store="store", kind=kind)
    with (
        tempfile.TemporaryDirectory(dir=cache_folder()) as folder,
        running([request], Path(folder), Silent()) as connections,
        ExitStack() as stack,
    ):
        execute = stack.enter_context(_session(kind, connections["store"]))
        for count in COLUMNS:
            _make(execute, kind, count, rows)
        seconds: dict[int, list[float]] = {count: [] for count in COLUMNS}
        for _ in range(1 + repeats):
            for count in COLUMNS:
                seconds[count].append(_read_s(execute, count))
                print(kind, count, seconds[count][-1], flush=True)
    typical = {count: median(each[1:]) for count, each in seconds.items()}
    widths = [COLUMN_BYTES * count for count in COLUMNS]
    byte_s, row_s = np.polyfit(widths, [typical[count] / rows for count in COLUMNS], 1)
    tables = [
        {"row_bytes": COLUMN_BYTES * count, "runs_s": seconds[count], "median_s": typical[count]}
        for count in COLUMNS
    ]
    return {"tables": tables, "row_s": float(row_s), "byte_s": float(byte_s)}


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


def _make(execute: Callable[[str], Any], kind: str, count: int, rows: int) -> None:
    columns = ", ".join(f"CAST(seq + {n} AS {_integer(kind)}) AS c{n}" for n in range(count))
    made = f"CREATE TABLE w{count} AS SELECT {columns} FROM {NUMBERS[kind].format(rows)}"
    execute(made)
    execute(f"ANALYZE TABLE w{count}" if kind == "mysql" else f"VACUUM (ANALYZE) w{count}")


def _integer(kind: str) -> str:
    return "INT" if kind == "mysql" else "INTEGER"


def _read_s(execute: Callable[[str], Any], count: int) -> float:
    started = time.perf_counter()
    execute(f"SELECT SUM(c{count // 2}) FROM w{count}")
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
