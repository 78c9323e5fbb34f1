"""Load TPC-DS tables by our loader, by the servers' own clients and by Spark's JDBC writer.

python -m benchmarks.loading [--scale-factor SF] [--repeats N] [--tables NAME …] [-o results.json]

Ours and Spark's begin with the catalog's Parquet, the clients with a text file that is ready; the
seconds that DuckDB takes to make that file stand beside. All fill tables of one definition: in
MariaDB with the primary key, in PostgreSQL without it, where each adds it afterwards. Every round
runs every way once, in a seeded random order; the first is a warm-up on the smallest table.
`cpu_s` is the CPU time of all processes that took part, servers and Java among them.
"""

import argparse
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import psycopg
import pymysql

from benchmarks.loading_peers import PEERS, Files, Peer, write_files, write_jdbc
from benchmarks.provenance import provenance
from benchmarks.tables.loading import JDBC, OURS, ways
from evaluation.bulk import bulk
from evaluation.embedded import EmbeddedRequest, running
from evaluation.installation import artifacts
from evaluation.installation.java import java_home
from evaluation.kinds import BACKENDS
from evaluation.spark.session import session
from workloads.benchmarks import tpcds
from workloads.cache import cache_folder
from workloads.catalog import Table
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = ("store_sales", "customer_demographics", "customer")
KINDS = {"pg": "postgresql", "maria": "mysql"}
STEPS = {
    "CREATE": "create", "ALTER TABLE ADD": "key", "VACUUM": "statistics", "ANALYZE": "statistics",
    "SELECT COUNT": "count",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """One load: the transfer, all of it, its steps, and the CPU seconds of all processes."""

    transfer_s: float
    total_s: float
    cpu_s: float
    steps_s: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Puts the ways that are not left out into an order of chance."""

    random: random.Random
    skip: Sequence[str]

    def of(self, ways: Mapping[str, Any]) -> list[str]:
        names = [name for name in ways if name not in self.skip]
        self.random.shuffle(names)
        return names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale-factor", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--stores", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--skip", nargs="+", default=[], help="ways to leave out")
    parser.add_argument("--seed", type=int, default=0)
    default = Path(__file__).parent / "results" / "loading.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    tables = measure(arguments)
    answer = {
        **provenance("benchmarks.loading", before),
        "scale_factor": arguments.scale_factor,
        "repeats": arguments.repeats,
        "tables": tables,
    }
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(ways(answer))


def measure(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    catalog = tpcds.generate(arguments.scale_factor, cache_folder(), Silent())
    tables = [catalog.tables[name] for name in arguments.tables]
    folder = cache_folder() / "benchmarks" / "loading"
    folder.mkdir(parents=True, exist_ok=True)
    files = {table.name: write_files(table, folder) for table in tables}
    requests = [EmbeddedRequest(store=store, kind=KINDS[store]) for store in arguments.stores]
    jars = [artifacts.fetch(name, Silent()) for name in ("postgresql-jdbc", "mariadb-jdbc")]
    order = Order(random=random.Random(arguments.seed), skip=arguments.skip)
    rows = []
    with (
        running(requests, folder, Silent()) as connections,
        session(
            master=f"local[{len(os.sched_getaffinity(0))}]",
            jars=jars,
            java_home=java_home(Silent()),
        ) as spark,
    ):
        for store in arguments.stores:
            BACKENDS[KINDS[store]].prepare(connections[store])
            peer = PEERS[store](connections[store])
            smallest = min(tables, key=lambda table: table.rows)
            one_round(spark, peer, smallest, files[smallest.name], order)
            for table in tables:
                rounds = [
                    one_round(spark, peer, table, files[table.name], order)
                    for _ in range(arguments.repeats)
                ]
                rows.append(summary(store, table, files[table.name], rounds))
                print(json.dumps(rows[-1]), file=sys.stderr)
            peer.fresh(None)
    for each in files.values():
        each.csv.unlink()
        each.text.unlink()
    return rows


def one_round(
    spark: "SparkSession", peer: Peer, table: Table, files: Files, order: "Order"
) -> dict[str, Timed]:
    """Load `table` once in every way; all must arrive whole."""
    clients = peer.clients(table, files)
    ways: dict[str, Callable[[], Timed]] = {
        name: lambda made=made, load=load: theirs(peer, table, load, made=made)
        for name, (made, load) in clients.items()
    }
    ways[JDBC] = lambda: theirs(peer, table, lambda: write_jdbc(spark, peer, table), made=True)
    ways[OURS] = lambda: ours(peer, table)
    return {name: ways[name]() for name in order.of(ways)}


def theirs(peer: Peer, table: Table, load: Callable[[], None], *, made: bool) -> Timed:
    """Load by one of the others into an empty table, then finish it as ours is."""
    peer.fresh(None)
    cpu_s, started = cpu_seconds(), time.perf_counter()
    if made:
        peer.fresh(table)
    created = time.perf_counter()
    load()
    loaded = time.perf_counter()
    peer.finish(table)
    ended = time.perf_counter()
    if peer.count() != table.rows:
        sys.exit(f"{table.name} did not arrive whole")
    return Timed(
        transfer_s=loaded - created,
        total_s=ended - started,
        cpu_s=cpu_seconds() - cpu_s,
        steps_s={"create": created - started, "finish": ended - loaded},
    )


def ours(peer: Peer, table: Table) -> Timed:
    """Load by our back end, as ``advisor run`` does."""
    backend = BACKENDS[peer.connection.kind]
    backend.drop(peer.connection, table.name)
    peer.fresh(None)
    steps_s: dict[str, float] = {}
    cpu_s, started = cpu_seconds(), time.perf_counter()
    with steps(steps_s):
        backend.load(peer.connection, table)
    ended = time.perf_counter()
    timed = Timed(
        transfer_s=steps_s["transfer"],
        total_s=ended - started,
        cpu_s=cpu_seconds() - cpu_s,
        steps_s=steps_s,
    )
    backend.drop(peer.connection, table.name)
    return timed


@contextmanager
def steps(seconds: dict[str, float]) -> Iterator[None]:
    """Add up the seconds of our loader's statements by step, for the length of the block."""

    def timing(step_of: Callable[..., str], run: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: object, **named: object) -> object:
            started = time.perf_counter()
            try:
                return run(*arguments, **named)
            finally:
                step = step_of(*arguments)
                seconds[step] = seconds.get(step, 0.0) + time.perf_counter() - started

        return timed

    postgres, cursor = psycopg.Connection, pymysql.cursors.Cursor
    with (
        patch.object(bulk, "send", timing(lambda *_: "transfer", bulk.send)),
        patch.object(postgres, "execute", timing(step_of_statement, postgres.execute)),
        patch.object(cursor, "execute", timing(step_of_statement, cursor.execute)),
    ):
        yield


def step_of_statement(_: object, statement: str | bytes, *__: object) -> str:
    text = statement.decode() if isinstance(statement, bytes) else statement
    upper = " ".join(text.upper().split())
    if upper.startswith("ALTER TABLE") and " ADD PRIMARY" in upper:
        return "key"
    return next((step for start, step in STEPS.items() if upper.startswith(start)), "register")


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and all below it, with those that have ended."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
        ticks[int(stat.parent.name)] = sum(map(int, fields[11:15]))
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(ticks[pid] for pid in below if pid in ticks) / os.sysconf("SC_CLK_TCK")


def summary(
    store: str, table: Table, files: Files, rounds: Sequence[Mapping[str, Timed]]
) -> dict[str, Any]:
    """Medians and spreads of one table in one store."""
    text_bytes = files.text.stat().st_size
    ways = {}
    for name in rounds[0]:
        timed = [each[name] for each in rounds]
        transfers = [each.transfer_s for each in timed]
        transfer_s = statistics.median(transfers)
        ways[name] = {
            "transfer_s": transfer_s,
            "spread_s": max(transfers) - min(transfers),
            "rows_per_s": table.rows / transfer_s,
            "bytes_per_s": text_bytes / transfer_s,
            "total_s": statistics.median(each.total_s for each in timed),
            "cpu_s": statistics.median(each.cpu_s for each in timed),
            "steps_s": {
                step: statistics.median(each.steps_s.get(step, 0.0) for each in timed)
                for step in timed[0].steps_s
            },
        }
    return {
        "store": store,
        "table": table.name,
        "rows": table.rows,
        "columns": len(table.columns),
        "text_bytes": text_bytes,
        "csv_s": files.csv_s,
        "text_s": files.text_s,
        "load_average": os.getloadavg()[0],
        "ways": ways,
    }


if __name__ == "__main__":
    main()
