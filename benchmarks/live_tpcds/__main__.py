"""Place and run TPC-DS that lies live on two servers, and two peers on the same tables.

python -m benchmarks.live_tpcds [--scale SF] [--queries N …] [--engines NAME …]
    [--strategies NAME …] [--timeout S] [--repeats N] [--once] [--capacity SHARE] [--seed N]
    [--resume] [--folder DIR] [-o results.json]

The fact tables are made in a PostgreSQL, the dimensions in a MariaDB: plain tables with primary
keys, and statistics that ANALYZE gathered, of which the advisor knows nothing. Both servers are
embedded ones, and an account reads them that may do nothing else. A project file calls all tables
live and movable, and has a DuckDB that may hold copies of a part of them. The tables are analysed
and placed, and their rows are read once, as Parquet for DuckDB, which has the answers.

Engines: `fragments` (ours) runs every query on the placement that there is (`current`, in place)
and on those of the strategies; `spark-native` and `trino` on `current`, by the tables' real names.
For `trino` one of our own is run (see evaluation/engines/trino_server.py). Of each query one
warm-up comes first, and then the rounds, in each of which all run it once, in a seeded random
order. `--once` has one round and no warm-up. What fails, is late or wrong once is not run again.

The servers' tables stay in the folder: another run makes none. What was measured is written after
each query. With `--resume` an engine does not run again what the output file has of it, so that
engines may also be measured one after the other.
"""

import argparse
import json
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from advisor.analysis.analyze import analyze
from advisor.measuring.connections import connections
from advisor.measuring.measure import job_of
from advisor.pipeline import place, prepare
from advisor.project.project import Project
from benchmarks.live_tpcds.making import MARIADB, POSTGRESQL, make, server_of, sizes
from benchmarks.live_tpcds.measuring import OURS, measured
from benchmarks.live_tpcds.project import as_reader, written
from benchmarks.provenance import provenance
from benchmarks.series import tell
from benchmarks.tables.live_tpcds import compared
from evaluation.embedded import EmbeddedRequest, running
from evaluation.evaluate import MEASURED_WITH, stores_held
from evaluation.load import LoadedStores, load
from evaluation.running.job import Job
from evaluation.stale import live_tables
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from workloads.cache import cache_folder, scratch_folder
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources.benchmarks import BENCHMARKS

ENGINES = (OURS, "spark-native", "trino")
# What scale factor 1 takes: generated Parquet, servers with logs, the rows as they were read.
DISK_BYTES = 8e9
RESUMED = (
    "resumed, so that not all engines ran at one time and under one load: compare outcomes and "
    "rows, not seconds"
)


def main() -> None:
    arguments = _arguments()
    _refuse_small_disk(arguments)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    generated = BENCHMARKS["tpcds"].generate(arguments.scale, cache_folder(), Silent())
    requests = (
        EmbeddedRequest(store=POSTGRESQL, kind="postgresql"),
        EmbeddedRequest(store=MARIADB, kind="mysql"),
    )
    password = secrets.token_hex(16)
    stages = Stages()
    with running(requests, arguments.folder, Silent()) as servers:
        with stages.of("make"), scratch_folder(arguments.folder / "csv") as scratch:
            make(generated, servers, password, scratch, Silent())
        about = {"tables": _tables(generated), "server_bytes": sizes(servers)}
        result = _measured(arguments, servers, password, about, stages)
    print(compared(result))


class Stages:
    """The seconds of each stage, which are told as they end."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - started, 1)
        print(f"{name}: {self.seconds[name]:.1f} s", file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--queries", nargs="+", type=int, default=[], help="numbers [all 99]")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--strategies", nargs="*", default=["optimal"])
    parser.add_argument("--capacity", default="40%", help="of the DuckDB for copies")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--once", action="store_true", help="every query once, as it comes")
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--driver-memory", default="3g")
    parser.add_argument("--resume", action="store_true", help="keep what the output file has")
    parser.add_argument("--folder", type=Path, default=None, help="of the servers and all files")
    parser.add_argument("-o", "--output", type=Path, default=None)
    arguments = parser.parse_args()
    name = f"live_tpcds_sf{arguments.scale:g}"
    arguments.folder = arguments.folder or cache_folder() / "benchmarks" / name
    arguments.output = arguments.output or Path(__file__).parents[1] / "results" / f"{name}.json"
    arguments.repeats = 1 if arguments.once else arguments.repeats
    return arguments


def _refuse_small_disk(arguments: argparse.Namespace) -> None:
    place_of = next(each for each in (arguments.folder, *arguments.folder.parents) if each.is_dir())
    free, needed = shutil.disk_usage(place_of).free, DISK_BYTES * arguments.scale
    if free < needed:
        sys.exit(
            f"{place_of} has {free / 1e9:.1f} GB free, and scale factor {arguments.scale:g} takes "
            f"about {needed / 1e9:.0f} GB: name another folder with --folder, or a smaller --scale."
        )


def _tables(catalog: Catalog) -> dict[str, dict[str, int]]:
    found = {name: {"tables": 0, "rows": 0, "bytes": 0} for name in (POSTGRESQL, MARIADB)}
    for table in catalog.tables.values():
        of_server = found[server_of(table.name)]
        of_server["tables"] += 1
        of_server["rows"] += table.rows
        of_server["bytes"] += table.bytes
    return found


def _measured(
    arguments: argparse.Namespace,
    servers: Mapping[str, Connection],
    password: str,
    about: Mapping[str, Any],
    stages: Stages,
) -> dict[str, Any]:
    """Analyse, place, load and measure; return what the JSON has."""
    load_before = os.getloadavg()[0]
    found = _earlier(arguments)
    project = _project(arguments, servers, password)
    with stages.of("analyze"):
        analysis = analyze(project, Silent(), needs_data=True)
    with stages.of("place"):
        prepared = prepare(project, analysis)
        placed = place(prepared.problem, arguments.strategies, Silent())
    plans = {each.strategy: each for each in placed.plans}
    with connections(project, Silent()) as stores:
        job = job_of(project, analysis, stores, prepared.problem)
        chosen = tuple(plans.values())
        with stores_held(job, chosen):
            with stages.of("load"):
                loaded = load(job.catalog, chosen, stores, Silent())
            done = {(each["placement"], each["engine"], each["query"]) for each in found}
            for records in measured(
                job,
                plans,
                arguments.engines,
                as_reader(servers, password),
                done=done,
                warm_up=not arguments.once,
                seed=arguments.seed,
                progress=Silent(),
            ):
                found += records
                for each in records:
                    tell(each)
                result = {
                    **about,
                    **_said(arguments, job, plans, loaded),
                    **({"note": RESUMED} if done else {}),
                    "seconds": stages.seconds,
                    "results": found,
                }
                _write(arguments.output, result, load_before)
            changed = [each.table for each in live_tables(job, Silent()) if each.is_changed]
    if not found:
        sys.exit("no query was left to run, and the output file has none")
    result = {**json.loads(arguments.output.read_text(encoding="utf-8")), "changed": changed}
    _write(arguments.output, result, load_before)
    return result


def _project(
    arguments: argparse.Namespace, servers: Mapping[str, Connection], password: str
) -> Project:
    return written(
        arguments.folder,
        servers,
        password,
        queries=arguments.queries,
        capacity=arguments.capacity,
        evaluate={
            "query_timeout_s": f"{arguments.timeout:g}",
            "driver_memory": f'"{arguments.driver_memory}"',
            "repeats": f"{arguments.repeats}",
        },
    )


def _said(
    arguments: argparse.Namespace,
    job: Job,
    plans: Mapping[str, PlacementPlan],
    loaded: LoadedStores,
) -> dict[str, Any]:
    """Return how it was measured, and what the plans are."""
    return {
        "scale_factor": arguments.scale,
        "queries": len(job.workload.queries),
        "repeats": arguments.repeats,
        "warmed_up": not arguments.once,
        "seed": arguments.seed,
        "timeout_s": arguments.timeout,
        "capacity": arguments.capacity,
        "versions": {name: version(name) for name in MEASURED_WITH},
        "plans": {
            name: {
                "outcome": str(plan.outcome),
                "predicted_s": round(plan.predicted_s, 3),
                "load_s": round(loaded.load_s(plan), 1),
                "placement": dict(plan.placement),
            }
            for name, plan in plans.items()
        },
    }


def _earlier(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    if not arguments.resume or not arguments.output.is_file():
        return []
    return list(json.loads(arguments.output.read_text(encoding="utf-8"))["results"])


def _write(output: Path, result: Mapping[str, Any], load_before: float) -> None:
    answer = {**result, **provenance("benchmarks.live_tpcds", load_before)}
    output.parent.mkdir(parents=True, exist_ok=True)
    unfinished = output.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    unfinished.replace(output)


if __name__ == "__main__":
    main()
