"""Small queries with connections that are lent again and with a login for each read, in turn.

python -m benchmarks.connection_pool [--blocks N] [--executions N] [-o FILE]

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
from benchmarks.tables.connection_pool import readings
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=10, help="of each case")
    parser.add_argument("--executions", type=int, default=15, help="of each way in a block")
    default = Path(__file__).parent / "results" / "connection_pool.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    options = parser.parse_args()
    load_before = os.getloadavg()[0]
    names = sorted({jar for each in STORES for jar in BACKENDS[each.kind].jars})
    java = java_home(Silent())
    with session(master="local[2]", jars=jars(names, Silent()), java_home=java) as spark:
        runs = list(measured(spark, random.Random(_SEED), options))
    found = {"blocks": options.blocks, "executions": options.executions, "runs": runs}
    answer = {**provenance("benchmarks.connection_pool", load_before), **found}
    options.output.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    print(readings(answer))


def measured(
    spark: "SparkSession", chance: random.Random, options: argparse.Namespace
) -> Iterator[Mapping[str, Any]]:
    """Yield the figures of each kind of servers, store, case and way."""
    is_cold = True
    for servers in (clear, encrypted):
        with servers() as connections:
            for connection in connections.values():
                BACKENDS[connection.kind].prepare(connection)
                if is_cold:
                    # Java compiles what is run often: no case is to be the one that pays for it.
                    list(of_store(spark, connection, chance, options))
                    is_cold = False
                for each in of_store(spark, connection, chance, options):
                    print(each, flush=True)
                    yield {"tls": servers is encrypted, "store": connection.store, **each}


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


def of_store(
    spark: "SparkSession",
    connection: Connection,
    chance: random.Random,
    options: argparse.Namespace,
) -> Iterator[Mapping[str, Any]]:
    """Yield the figures of a store by case and way."""
    store = connection.store
    with ExitStack() as open_:
        ways = {"lent": open_.enter_context(Federation(spark, {store: connection}, timeout_s=60))}
        with patch("evaluation.running.jdbc_options.shared_by", return_value={}):
            apart = Federation(spark, {store: connection}, timeout_s=60)
        ways["login"] = open_.enter_context(apart)
        for name, query in cases(store).items():
            for figures in of_case(ways, query, chance, options):
                yield {"case": name, **figures}


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


def of_case(
    ways: Mapping[str, Federation],
    query: Callable[[], CompiledQuery],
    chance: random.Random,
    options: argparse.Namespace,
) -> Iterator[Mapping[str, Any]]:
    """Yield the seconds and CPU seconds of an execution by each way."""
    seconds: dict[str, list[float]] = defaultdict(list)
    cpu: dict[str, float] = defaultdict(float)
    for federation in ways.values():
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
    for way in WAYS:
        yield {
            "way": way,
            "seconds": statistics.median(seconds[way]),
            "quartiles_s": statistics.quantiles(seconds[way], n=4),
            "cpu_s": cpu[way] / len(seconds[way]),
        }


if __name__ == "__main__":
    main()
