"""Compare predicted with measured CPU seconds of selective queries over indexed tables.

python -m benchmarks.index_cpu [--rows N] [--scale-factor SF] [--repeats N] [-o results.json]

As `benchmarks.index_prices`, but for a busy machine: the CPU time of the stores' own threads stands
in for seconds, and no Spark takes part. What each store is sent for the calibration's probes is run
in one session, and rates are fitted to it as `calibrate` fits them. By these the twenty queries of
the shop are predicted, each as a whole in each store. Beside it stands a model that ignores
indexes, fitted to the same CPU seconds. An error is of the work and the start of a statement
together, by the default seconds of a start, as these are what a user waits for; `work` are errors
of the work alone, of queries of which that takes at least 5 ms.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from advisor.analysis.analyze import analyzed
from advisor.analysis.load_catalog import FoundCatalog, read_catalog
from advisor.analysis.load_workload import read_workload
from advisor.measuring.calibrate import calibrating
from advisor.measuring.connections import connections
from advisor.measuring.measure import job_of
from advisor.problem.problem import placement_problem
from advisor.problem.rates import rates_of
from advisor.project.project import Project
from advisor.report.progress import PlainProgress
from benchmarks.index_shop import shop_catalog, shop_project
from benchmarks.provenance import provenance
from evaluation import embedded
from evaluation.calibration.observation import Observation
from evaluation.calibration.probes import PROBES, calibration_workload, with_indexes
from evaluation.calibration.rates import FittedRates, fitted_rates, with_rates
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.load import load
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.servers import reading_settings
from evaluation.stores.mysql.sessions import session
from evaluation.stores.postgresql.sessions import session_with
from placement.fragment import Fragment
from placement.fragment_work import FragmentWork, work
from placement.stores import Strength
from placement.strategies import candidates
from workloads.progress import Progress
from workloads.workload import Workload

START_CPU_S = 0.0005
"""CPU seconds of a statement that does next to nothing, before any is measured."""
LEAST_WORK_S = 0.005
_NANOSECONDS = 1e9
_SETTINGS = (
    "SET enable_nestloop = off",
    "SET max_parallel_workers_per_gather = 0",
    "SET timezone = 'UTC'",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A query that a store answered whole: its fragment, and CPU seconds, one figure a round."""

    store: str
    query: str
    fragment: Fragment
    sources: int
    cpu_s: tuple[float, ...]

    def asked(self, strength: Strength) -> FragmentWork:
        """Return its work in a store of this strength; nothing is handed to an engine."""
        return replace(work(self.fragment, strength, self.sources), delivered_rows=0.0)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--scale-factor", type=float, default=0.1)
    parser.add_argument("--repeats", type=int, default=5)
    default = Path(__file__).parent / "results" / "index_cpu.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    arguments = parser.parse_args()
    load_before = os.getloadavg()[0]
    with PlainProgress(sys.stderr) as progress, TemporaryDirectory() as folder:
        project = shop_project(Path(folder), rows=arguments.rows, repeats=arguments.repeats)
        try:
            found = _compared(project, arguments, progress)
        finally:
            shutil.rmtree(project.folder, ignore_errors=True)
    sizes = {name: getattr(arguments, name) for name in ("rows", "scale_factor", "repeats")}
    answer = {**provenance("benchmarks.index_cpu", load_before), **sizes, **found}
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(table(answer))


def _compared(
    project: Project, arguments: argparse.Namespace, progress: Progress
) -> dict[str, Any]:
    asked = calibrating(project, scale_factor=arguments.scale_factor, repeats=1)
    tpch = read_catalog(asked, progress)
    tpch = replace(tpch, catalog=with_indexes(tpch.catalog))
    every = calibration_workload()
    probes = replace(every, queries=tuple(each for each in every.queries if each.name in PROBES))
    shop = shop_catalog(project, progress)
    known = _runs(asked, probes, tpch, arguments.repeats, progress)
    runs = _runs(project, read_workload(project, progress), shop, arguments.repeats, progress)
    strengths = {
        name: replace(each, start_s=START_CPU_S)
        for name, each in rates_of(project, calibrated=False).strengths.items()
    }
    starts = {
        name: each.start_s for name, each in rates_of(project, calibrated=False).strengths.items()
    }
    scanning = {name: replace(each, index_rows_per_s=None) for name, each in strengths.items()}
    fits = [_fitted(project, known, each) for each in (strengths, scanning)]
    rows = [
        {
            "store": each.store,
            "query": each.query,
            "cpu_s": statistics.median(each.cpu_s),
            "least_cpu_s": min(each.cpu_s),
            "most_cpu_s": max(each.cpu_s),
            "predicted_s": _predicted_s(each, strengths, fits[0]),
            "predicted_without_indexes_s": _predicted_s(each, scanning, fits[1]),
            "start_s": starts[each.store],
        }
        for each in runs
    ]
    return {
        "queries": rows,
        "errors": _errors(rows),
        "rates": {
            store: {name: each.value for name, each in rates.items()}
            for store, rates in fits[0].rates.items()
            if store
        },
    }


def _runs(
    project: Project, workload: Workload, found: FoundCatalog, repeats: int, progress: Progress
) -> list[Run]:
    """Load each store alone, run what it is sent for the whole queries, and count CPU seconds."""
    analysis = analyzed(project, workload, found, progress, generate_s=0.0)
    problem = placement_problem(project, analysis, rates_of(project, calibrated=False))
    plans = candidates(problem, ("single_store",))
    runs = []
    with connections(project, progress) as stores:
        load(analysis.catalog, plans, stores, progress)
        job = job_of(project, analysis, stores, problem)
        compiler = Compiler(job.workload, job.catalog, dialects(job))
        pids = {each.store: each.pid for each in embedded.status(project.folder)}
        for plan in plans:
            ((name, connection),) = (
                (name, each) for name, each in stores.items() if plan.strategy.endswith(f":{name}")
            )
            with (
                _session(connection, pids[name]) as (execute, cpu_s),
                progress.task(f"Running queries in {name}", len(plan.routing)) as task,
            ):
                for query, (routed,) in plan.routing.items():
                    (fragment,) = compiler.compile(query, (routed,)).fragments
                    runs.append(
                        Run(
                            store=name,
                            query=query,
                            fragment=routed.fragment,
                            sources=len(problem.query(query).sources),
                            cpu_s=tuple(_timed(execute, cpu_s, fragment.sql, repeats)),
                        )
                    )
                    task.advance()
    return runs


def _timed(
    execute: Callable[[str], object], cpu_s: Callable[[], float], sql: str, repeats: int
) -> Iterator[float]:
    execute(sql)
    for _ in range(repeats):
        before = cpu_s()
        execute(sql)
        yield cpu_s() - before


@contextmanager
def _session(
    connection: Connection, server: int | None
) -> Iterator[tuple[Callable[[str], object], Callable[[], float]]]:
    """Open a session as sessions that read are; yield what runs SQL, and counts its CPU seconds."""
    if connection.kind == "postgresql":
        with session_with(connection, "a query failed") as asked:
            for each in _SETTINGS:
                asked.execute(each.encode())
            pid = asked.info.backend_pid
            yield (lambda sql: asked.execute(sql.encode()).fetchall()), lambda: _cpu_s(pid)
        return
    assert server is not None
    with session(connection, "a query failed") as run:
        run(reading_settings(600.0))
        yield run, lambda: _cpu_s(server)


def _cpu_s(pid: int) -> float:
    """Return the CPU seconds of all threads of a process, as the scheduler counts them."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in tasks) / _NANOSECONDS


def _fitted(
    project: Project, runs: Sequence[Run], strengths: Mapping[str, Strength]
) -> FittedRates:
    seen = [
        Observation(
            candidate=each.store,
            query=each.query,
            work=((each.store, each.asked(strengths[each.store])),),
            seconds=statistics.median(each.cpu_s),
        )
        for each in runs
    ]
    engine = rates_of(project, calibrated=False).engine
    return fitted_rates(seen, strengths, engine, fetch_size=10_000, seed=0)


def _predicted_s(run: Run, strengths: Mapping[str, Strength], fit: FittedRates) -> float:
    rates = with_rates(strengths[run.store], fit.rates[run.store], "CPU", 1.0)
    asked = run.asked(rates)
    return (
        rates.start_s
        + asked.scan_s(rates)
        + asked.index_s(rates)
        + asked.join_rows / rates.join_rows_per_s
        + asked.aggregate_s(rates)
        + asked.rows_s(rates)
        + asked.bytes_out / rates.transfer_bytes_per_s
    )


def _errors(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the median errors: of all, of each store, of each kind of query."""
    groups: dict[str, list[Mapping[str, Any]]] = {"all": list(rows)}
    for name in ("store", "query"):
        for each in rows:
            groups.setdefault(each[name].partition("_")[0], []).append(each)
    return {
        name: {
            "queries": len(found),
            **{
                f"{of}{suffix}": _median(found, f"predicted{suffix}_s", alone=of == "work")
                for of in ("median", "work")
                for suffix in ("", "_without_indexes")
            },
        }
        for name, found in groups.items()
    }


def _median(rows: Sequence[Mapping[str, Any]], predicted: str, *, alone: bool) -> float | None:
    errors = []
    for each in rows:
        start_s = 0.0 if alone else each["start_s"]
        if not alone or max(each["cpu_s"], each[predicted]) >= LEAST_WORK_S:
            errors.append(abs(each[predicted] - each["cpu_s"]) / (start_s + each["cpu_s"]))
    return float(statistics.median(errors)) if errors else None


def table(answer: Mapping[str, Any]) -> str:
    """Return the errors as a table of Markdown."""
    lines = [
        "| of | queries | median error | indexes ignored | of work alone | indexes ignored |",
        "|---|---|---|---|---|---|",
    ]
    for name, each in answer["errors"].items():
        shown = (each[key] for key in list(each)[1:])
        cells = " | ".join("" if value is None else f"{value:.0%}" for value in shown)
        lines.append(f"| {name} | {each['queries']} | {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
