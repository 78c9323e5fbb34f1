"""Run all 99 TPC-DS queries on placements good and bad, and compare every answer with DuckDB's.

python -m benchmarks.every_query [--scale-factor SF] [--placements NAME …] [--queries NAME …]
    [--random N] [--seed N] [--timeout S] [-o results.json]

Placements: `pg`, `maria` and `duck` alone, `mysql8` (Oracle's MySQL, which is a fourth store
wherever a placement names it), `paper_1`, `paper_2`, `optimal`, `random` (the cheapest
routing) and `any_routing` (a random exact cover by feasible fragments), and `whole:STORE`: every
query that the store can run, as one fragment, whatever it costs. Each query runs once a
placement. The stores' data are kept in the advisor's cache, so that a second run loads nothing.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.analysis.analysis import Analysis
from advisor.analysis.analyze import analyze
from advisor.measuring.connections import requested
from advisor.pipeline import prepare
from advisor.project.config import load_project
from benchmarks.provenance import provenance
from benchmarks.random_plans import random_plan
from benchmarks.tables.every_query import by_placement
from evaluation.embedded import EmbeddedRequest, running
from evaluation.engines.fragments import dialects
from evaluation.evaluate import open_session
from evaluation.federation.compile import Compiler
from evaluation.installation.artifacts import cache_folder
from evaluation.judging.oracle import Oracle
from evaluation.judging.verdict import verdict
from evaluation.load import load
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan, RoutedFragment
from placement.pricing import able
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for
from placement.stores import Capability
from placement.strategies import candidates
from workloads.errors import AdvisorError
from workloads.progress import Progress, Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PLACEMENTS = ("pg", "maria", "duck", "paper_1", "paper_2", "optimal", "random", "any_routing")
MYSQL8 = {"mysql8": {"kind": "mysql", "embedded": True, "server": "mysql8"}}
PROJECT = Path(__file__).parents[1] / "conf" / "duckdb.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The outcome of one query on one placement; every outcome has its `seconds`.

    `second_try` is the error after which DuckDB answered it over whole tables, rightly or not, or
    Spark instead of its store's own driver; "" where they did not. A second try that fails is told
    in the `message`.
    """

    placement: str
    query: str
    outcome: QueryOutcome
    seconds: float
    rows_moved: int
    fragments: tuple[str, ...]
    predicted_s: float
    message: str = ""
    second_try: str = ""

    def record(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


def main() -> None:
    arguments = _arguments()
    project = load_project(
        PROJECT,
        {
            "workload": {"source": "tpcds", "queries": arguments.queries or "all"},
            "catalog": {"source": "tpcds", "scale_factor": arguments.scale_factor},
            "stores": MYSQL8 if any("mysql8" in name for name in arguments.placements) else {},
        },
    )
    analysis = analyze(project, Silent())
    problem = prepare(project, analysis).problem
    plans = [
        plan
        for name in arguments.placements
        for plan in plans_of(name, problem, arguments.seed, arguments.random)
    ]
    folder = cache_folder() / "benchmarks" / f"every_query_sf{arguments.scale_factor:g}"
    results: list[Result] = []
    load_before = os.getloadavg()[0]
    with running(requested(project), folder, Silent()) as connections:
        job = Job(
            workload=analysis.workload,
            catalog=analysis.catalog,
            connections=connections,
            query_timeout_s=arguments.timeout,
            scale_factor=arguments.scale_factor,
        )
        for result in run(job, plans):
            results.append(result)
            _tell(result)
            if arguments.output is not None:
                _write(arguments, analysis, results, load_before)
    print(by_placement([each.record() for each in results]))
    sys.exit(any(each.outcome is not QueryOutcome.VERIFIED for each in results))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale-factor", type=float, default=0.01)
    parser.add_argument("--placements", nargs="+", default=list(PLACEMENTS))
    parser.add_argument("--queries", nargs="+", type=int, default=[])
    parser.add_argument("--random", type=int, default=3, help="placements of each random sort")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("-o", "--output", type=Path, default=None)
    return parser.parse_args()


def plans_of(
    name: str, problem: PlacementProblem, seed: int, count: int
) -> Iterator[PlacementPlan]:
    """Yield the plans that `name` stands for."""
    if name in ("random", "any_routing"):
        for each in range(seed, seed + count):
            yield random_plan(problem, each, routed_at_random=name == "any_routing")
    elif name.startswith("whole:"):
        yield whole(problem, name.removeprefix("whole:"))
    elif name in {store.name for store in problem.stores}:
        # A capacity is no part of the question whether the answers are right.
        yield plan_for(problem, name, dict.fromkeys(problem.table_bytes, (name,)))
    else:
        yield from candidates(problem, [name.replace("paper_", "paper_partition_")])


def whole(problem: PlacementProblem, store: str) -> PlacementPlan:
    """Everything in one store, and what it can run as one fragment so run, whatever it costs."""
    alone = plan_for(problem, f"whole:{store}", dict.fromkeys(problem.table_bytes, (store,)))
    routing = dict(alone.routing)
    for query in problem.queries:
        for fragment in query.fragments:
            if fragment.kind is Capability.QUERY and able(problem.store(store), fragment):
                one = RoutedFragment(fragment=fragment, store=store, predicted_s=0.0)
                routing[query.name] = (one,)
    return replace(alone, routing=routing)


@contextmanager
def stores(folder: Path, progress: Progress) -> Iterator[Mapping[str, Connection]]:
    """Run the three embedded stores for the length of the block; their data stay in `folder`."""
    requests = (
        EmbeddedRequest(store="pg", kind="postgresql"),
        EmbeddedRequest(store="maria", kind="mysql"),
        EmbeddedRequest(store="duck", kind="duckdb"),
    )
    with running(requests, folder, progress) as found:
        yield found


def run(
    job: Job, plans: Sequence[PlacementPlan], spark: "SparkSession | None" = None
) -> Iterator[Result]:
    """Load `plans`, run every query once on each, and yield what came of it."""
    with ExitStack() as stack:
        load(job.catalog, plans, job.connections, Silent())
        session = spark or stack.enter_context(open_session(job, Silent()))
        oracle = Oracle(job.catalog, job.workload.dialect)
        stack.callback(oracle.close)
        federation = stack.enter_context(
            Federation(session, job.connections, timeout_s=job.query_timeout_s, combine=job.combine)
        )
        compiler = Compiler(job.workload, job.catalog, dialects(job))
        for plan in plans:
            for name in plan.routing:
                yield _result(
                    job, plan, name, compiler=compiler, federation=federation, oracle=oracle
                )


def _result(
    job: Job,
    plan: PlacementPlan,
    name: str,
    *,
    compiler: Compiler,
    federation: Federation,
    oracle: Oracle,
) -> Result:
    started = time.perf_counter()
    outcome, message, moved, second_try = QueryOutcome.VERIFIED, "", 0, ""
    try:
        execution = federation.run(compiler.compile(name, plan.routing[name]))
        seconds = time.perf_counter() - started
        second_try = execution.second_try or execution.by_spark
        moved = sum(each.rows for each in execution.moved.values())
        found = verdict(oracle, job.workload.query(name), execution.answer)
        outcome, message = found.outcome, found.message
    except QueryFailedError as error:
        seconds = time.perf_counter() - started
        outcome = QueryOutcome.TIMEOUT if error.timeout else QueryOutcome.FAILED
        message = str(error)
    except AdvisorError as error:
        seconds = time.perf_counter() - started
        outcome, message = QueryOutcome.FAILED, str(error)
    return Result(
        placement=plan.strategy,
        query=name,
        outcome=outcome,
        seconds=round(seconds, 3),
        rows_moved=moved,
        fragments=tuple(f"{one.fragment.name} in {one.store}" for one in plan.routing[name]),
        predicted_s=round(plan.query_s(name), 3),
        message=message,
        second_try=second_try,
    )


def _tell(result: Result) -> None:
    if result.outcome is not QueryOutcome.VERIFIED or result.second_try:
        tried = f"by a second try: {result.second_try}" if result.second_try else ""
        said = " ".join(filter(None, (result.message, tried)))
        print(
            f"{result.outcome} {result.placement} {result.query} after {result.seconds:.1f} s: "
            f"{said}\n    {', '.join(result.fragments)}",
            file=sys.stderr,
            flush=True,
        )


def _write(
    arguments: argparse.Namespace,
    analysis: Analysis,
    results: Sequence[Result],
    load_before: float,
) -> None:
    answer = {
        **provenance("benchmarks.every_query", load_before),
        "scale_factor": arguments.scale_factor,
        "seed": arguments.seed,
        "timeout_s": arguments.timeout,
        "queries": len(analysis.workload.queries),
        "results": [each.record() for each in results],
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
