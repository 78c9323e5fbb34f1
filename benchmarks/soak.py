"""Answer many queries in one session, and watch what it takes from the machine.

python -m benchmarks.soak [--queries N] [--every N] [--scale-factor SF] [--placements N]
    [--seed S] [-o results.json] [--plot plot.png]

The 99 queries of TPC-DS on random placements over embedded stores of all five kinds, in a seeded
random order, until there were N; every answer is compared with DuckDB's. After every so many
queries both processes collect their garbage, and then their memory, threads, handles, temporary
files and the connections of the servers are counted. With `--plot` these are drawn over the number
of queries.
"""

import argparse
import gc
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from advisor.analysis.analyze import analyze
from advisor.measuring.connections import requested
from advisor.measuring.measure import job_of
from advisor.pipeline import prepare
from advisor.project.config import load_project
from benchmarks.provenance import provenance
from benchmarks.random_plans import random_plan
from evaluation.embedded import running
from evaluation.engines import ENGINES
from evaluation.evaluate import open_session
from evaluation.judging.oracle import Oracle
from evaluation.judging.verdict import verdict
from evaluation.load import load
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql import sessions as mysql_sessions
from evaluation.stores.postgresql import sessions as postgresql_sessions
from workloads.progress import Silent

PROJECT = Path(__file__).parents[1] / "conf" / "demo.toml"
MEBI = 1 << 20
DRAWN = {
    "memory, MiB": ("python_mib", "java_heap_mib", "java_mib"),
    "threads": ("python_threads", "java_threads"),
    "handles": ("python_handles", "java_handles"),
    "connections": ("pg_connections", "maria_connections"),
    "temporary files": ("temporary_files",),
    "seconds of the queries since the last count": ("seconds",),
}
"""Panel → its figures."""


def main() -> None:
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    outcomes: Counter[str] = Counter()
    counts = list(_soaked(arguments, outcomes))
    result = {
        **provenance("benchmarks.soak", load_before),
        "seed": arguments.seed,
        "scale_factor": arguments.scale_factor,
        "placements": arguments.placements,
        "outcomes": dict(outcomes),
        "counts": counts,
    }
    arguments.output.write_text(json.dumps(result, indent=1), encoding="utf-8")
    if arguments.plot is not None:
        _drawn(counts).savefig(arguments.plot, dpi=110, metadata={"Date": None})
    print(f"{sum(outcomes.values())} queries: {dict(outcomes)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=2_000)
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--scale-factor", type=float, default=0.01)
    parser.add_argument("--placements", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", type=Path, default=None)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(__file__).parent / "results/soak.json"
    )
    return parser.parse_args()


def _soaked(arguments: argparse.Namespace, outcomes: Counter[str]) -> Iterator[Mapping[str, float]]:
    project = load_project(
        PROJECT,
        {
            "catalog": {"scale_factor": arguments.scale_factor},
            "workload": {"queries": "all"},
        },
        ("duck", "mem"),
    )
    analysis = analyze(project, Silent())
    problem = prepare(project, analysis).problem
    seeds = range(arguments.seed, arguments.seed + arguments.placements)
    plans = [random_plan(problem, seed, routed_at_random=False) for seed in seeds]
    order = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        # Servers run as another user.
        Path(folder).chmod(0o755)
        with running(requested(project), Path(folder), Silent()) as found:
            job = job_of(project, analysis, found)
            load(job.catalog, plans, found, Silent())
            oracle = Oracle(job.catalog, job.workload.dialect)
            with (
                open_session(job, Silent()) as spark,
                ENGINES[job.engine](spark, job, oracle) as engine,
            ):
                asked = [(plan, query) for plan in plans for query in job.workload.queries]
                done, began = 0, time.perf_counter()
                while done < arguments.queries:
                    order.shuffle(asked)
                    for plan, query in asked[: arguments.queries - done]:
                        try:
                            given = engine.prepare(query.name, plan).run().answer
                            outcome = str(verdict(oracle, query, given, engine.types).outcome)
                        except QueryFailedError:
                            outcome = "failed"
                        outcomes[outcome] += 1
                        done += 1
                        if done % arguments.every == 0:
                            seconds = time.perf_counter() - began
                            counted = {
                                "queries": done,
                                "seconds": seconds,
                                **_counted(spark, found),
                            }
                            print(counted, file=sys.stderr, flush=True)
                            yield counted
                            began = time.perf_counter()
            oracle.close()


def _counted(spark: Any, found: Mapping[str, Connection]) -> dict[str, float]:  # noqa: ANN401
    gc.collect()
    java: Any = spark.sparkContext._jvm.java
    java.lang.System.gc()
    runtime = java.lang.Runtime.getRuntime()
    process = java.lang.ProcessHandle.current().pid()
    temporary = Path(java.lang.System.getProperty("java.io.tmpdir"))
    with postgresql_sessions.session_with(found["pg"], "counting") as session:
        pg = session.execute(b"SELECT count(*) FROM pg_stat_activity").fetchone()[0]
    with mysql_sessions.session(found["maria"], "counting") as execute:
        maria = execute("SELECT count(*) FROM information_schema.processlist")[0][0]
    return {
        "python_mib": _resident(os.getpid()),
        "java_mib": _resident(process),
        "java_heap_mib": (runtime.totalMemory() - runtime.freeMemory()) / MEBI,
        "python_threads": _entries(os.getpid(), "task"),
        "java_threads": _entries(process, "task"),
        "python_handles": _entries(os.getpid(), "fd"),
        "java_handles": _entries(process, "fd"),
        "pg_connections": pg,
        "maria_connections": maria,
        "temporary_files": sum(1 for _ in temporary.rglob("*")),
    }


def _resident(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MEBI


def _entries(process: int, what: str) -> int:
    return len(list(Path(f"/proc/{process}/{what}").iterdir()))


def _drawn(counts: list[Mapping[str, float]]) -> Figure:
    figure = Figure(figsize=(9, 7), layout="constrained")
    for axes, (title, names) in zip(figure.subplots(3, 2).flat, DRAWN.items(), strict=True):
        for name in names:
            axes.plot(
                [each["queries"] for each in counts],
                [each[name] for each in counts],
                label=name.removesuffix("_mib").replace("_", " "),
            )
        axes.set_title(title, fontsize=10)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("queries", fontsize=8)
        axes.tick_params(labelsize=8)
        if len(names) > 1:
            axes.legend(fontsize=8)
    return figure


if __name__ == "__main__":
    main()
