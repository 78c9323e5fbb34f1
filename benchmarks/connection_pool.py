"""Small queries with connections that are lent again and with a login for each read, in turn.

python -m benchmarks.connection_pool [--blocks N] [--executions N] [-o results.json]

Embedded servers take clear text first, then TLS alone. Each block runs both ways, in an order of
chance, so many executions each. The cases: `known`, a statement whose columns the run has asked
for before; `new`, one that it has not; `three`, three known fragments of one store that Spark
combines. Of an execution there are the median of its seconds, and the mean of the CPU seconds of
all processes: Python, Spark and the server.
"""

import argparse
import json
import os
import random
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from benchmarks.process_cpu import cpu_s
from benchmarks.provenance import provenance
from evaluation.embedded import EmbeddedRequest, running
from evaluation.federation.compiled import CompiledQuery
from evaluation.installation.jars import jars
from evaluation.installation.java import java_home
from evaluation.kinds import BACKENDS
from evaluation.running.execution import Federation
from evaluation.spark.session import session
from evaluation.store_protocol.connection import Connection
from tests.spark.runtime_queries import compiled
from tests.stores.encrypted_servers import encrypted_servers
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STORES = (
    EmbeddedRequest(store="pg", kind="postgresql"),
    EmbeddedRequest(store="maria", kind="mysql"),
    EmbeddedRequest(store="mysql8", kind="mysql", server="mysql8"),
)
WAYS = ("lent", "login")
_SEED = 24
_NUMBERS = count(1)


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--executions", type=int, default=15)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    load_before = os.getloadavg()[0]
    chance = random.Random(_SEED)
    found: dict[str, Any] = {}
    with ExitStack() as open_:
        names = sorted({jar for each in STORES for jar in BACKENDS[each.kind].jars})
        spark = open_.enter_context(
            session(
                master="local[2]",
                jars=jars(names, Silent()),
                java_home=java_home(Silent()),
                driver_memory="1g",
            )
        )
        for way, servers in (("clear", clear), ("tls", encrypted)):
            with servers() as connections:
                found[way] = {
                    store: measured(spark, connection, chance, options)
                    for store, connection in connections.items()
                }
            shown(way, found[way])
    result = {**provenance("benchmarks.connection_pool", load_before), "results": found}
    if options.output:
        options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


@contextmanager
def clear() -> Iterator[Mapping[str, Connection]]:
    """Run servers that are reached without TLS."""
    with tempfile.TemporaryDirectory() as folder, running(STORES, Path(folder), Silent()) as found:
        os.chmod(folder, 0o755)  # noqa: PTH101 - PostgreSQL has a user of its own
        yield found


@contextmanager
def encrypted() -> Iterator[Mapping[str, Connection]]:
    """Run servers that take TLS alone."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: PTH101 - PostgreSQL has a user of its own
        with encrypted_servers(Path(folder)) as found:
            yield {each.store: found.login(each.store, mode="require") for each in STORES}


def measured(
    spark: "SparkSession",
    connection: Connection,
    chance: random.Random,
    options: argparse.Namespace,
) -> Mapping[str, Any]:
    """Return the figures of a store, by case and way."""
    BACKENDS[connection.kind].prepare(connection)
    store = connection.store
    with ExitStack() as open_:
        ways = {"lent": open_.enter_context(Federation(spark, {store: connection}, timeout_s=60))}
        with patch("evaluation.running.jdbc_options.shared_by", return_value={}):
            apart = Federation(spark, {store: connection}, timeout_s=60)
        ways["login"] = open_.enter_context(apart)
        return {
            name: case(ways, partial_case, chance, options)
            for name, partial_case in cases(store).items()
        }


def cases(store: str) -> Mapping[str, Callable[[], CompiledQuery]]:
    """Return case → what makes the query of an execution."""
    known = compiled({store: "SELECT 1 AS n"})
    (one,) = known.fragments
    texts = [f"SELECT {number} AS n" for number in (11, 12, 13)]
    three = replace(
        known,
        fragments=tuple(
            replace(one, view=f"f{number}", sql=text, rows=text)
            for number, text in enumerate(texts)
        ),
        combine_sql="SELECT sum(n) AS n FROM (SELECT n FROM f0 UNION ALL SELECT n FROM f1 "
        "UNION ALL SELECT n FROM f2)",
    )
    return {
        "known": lambda: known,
        "new": lambda: compiled({store: f"SELECT {1000 + next(_NUMBERS)} AS n"}),
        "three": lambda: three,
    }


def case(
    ways: Mapping[str, Federation],
    query: Callable[[], CompiledQuery],
    chance: random.Random,
    options: argparse.Namespace,
) -> Mapping[str, Any]:
    """Return way → seconds and CPU seconds of an execution."""
    seconds: dict[str, list[float]] = defaultdict(list)
    cpu: dict[str, float] = defaultdict(float)
    for federation in ways.values():
        for _ in range(options.executions):
            federation.run(query())
    for _ in range(options.blocks):
        for way in chance.sample(WAYS, len(WAYS)):
            before = cpu_s([os.getpid()])
            for _ in range(options.executions):
                asked = query()
                started = perf_counter()
                ways[way].run(asked)
                seconds[way].append(perf_counter() - started)
            cpu[way] += cpu_s([os.getpid()]) - before
    executions = options.blocks * options.executions
    return {
        way: {
            "median_s": round(statistics.median(seconds[way]), 5),
            "quartiles_s": [round(each, 5) for each in statistics.quantiles(seconds[way], n=4)],
            "cpu_s": round(cpu[way] / executions, 5),
            "executions": executions,
        }
        for way in WAYS
    }


def shown(servers: str, found: Mapping[str, Any]) -> None:
    """Print the figures of one kind of servers."""
    for store, of_cases in found.items():
        for name, of_ways in of_cases.items():
            lent, login = (of_ways[way] for way in WAYS)
            print(
                f"{servers:6} {store:7} {name:6}"
                f" {1000 * login['median_s']:7.1f} -> {1000 * lent['median_s']:6.1f} ms,"
                f" CPU {1000 * login['cpu_s']:6.1f} -> {1000 * lent['cpu_s']:6.1f} ms"
            )


if __name__ == "__main__":
    main()
