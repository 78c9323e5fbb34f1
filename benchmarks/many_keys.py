"""Semi-joins by 100 to 10 million keys: in the statement, as a table of the store, and none.

python -m benchmarks.many_keys [--rows N] [--most N] [--stores pg …] [--repeats N] [-o FILE]

A table of `--rows` rows in each store is joined with keys that are read from another store, spread
evenly over twice the numbers that the rows have: half of them meet a row. The engine joins what
arrives. The rows are restricted by the keys in the statement, by a table of the keys in the store,
or not at all, as they were for more than 50,000 keys. Every answer is compared with the one that
follows from the numbers. Each way first runs once with 100 keys, which is not counted. Then the
median of `--repeats` runs is kept: seconds, and CPU seconds of the engine, the stores and the
driver.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import duckdb

from benchmarks.process_cpu import cpu_s
from benchmarks.provenance import provenance
from benchmarks.tables.many_keys import readings
from evaluation.embedded import EmbeddedRequest, running, status
from evaluation.evaluate import open_session
from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.kinds import BACKENDS
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.stores import Capability
from workloads.cache import cache_folder
from workloads.catalog import Catalog, Column, Table
from workloads.progress import Silent
from workloads.workload import Workload

KINDS = {"pg": "postgresql", "maria": "mysql", "duck": "duckdb"}
SENDER = "sender"
WAYS = {"statement": 10**9, "table": 0, "none": None}
"""Way → the most keys that a statement holds then; None: the rows are not restricted."""
MOST_IN_STATEMENT = 100_000
LIMIT_S = 900.0
ROW_BYTES = 24.0


def main() -> None:
    arguments = _arguments()
    before = os.getloadavg()[0]
    found = _measured(arguments)
    answer = {**provenance("benchmarks.many_keys", before), **found}
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(readings(answer))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--most", type=int, default=10_000_000)
    parser.add_argument("--stores", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--repeats", type=int, default=1)
    default = Path(__file__).parent / "results" / "many_keys.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    return parser.parse_args()


def _measured(arguments: argparse.Namespace) -> dict[str, Any]:
    counts = [10**power for power in range(2, 8) if 10**power <= arguments.most]
    requests = [EmbeddedRequest(store=each, kind=KINDS[each]) for each in arguments.stores]
    requests.append(EmbeddedRequest(store=SENDER, kind="duckdb"))
    with (
        tempfile.TemporaryDirectory(dir=cache_folder()) as folder,
        running(requests, Path(folder), Silent()) as connections,
    ):
        table = _table(Path(folder), arguments.rows)
        for each in arguments.stores:
            _say(f"loading {each}")
            backend = BACKENDS[KINDS[each]]
            backend.prepare(connections[each])
            backend.load(connections[each], table)
        BACKENDS["duckdb"].prepare(connections[SENDER])
        job = Job(
            workload=Workload(name="none", dialect="duckdb", queries=()),
            catalog=Catalog(name="none", tables={}),
            connections=connections,
            query_timeout_s=LIMIT_S,
        )
        runs = []
        with open_session(job, Silent()) as spark:
            for name in arguments.stores:
                two = {each: connections[each] for each in (name, SENDER)}
                pids = [os.getpid(), *(each.pid for each in status(Path(folder)) if each.pid)]
                with Federation(spark, two, timeout_s=LIMIT_S) as federation:
                    bench = Bench(federation=federation, pids=pids, arguments=arguments)
                    list(bench.runs(connections[name], counts[:1]))
                    runs += list(bench.runs(connections[name], counts))
    return {"rows": arguments.rows, "repeats": arguments.repeats, "runs": runs}


def _table(folder: Path, rows: int) -> Table:
    """Write a table of three numbers, of which the first is the key."""
    path = folder / "line.parquet"
    with duckdb.connect() as session:
        session.execute(
            f"COPY (SELECT i AS k, i % 1000 AS v, i * 7 AS w FROM range({rows}) AS r(i)) "
            f"TO '{path}'"
        )
    columns = tuple(Column(name=each, type="BIGINT", width_bytes=8.0) for each in "kvw")
    return Table(
        name="line",
        columns=columns,
        rows=rows,
        fingerprint="line",
        parquet=path,
        primary_key=("k",),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Stores that are asked, and the processes `pids` whose CPU seconds count."""

    federation: Federation
    pids: Sequence[int]
    arguments: argparse.Namespace

    def runs(self, connection: Connection, counts: Sequence[int]) -> Iterator[Mapping[str, Any]]:
        """Yield what each way takes for each number of keys."""
        for keys in counts:
            for way, most in WAYS.items():
                if way == "statement" and keys > MOST_IN_STATEMENT:
                    continue
                query = _query(connection, self.arguments.rows, keys, restricted=most is not None)
                with patch("evaluation.running.found_keys.MOST_SENT", most):
                    found = {"store": connection.store, "keys": keys, "way": way}
                    found |= self._figures(query, keys)
                _say(str(found))
                yield found

    def _figures(self, query: CompiledQuery, keys: int) -> Mapping[str, Any]:
        try:
            runs = [self._once(query, keys) for _ in range(self.arguments.repeats)]
        except QueryFailedError as error:
            return {"error": str(error)}
        return {name: median(each[name] for each in runs) for name in runs[0]}

    def _once(self, query: CompiledQuery, keys: int) -> Mapping[str, float]:
        before = cpu_s(self.pids)
        done = self.federation.run(query)
        spent = cpu_s(self.pids) - before
        met = range(0, self.arguments.rows, 2 * self.arguments.rows // keys)
        expected = (len(met), sum(each % 1000 for each in met), 7 * sum(met))
        if tuple(done.rows[0]) != expected:
            raise RuntimeError(f"{query.query}: {done.rows[0]} where {expected} was expected")
        moved = sum(each.rows for each in done.moved.values())
        return {"seconds": done.seconds, "cpu_s": spent, "rows_moved": moved}


def _query(connection: Connection, rows: int, keys: int, *, restricted: bool) -> CompiledQuery:
    """Return the join of the rows with keys, which are read from the sender."""
    step = 2 * rows // keys
    sql = f"SELECT i * {step} AS k FROM range({keys}) AS r(i)"
    mark = "`" if connection.kind == "mysql" else '"'
    name = BACKENDS[connection.kind].table_name(connection, "line")
    source = KeySource(view="f1", column="k", store=SENDER, sql=sql, many=True)
    key = KeyFilter(column="k", quoted=f"{mark}k{mark}", source=source)
    lines = _fragment("f0", connection.store, f"SELECT k, v, w FROM {name}", ("k", "v", "w"), rows)
    lines = replace(lines, keys=(key,) if restricted else (), read_rows=sys.maxsize)
    return CompiledQuery(
        query=f"{connection.store}, {keys} keys",
        fragments=(lines, _fragment("f1", SENDER, sql, ("k",), keys)),
        combine_sql="SELECT count(*) AS n, sum(v) AS v, sum(w) AS w FROM f0 JOIN f1 USING (k)",
    )


def _fragment(
    view: str, store: str, sql: str, columns: tuple[str, ...], rows: int
) -> CompiledFragment:
    return CompiledFragment(
        view=view,
        store=store,
        sql=sql,
        rows=sql,
        columns=columns,
        fragment=Fragment(
            coverage=Coverage(
                query="q",
                kind=Capability.SCAN,
                block="b0",
                sources=(f"b0.{view}",),
                tables=frozenset({view}),
            ),
            work=EstimatedWork(
                scan_bytes=0.0,
                column_bytes=0.0,
                join_rows=0.0,
                aggregate_rows=0.0,
                rows_out=float(rows),
                row_bytes_out=ROW_BYTES,
            ),
        ),
    )


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
