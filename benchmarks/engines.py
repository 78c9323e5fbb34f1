"""Run TPC-DS on the same placements with several engines, interleaved, and compare their times.

python -m benchmarks.engines [--scale-factor SF] [--placements NAME …] [--engines NAME …]
    [--queries N …] [--repeats N] [--timeout S] [--warm-up N] [--once] [--trino-url URL]
    [--alone] [-o results.json]

Engines: `fragments` (ours), `spark-native` (Spark's own pushdown), `trino`, and on the placement
`pg` also `psql`: the SQL of our fragment that is the whole query, in one session of libpq with the
same settings, connected before the clock starts. With `trino` and no `--trino-url` a Trino of our
own is fetched and run (see evaluation/engines/trino_server.py).

Before the first query every engine runs some that are drawn by the seed: no Java is measured
before it has compiled what all queries need. For each query in turn: one warm-up, then the
repeats; in each of these rounds every engine runs it once on every placement, in a seeded random
order. With `--once` there is one round and no warm-up, which takes what each engine makes anew of
every query into account. Every answer is compared with DuckDB's. An engine that fails, is late or
wrong once has no time for this query there, and both of a pair are compared over the queries that
both can. What was measured is written after each query; with `--resume` those that the output
file has are not run again.
"""

import argparse
import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from advisor.analysis.analysis import Analysis
from advisor.analysis.analyze import analyze
from advisor.pipeline import prepare
from advisor.project.config import load_project
from benchmarks.every_query import PROJECT, plans_of, stores, whole
from benchmarks.provenance import provenance
from benchmarks.psql_engine import open_psql
from benchmarks.series import Series, tell
from benchmarks.tables.engines import against, outcomes
from evaluation.engines import ENGINES
from evaluation.engines.engine import Engine
from evaluation.engines.trino_server import running_trino
from evaluation.evaluate import MEASURED_WITH, open_session
from evaluation.installation.artifacts import cache_folder
from evaluation.judging.oracle import Oracle
from evaluation.load import load
from evaluation.running.job import Job, TrinoConnection
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from workloads.progress import Silent
from workloads.workload import Query

PLACEMENTS = ("pg", "paper_1", "paper_2", "optimal")
NAMES = ("fragments", "spark-native", "trino", "psql")


def main() -> None:
    arguments = _arguments()
    project = load_project(
        PROJECT,
        {
            "workload": {"source": "tpcds", "queries": arguments.queries or "all"},
            "catalog": {"source": "tpcds", "scale_factor": arguments.scale_factor},
        },
    )
    analysis = analyze(project, Silent())
    problem = prepare(project, analysis).problem
    plans = {name: next(plans_of(name, problem, seed=0, count=1)) for name in arguments.placements}
    found = _earlier(arguments)
    folder = cache_folder() / "benchmarks" / f"every_query_sf{arguments.scale_factor:g}"
    load_before = os.getloadavg()[0]
    with stores(folder, Silent()) as connections:
        job = Job(
            workload=analysis.workload,
            catalog=analysis.catalog,
            connections=connections,
            query_timeout_s=arguments.timeout,
            scale_factor=arguments.scale_factor,
            repeats=arguments.repeats,
            driver_memory=arguments.driver_memory,
        )
        load(job.catalog, list(plans.values()), connections, Silent())
        done = {each["query"] for each in found}
        for records in measured(arguments, job, plans, whole(problem, "pg"), done):
            found += records
            for each in records:
                tell(each)
            _write(arguments, analysis, found, load_before)
    print(f"{outcomes(found)}\n\n{against(found)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale-factor", type=float, default=1.0)
    parser.add_argument("--placements", nargs="+", default=list(PLACEMENTS))
    parser.add_argument("--engines", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--queries", nargs="+", type=int, default=[], help="numbers [all 99]")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--once", action="store_true", help="every query once, as it comes")
    parser.add_argument("--alone", action="store_true", help="on pg only fragments and psql")
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--warm-up", type=int, default=4, help="queries before the first")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--driver-memory", default="3g")
    parser.add_argument("--trino-url", help="a running Trino with catalogs pg, maria and duck")
    parser.add_argument("--trino-user", default="advisor")
    parser.add_argument("--resume", action="store_true", help="keep what the output file has")
    parser.add_argument("-o", "--output", type=Path, default=None)
    arguments = parser.parse_args()
    if arguments.output is None:
        name = f"engines_sf{arguments.scale_factor:g}.json"
        arguments.output = Path(__file__).parent / "results" / name
    return arguments


def measured(
    arguments: argparse.Namespace,
    job: Job,
    plans: Mapping[str, PlacementPlan],
    alone: PlacementPlan,
    done: set[str],
) -> Iterator[list[dict[str, Any]]]:
    """Run every query that is not `done`; yield what came of one after the other."""
    order = random.Random(arguments.seed)
    with ExitStack() as stack:
        oracle = Oracle(job.catalog, job.workload.dialect)
        stack.callback(oracle.close)
        engines = dict(_engines(stack, arguments, job, alone, oracle))

        def prepared(query: Query) -> list[Series]:
            series = [
                Series(placement, name, query)
                for placement in plans
                for name in engines
                if _compares(name, placement, alone=arguments.alone)
            ]
            for each in series:
                each.prepare(engines[each.engine], plans[each.placement])
            return series

        queries = job.workload.queries
        for query in order.sample(queries, min(arguments.warm_up, len(queries))):
            for each in prepared(query):
                each.run_once(oracle, engines[each.engine].types, warm_up=True)
        for query in queries:
            if query.name in done:
                continue
            series = prepared(query)
            for warm_up in [False] if arguments.once else [True] + [False] * job.repeats:
                order.shuffle(series)
                for each in series:
                    each.run_once(oracle, engines[each.engine].types, warm_up=warm_up)
            series.sort(key=lambda each: (each.placement, each.engine))
            yield [each.record() for each in series]


def _compares(engine: str, placement: str, *, alone: bool) -> bool:
    if placement != "pg":
        return engine != "psql"
    return not alone or engine in ("fragments", "psql")


def _engines(
    stack: ExitStack,
    arguments: argparse.Namespace,
    job: Job,
    alone: PlacementPlan,
    oracle: Oracle,
) -> Iterator[tuple[str, Engine]]:
    trino = _trino(stack, arguments, job.connections)
    spark = stack.enter_context(open_session(job, Silent()))
    for name in arguments.engines:
        if name == "psql":
            yield name, stack.enter_context(open_psql(job, "pg", alone))
        else:
            yield name, stack.enter_context(ENGINES[name](spark, replace(job, trino=trino), oracle))


def _trino(
    stack: ExitStack, arguments: argparse.Namespace, connections: Mapping[str, Connection]
) -> TrinoConnection | None:
    if "trino" not in arguments.engines:
        return None
    url = arguments.trino_url
    if url is None:
        url = stack.enter_context(running_trino(connections, Silent())).url
    return TrinoConnection(url=url, user=arguments.trino_user)


def _earlier(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    if not arguments.resume or not arguments.output.is_file():
        return []
    answer = json.loads(arguments.output.read_text(encoding="utf-8"))
    return list(answer["results"])


def _write(
    arguments: argparse.Namespace,
    analysis: Analysis,
    results: Sequence[Mapping[str, Any]],
    load_before: float,
) -> None:
    answer = {
        **provenance("benchmarks.engines", load_before),
        "scale_factor": arguments.scale_factor,
        "repeats": 1 if arguments.once else arguments.repeats,
        "warmed_up": not arguments.once,
        "seed": arguments.seed,
        "timeout_s": arguments.timeout,
        "warm_up_queries": arguments.warm_up,
        "queries": len(analysis.workload.queries),
        "versions": {name: version(name) for name in MEASURED_WITH},
        "results": list(results),
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    fresh = arguments.output.with_suffix(".unfinished")
    fresh.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    fresh.replace(arguments.output)


if __name__ == "__main__":
    main()
