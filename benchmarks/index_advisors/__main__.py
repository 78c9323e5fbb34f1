"""Compare the indexes that we choose for one PostgreSQL with those of other index advisors.

python -m benchmarks.index_advisors [--benchmark tpcds | tpch] [--scale-factor SF] [--queries NAMES]
    [--budget SHARE] [--nested-loops] [--repeats N] [--timeout S] [--binaries FOLDER]
    [-o results.json]

All tables of the benchmark lie in one PostgreSQL with their primary keys. Each query is
the one statement that we send it where it holds everything. Selections with the same budget: no
index, ours (`indexes = "advise"` with `max_index_bytes`), those of `baselines.py`, which ask the
server's own estimate through HypoPG, and of TPC-H published ones (`published.csv`). The budget is a
share of the tables' bytes, and sizes of indexes are estimated alike for all. Each selection is
made, and each query estimated (EXPLAIN) and executed with it, in turns. Sessions have the settings
of ours; with `--nested-loops` they may use nested loops, as PostgreSQL does if nobody tells it.
Parallel workers are off, so that a session's process has all CPU seconds. The data are removed at
the end. The server is a new one of BINARIES, which have HypoPG (on Debian: postgresql-15-hypopg),
with the settings of embedded ones. It needs an idle machine for its seconds.
"""

import argparse
import json
import os
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg

from advisor.analysis.analyze import analyze
from advisor.measuring.connections import connections
from advisor.measuring.measure import job_of
from advisor.pipeline import prepare
from advisor.problem.prepared import Prepared
from advisor.project.config import load_project
from advisor.project.project import Project
from advisor.report.progress import PlainProgress
from benchmarks.index_advisors.asked import asked
from benchmarks.index_advisors.baselines import (
    NONE,
    Indexes,
    Setting,
    db2advis,
    dexter,
    extend,
    within_budget,
)
from benchmarks.index_advisors.measured import Made, executed, made
from benchmarks.index_advisors.published import published
from benchmarks.index_advisors.server import server
from benchmarks.index_advisors.summary import summary
from benchmarks.index_advisors.what_if import Session, estimates, what_if
from benchmarks.logins import postgresql_login
from benchmarks.provenance import provenance
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.kinds import JDBC
from evaluation.load import load
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from placement.strategies import candidates
from placement.strategies.optimal import Optimal
from workloads.copied_indexes import index_bytes
from workloads.indexes import NamedIndex
from workloads.progress import Progress

STORE = "pg"
NO_TRIALS: Mapping[str, tuple[str, ...]] = defaultdict(tuple)
"""Query → tables of trial indexes, where there are none."""
BASELINES = {"extend": extend, "db2advis": db2advis, "dexter": dexter}


def main() -> None:
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    with (
        PlainProgress(sys.stderr) as progress,
        TemporaryDirectory() as folder,
        server(arguments.binaries) as store,
    ):
        project = _project(Path(folder), arguments, store)
        try:
            compared = _compared(project, arguments, progress)
        finally:
            shutil.rmtree(project.folder, ignore_errors=True)
    answer = {
        **provenance("benchmarks.index_advisors", load_before),
        "benchmark": arguments.benchmark,
        "scale_factor": arguments.scale_factor,
        "repeats": arguments.repeats,
        "timeout_s": arguments.timeout,
        "nested_loops": arguments.nested_loops,
        **compared,
    }
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(json.dumps(answer["summary"], indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--benchmark", choices=("tpcds", "tpch"), default="tpcds")
    parser.add_argument("--scale-factor", type=float, default=1.0)
    parser.add_argument("--queries", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--budget", type=float, default=0.25)
    parser.add_argument("--binaries", type=Path, default=Path("/usr/lib/postgresql/15/bin"))
    parser.add_argument("--nested-loops", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--timeout", type=float, default=120.0)
    default = Path(__file__).parents[1] / "results" / "index_advisors.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    return parser.parse_args()


def _project(
    folder: Path, arguments: argparse.Namespace, store: Mapping[str, str | int]
) -> Project:
    """Return the project of the benchmark with one PostgreSQL and a budget."""
    login = "".join(f"{name} = {json.dumps(value)}\n" for name, value in store.items())
    queries = "" if arguments.queries is None else f"queries = {arguments.queries}\n"
    file = folder / "index_advisors.toml"
    file.write_text(
        f'[workload]\nsource = "{arguments.benchmark}"\n{queries}'
        f'[catalog]\nsource = "{arguments.benchmark}"\nscale_factor = {arguments.scale_factor}\n'
        f"[stores.{STORE}]\n{login}"
        f'[place]\nindexes = "advise"\n'
        f'[constraints]\nmax_index_bytes = "{100 * arguments.budget:g}%"\n',
        encoding="utf-8",
    )
    return load_project(file)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Selection:
    """Indexes, and the seconds that choosing them took, where that was done here."""

    indexes: Indexes
    chosen_in_s: float | None = None


def _compared(
    project: Project, arguments: argparse.Namespace, progress: Progress
) -> dict[str, Any]:
    prepared = prepare(project, analyze(project, progress, needs_data=True))
    started = time.perf_counter()
    advised = frozenset(Optimal()(prepared.problem).indexes.get(STORE, ()))
    selections = {
        "none": _Selection(indexes=NONE),
        "ours": _Selection(indexes=advised, chosen_in_s=time.perf_counter() - started),
    }
    (single,) = candidates(prepared.problem, ("single_store",))
    with connections(project, progress) as stores:
        load(prepared.analysis.catalog, (single,), stores, progress)
        statements = _statements(prepared, single, stores)
        with _session(stores[STORE], arguments) as session:
            setting = _setting(prepared, statements, session)
            selections |= _others(setting, arguments.benchmark, progress)
            every = frozenset[NamedIndex]().union(*(each.indexes for each in selections.values()))
            session.execute("SELECT hypopg_reset()")
            with made(session, every) as there:
                queries = _queries(there, selections, statements, arguments.repeats, progress)
                made_bytes = there.bytes
    return {
        "budget_bytes": setting.budget_bytes,
        "not_one_statement": sorted(single.routing.keys() - statements.keys()),
        "selections": {
            name: {
                "indexes": [str(index) for index in sorted(each.indexes)],
                "estimated_bytes": setting.bytes_of(each.indexes),
                "made_bytes": sum(made_bytes[index] for index in each.indexes),
                "chosen_in_s": each.chosen_in_s,
            }
            for name, each in selections.items()
        },
        "summary": summary(queries),
        "queries": queries,
    }


def _statements(
    prepared: Prepared, single: PlacementPlan, stores: Mapping[str, Connection]
) -> Mapping[str, str]:
    """Return query → what the store is sent for all of it, where that is one statement."""
    job = job_of(prepared.project, prepared.analysis, stores, prepared.problem)
    compiler = Compiler(job.workload, job.catalog, dialects(job))
    return {
        query: compiler.fragment_sql(query, routed[0])
        for query, routed in single.routing.items()
        if len(routed) == 1
    }


def _queries(
    there: Made,
    selections: Mapping[str, _Selection],
    statements: Mapping[str, str],
    repeats: int,
    progress: Progress,
) -> list[dict[str, Any]]:
    """Return a row a query: with each selection its estimate and its executions."""
    costs = {}
    for name, each in selections.items():
        there.show(each.indexes)
        asked_now = estimates(there.session, statements, NO_TRIALS)
        costs[name] = {query: asked_now.estimate(query, NONE).cost for query in statements}
    indexes = {name: each.indexes for name, each in selections.items()}
    times = executed(there, indexes, statements, repeats=repeats, progress=progress)
    return [
        {
            "query": query,
            "selections": {
                name: {
                    "cost": costs[name][query],
                    "seconds": of_it.seconds,
                    "cpu_s": of_it.cpu_s,
                    "rows": of_it.rows,
                    "failed": of_it.failed,
                }
                for name, of_it in found.items()
            },
        }
        for query, found in times.items()
    ]


@contextmanager
def _session(connection: Connection, arguments: argparse.Namespace) -> Iterator[Session]:
    """Log in with the settings of sessions that read, and those that were asked for."""
    options = JDBC[connection.kind].jdbc(connection, timeout_s=arguments.timeout, fetch_size=10_000)
    with psycopg.connect(**postgresql_login(connection), options=options["options"]) as session:
        session.execute(f"SET search_path = {options['currentSchema']}".encode())
        session.execute("SET max_parallel_workers_per_gather = 0")
        if arguments.nested_loops:
            session.execute("SET enable_nestloop = on")
        yield session


def _setting(prepared: Prepared, statements: Mapping[str, str], session: Session) -> Setting:
    catalog = prepared.analysis.catalog
    wanted = asked(catalog, prepared.analysis.footprints)
    of_it = {query: wanted[query] for query in statements}
    tables = {query: tuple(each.read) for query, each in of_it.items()}
    budget = prepared.problem.constraints.max_index_bytes
    assert budget is not None

    def size_bytes(index: NamedIndex) -> float:
        return float(index_bytes(catalog.table(index.table), index.columns))

    return Setting(
        asked=of_it,
        keys={name: table.primary_key for name, table in catalog.tables.items()},
        estimate=what_if(session, statements, tables).estimate,
        size_bytes=size_bytes,
        budget_bytes=float(budget),
    )


def _others(setting: Setting, benchmark: str, progress: Progress) -> dict[str, _Selection]:
    """Return the selections of the baselines, and those that were published."""
    found = {}
    for name, choose in BASELINES.items():
        with progress.task(f"Choosing indexes as {name} does"):
            started = time.perf_counter()
            indexes = choose(setting)
            taken_s = time.perf_counter() - started
        found[name] = _Selection(indexes=indexes, chosen_in_s=taken_s)
    for name, indexes in published(benchmark).items():
        found[f"published {name}"] = _Selection(indexes=within_budget(setting, indexes))
    return found


if __name__ == "__main__":
    main()
