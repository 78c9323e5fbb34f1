"""Run queries with and without what spares Spark work, in turn, and compare their seconds.

python -m benchmarks.spark_settings [--scale-factor SF] [--placements NAME …] [--queries N …]
    [--ways NAME …] [--rounds N] [-o results.json]

The ways: `once`, as the advisor runs small queries; `sorted`, the same without hashing what is not
broadcast; `adaptive`, with adaptive execution, as Spark does by itself; `interpreted`, once and
without generated code; `packed`, with what is kept for a query in Spark's compressed columns;
`lists`, with all keys in lists instead of ranges; `apart`, with every fragment read for itself.
Every query is run once, so that the stores have its tables at hand; then every round runs each
way once, in an order of chance. Of the first round, `first_s`, code has to be generated; the
medians are of the others.
"""

import argparse
import json
import math
import os
import random
import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from advisor.analysis.analyze import analyze
from advisor.problem.problem import placement_problem
from advisor.problem.rates import rates_of
from advisor.project.config import load_project
from benchmarks.every_query import PROJECT, plans_of, stores
from benchmarks.provenance import provenance
from evaluation.engines import ENGINES
from evaluation.evaluate import open_session
from evaluation.judging.oracle import Oracle
from evaluation.load import load
from evaluation.running.executed import Execution
from evaluation.running.job import Job
from workloads.cache import cache_folder
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERIES = (3, 6, 12, 21, 49, 50, 66, 76, 89, 90, 93, 99)
SETTINGS = {
    "interpreted": {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    },
    "packed": {"spark.sql.inMemoryColumnarStorage.compressed": "true"},
}
"""Way → what Spark is set to."""
PATCHES = {
    "sorted": ("evaluation.spark.joins.HASHED_BYTES", -1),
    "adaptive": ("evaluation.spark.planned_once.MOST_BYTES", -1),
    "lists": ("evaluation.federation.sent_keys.MOST_RANGES", 0),
    "apart": ("evaluation.federation.compile.shared_reads", tuple),
}
"""Way → what of ours is something else."""
WAYS = ("once", *PATCHES, *SETTINGS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale-factor", type=float, default=1.0)
    parser.add_argument("--placements", nargs="+", default=["paper_1", "paper_2"])
    parser.add_argument("--queries", nargs="+", type=int, default=list(QUERIES))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=None)
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    results = list(measured(arguments))
    answer: dict[str, Any] = {
        **provenance("benchmarks.spark_settings", before),
        "scale_factor": arguments.scale_factor,
        "rounds": arguments.rounds,
        "results": results,
    }
    if arguments.output is not None:
        arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(markdown(answer))


def measured(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a result for each placement and query."""
    catalog = {"source": "tpcds", "scale_factor": arguments.scale_factor}
    workload = {"source": "tpcds", "queries": arguments.queries}
    project = load_project(PROJECT, {"workload": workload, "catalog": catalog})
    analysis = analyze(project, Silent())
    problem = placement_problem(project, analysis, rates_of(project, calibrated=False))
    plans = [plan for name in arguments.placements for plan in plans_of(name, problem, 0, 1)]
    draw = random.Random(arguments.seed)
    folder = cache_folder() / "benchmarks" / f"every_query_sf{arguments.scale_factor:g}"
    with ExitStack() as stack:
        connections = stack.enter_context(stores(folder, Silent()))
        job = Job(
            workload=analysis.workload,
            catalog=analysis.catalog,
            connections=connections,
            query_timeout_s=120.0,
            scale_factor=arguments.scale_factor,
            combine="spark",
        )
        load(job.catalog, plans, connections, Silent())
        oracle = Oracle(job.catalog, job.workload.dialect)
        stack.callback(oracle.close)
        spark = stack.enter_context(open_session(job, Silent()))
        engine = stack.enter_context(ENGINES["fragments"](spark, job, oracle))
        for plan in plans:
            for query in plan.routing:
                runs = {}
                for way in arguments.ways:
                    with as_way(spark, way):
                        runs[way] = engine.prepare(query, plan).run
                next(iter(runs.values()))()
                result = {"placement": plan.strategy, "query": query}
                result |= in_turn(spark, runs, arguments.rounds, draw)
                print(line(result), flush=True)
                yield result


def in_turn(
    spark: "SparkSession",
    runs: Mapping[str, Callable[[], Execution]],
    rounds: int,
    draw: random.Random,
) -> dict[str, Any]:
    """Return the seconds of each way in the first round, and in all others."""
    order = list(runs)
    first, seconds = {}, {way: list[float]() for way in order}
    for number in range(rounds + 1):
        draw.shuffle(order)
        for way in order:
            with as_way(spark, way):
                took_s = runs[way]().seconds
            if number:
                seconds[way].append(took_s)
            else:
                first[way] = took_s
    return {"first_s": first, "seconds": seconds}


@contextmanager
def as_way(spark: "SparkSession", way: str) -> Iterator[None]:
    """Let the session run one way for the length of the block."""
    with ExitStack() as left:
        if way in PATCHES:
            left.enter_context(patch(*PATCHES[way]))
        for key, value in SETTINGS.get(way, {}).items():
            left.callback(spark.conf.set, key, str(spark.conf.get(key)))
            spark.conf.set(key, value)
        yield


def line(result: dict[str, Any]) -> str:
    """A row: medians of the rounds, and the first run's seconds."""
    found = [f"{statistics.median(each):.2f}" for each in result["seconds"].values()]
    first = [f"{result['first_s'][way]:.2f}" for way in result["seconds"]]
    cells = (result["placement"], result["query"], *found, *first)
    return "| " + " | ".join(cells) + " |"


def markdown(answer: dict[str, Any]) -> str:
    """A row a query, and the geometric mean of each way's seconds over those of the first."""
    base, *others = answer["results"][0]["seconds"]
    ways = [base, *others, *(f"{way}, first" for way in (base, *others))]
    lines = [f"| placement | query | {' | '.join(ways)} |", "|---|---|" + "---:|" * len(ways)]
    lines += [line(each) for each in answer["results"]]
    lines.append("")
    for way in others:
        ratios = [
            statistics.median(each["seconds"][way]) / statistics.median(each["seconds"][base])
            for each in answer["results"]
        ]
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        lines.append(f"{way} / {base}: {mean:.2f} in the geometric mean.")
    before, after = answer["machine"]["load_average"]
    lines.append(f"Load average {before:.1f} before, {after:.1f} after.")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
