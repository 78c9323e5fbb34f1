"""Compare predicted with measured seconds of selective queries over indexed tables.

python -m benchmarks.index_prices [--rows N] [--scale-factor SF] [--repeats N] [-o results.json]

A shop of three tables with indexes (N purchases, a fifth as many customers) lies in an embedded
PostgreSQL and an embedded MariaDB. `calibrate` measures both on TPC-H. Then twenty queries are
predicted, and measured in each store alone and on two placements that part customers from their
purchases, so that keys are sent: single keys, lists, small ranges, ranges too wide for an index,
joins over indexed columns, and conditions without an index. Beside the predictions stand those of
the same plans by a model that ignores indexes. `index_used` tells of whole queries whether the
store's own EXPLAIN of what is sent to it names an index, `index_priced` whether the model took one.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from advisor.analysis.analyze import analyzed
from advisor.analysis.load_workload import read_workload
from advisor.measuring.calibrate import calibrate
from advisor.measuring.connections import connections
from advisor.measuring.measure import job_of, measure
from advisor.problem.calibrations import calibrations_folder
from advisor.problem.prepared import Prepared
from advisor.problem.problem import placement_problem
from advisor.problem.rates import rates_of
from advisor.project.project import Project
from advisor.report.progress import PlainProgress
from benchmarks.index_shop import shop_catalog, shop_project
from benchmarks.provenance import provenance
from evaluation.calibration.calibration import Calibration, write_calibration
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.load import load
from evaluation.measuring.measurement import Measurements
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.servers import reading_settings
from evaluation.stores.mysql.sessions import session
from evaluation.stores.postgresql.sessions import session_with
from placement.access_paths import cheapest_reads
from placement.plan import PlacementPlan
from placement.pricing import query_seconds
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for
from placement.strategies import candidates
from workloads.progress import Progress

PARTED = {
    "customers_in_pg": {"customer": "pg", "product": "pg", "purchase": "maria"},
    "customers_in_maria": {"customer": "maria", "product": "maria", "purchase": "pg"},
}


def main() -> None:
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    with PlainProgress(sys.stderr) as progress, TemporaryDirectory() as folder:
        project = shop_project(Path(folder), rows=arguments.rows, repeats=arguments.repeats)
        try:
            measured = calibrate(
                project, progress, scale_factor=arguments.scale_factor, repeats=arguments.repeats
            )
            write_calibration(measured, calibrations_folder(project))
            result = {**_measured(project, progress), "calibration": _told(measured)}
        finally:
            shutil.rmtree(project.folder, ignore_errors=True)
    answer = {
        **provenance("benchmarks.index_prices", load_before),
        "rows": arguments.rows,
        "repeats": arguments.repeats,
        "calibrated_at_scale_factor": arguments.scale_factor,
        **result,
    }
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(table(answer))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--scale-factor", type=float, default=0.2)
    parser.add_argument("--repeats", type=int, default=5)
    default = Path(__file__).parent / "results" / "index_prices.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    return parser.parse_args()


def _measured(project: Project, progress: Progress) -> dict[str, Any]:
    """Measure the queries on every placement; return a row for each, and the errors."""
    analysis, rates = (
        analyzed(
            project,
            read_workload(project, progress),
            shop_catalog(project, progress),
            progress,
            generate_s=0.0,
        ),
        rates_of(project),
    )
    problem = placement_problem(project, analysis, rates)
    prepared = Prepared(project=project, analysis=analysis, rates=rates, problem=problem)
    plans = candidates(problem, ("single_store",)) + tuple(
        plan_for(problem, name, {table: (store,) for table, store in placement.items()})
        for name, placement in PARTED.items()
    )
    measurements = measure(prepared, plans, progress)
    explained = _explained(prepared, plans, progress)
    rows = list(_rows(problem, measurements, explained))
    return {"queries": rows, "errors": _errors(rows)}


def _rows(
    problem: PlacementProblem,
    measurements: Measurements,
    explained: Mapping[tuple[str, str], bool],
) -> Iterator[dict[str, Any]]:
    scanned = replace(
        problem,
        stores=tuple(
            replace(each, strength=replace(each.strength, index_rows_per_s=None))
            for each in problem.stores
        ),
    )
    for candidate in measurements.candidates:
        for query in candidate.queries:
            if query.measured_s is None:
                print(candidate.plan.strategy, query.query, query.outcome, query.message)
                continue
            routed = candidate.plan.routing[query.query]
            if candidate.plan.strategy in PARTED and len(routed) == 1:
                continue  # It is run once, for the store alone as well.
            asked = problem.query(query.query)
            priced = any(
                cheapest_reads(each.fragment.work, problem.store(each.store).strength)
                for each in routed
            )
            yield {
                "candidate": candidate.plan.strategy,
                "query": query.query,
                "measured_s": query.measured_s,
                "fastest_s": min(query.seconds),
                "slowest_s": max(query.seconds),
                "predicted_s": query_seconds(problem, asked, routed),
                "predicted_without_indexes_s": query_seconds(scanned, asked, routed),
                "index_priced": priced,
                "index_used": explained.get((candidate.plan.strategy, query.query)),
            }


def _explained(
    prepared: Prepared, plans: Sequence[PlacementPlan], progress: Progress
) -> dict[tuple[str, str], bool]:
    """Return (plan, query) → whether the store's plan of the whole query has an index in it."""
    found = {}
    with connections(prepared.project, progress) as stores:
        load(prepared.analysis.catalog, plans, stores, progress)
        job = job_of(prepared.project, prepared.analysis, stores, prepared.problem)
        compiler = Compiler(job.workload, job.catalog, dialects(job))
        for plan in plans:
            if plan.strategy in PARTED:
                continue
            for query, routed in plan.routing.items():
                compiled = compiler.compile(query, routed)
                (fragment,) = compiled.fragments
                uses = _uses_index(stores[fragment.store], fragment.sql)
                found[plan.strategy, query] = uses
    return found


def _uses_index(connection: Connection, sql: str) -> bool:
    """Ask the store how it would run a statement, with the settings of sessions that read."""
    if connection.kind == "postgresql":
        with session_with(connection, "explaining failed") as asked:
            asked.execute("SET enable_nestloop = off")
            rows = asked.execute(f"EXPLAIN {sql}".encode()).fetchall()
        return any("Index" in line for (line,) in rows)
    with session(connection, "explaining failed") as execute:
        execute(reading_settings(60.0))
        kinds = [str(row[3]) for row in execute(f"EXPLAIN {sql}")]
    return any(each in ("const", "eq_ref", "ref", "range", "index_merge") for each in kinds)


def _errors(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the median relative errors: of all, of each candidate, of each kind of query."""
    groups: dict[str, list[Mapping[str, Any]]] = {"all": list(rows)}
    for each in rows:
        groups.setdefault(each["candidate"], []).append(each)
    for each in rows:
        groups.setdefault(each["query"].partition("_")[0], []).append(each)
    return {
        name: {
            "queries": len(found),
            "median": _median(found, "predicted_s"),
            "median_without_indexes": _median(found, "predicted_without_indexes_s"),
            "spread": statistics.median(
                (each["slowest_s"] - each["fastest_s"]) / each["measured_s"] for each in found
            ),
        }
        for name, found in groups.items()
    }


def _median(rows: Sequence[Mapping[str, Any]], predicted: str) -> float:
    errors = (abs(each[predicted] - each["measured_s"]) / each["measured_s"] for each in rows)
    return float(statistics.median(errors))


def _told(found: Calibration) -> dict[str, Any]:
    return {
        name: {
            "rates": {
                rate: {"value": each.value, "low": each.low, "high": each.high, "seen": each.seen}
                for rate, each in store.rates.items()
            },
            "median_error": None if store.errors is None else store.errors.median,
        }
        for name, store in found.stores.items()
    }


def table(answer: Mapping[str, Any]) -> str:
    """Return the errors as a table of Markdown."""
    lines = ["| of | queries | median error | indexes ignored | spread |", "|---|---|---|---|---|"]
    lines += [
        f"| {name} | {each['queries']} | {each['median']:.0%} "
        f"| {each['median_without_indexes']:.0%} | {each['spread']:.0%} |"
        for name, each in answer["errors"].items()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
