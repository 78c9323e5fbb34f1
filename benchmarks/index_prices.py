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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from rich.console import Console

from advisor.analysis.analysis import Analysis
from advisor.analysis.analyze import analyzed
from advisor.analysis.load_sources import read_catalog, read_workload
from advisor.measuring.calibrate import calibrate
from advisor.measuring.connections import connections
from advisor.measuring.measure import job_of, measure
from advisor.problem.calibrations import calibrations_folder
from advisor.problem.prepared import Prepared
from advisor.problem.problem import placement_problem
from advisor.problem.rates import rates_of
from advisor.project.config import load_project
from advisor.project.project import Project
from advisor.report.progress import PlainProgress
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
from workloads.indexes import Index
from workloads.progress import Progress

SEED = 0
INDEXES = {
    "customer": (
        Index(columns=("c_city",)),
        Index(columns=("c_email",), unique=True),
    ),
    "product": (Index(columns=("pr_group",)),),
    "purchase": (
        Index(columns=("p_customer",)),
        Index(columns=("p_day",)),
        Index(columns=("p_product", "p_day")),
    ),
}
KEYS = {"customer": ("c_id",), "product": ("pr_id",), "purchase": ("p_id",)}
TABLES = {
    "customer": """
        SELECT i AS c_id, 'name ' || hash(i, 1) % 5000 AS c_name,
          'user' || i || '@example.org' AS c_email, CAST(hash(i, 2) % 500 AS INTEGER) AS c_city,
          DATE '2015-01-01' + CAST(hash(i, 3) % 3000 AS INTEGER) AS c_since
        FROM range(1, {customers} + 1) r(i)""",
    "product": """
        SELECT i AS pr_id, 'product ' || i AS pr_name,
          CAST(hash(i, 4) % 400 AS INTEGER) AS pr_group,
          CAST(hash(i, 5) % 100000 / 100 AS DECIMAL(9, 2)) AS pr_price
        FROM range(1, {products} + 1) r(i)""",
    "purchase": """
        SELECT i AS p_id, CAST(1 + hash(i, 6) % {customers} AS BIGINT) AS p_customer,
          CAST(1 + hash(i, 7) % {products} AS BIGINT) AS p_product,
          DATE '2022-01-01' + CAST(i * 1000 // {rows} AS INTEGER) AS p_day,
          CAST(hash(i, 8) % 100000 / 100 AS DECIMAL(9, 2)) AS p_amount,
          'note ' || hash(i, 9) % 1000000 || ' on the purchase' AS p_note
        FROM range(1, {rows} + 1) r(i)""",
}
_FOUND = "SELECT p_id, p_day, p_amount, p_note FROM purchase WHERE"
_SUMMED = "SELECT COUNT(*) AS n, SUM(p_amount) AS s FROM purchase WHERE"
QUERIES = {
    "point_key": f"{_FOUND} p_id = 54321",
    "point_customer": f"{_FOUND} p_customer = 4711",
    "point_email": "SELECT c_id, c_name FROM customer WHERE c_email = 'user1234@example.org'",
    "point_two_columns": f"{_FOUND} p_product = 77 AND p_day = DATE '2023-03-04'",
    "list_keys": f"{_FOUND} p_id IN (5, 70, 900, 11000, 13000, 17000, 19000, 23000, 29000)",
    "list_customers": f"{_FOUND} p_customer IN (7, 77, 777, 1777, 2777, 3777, 4777, 5777)",
    "list_cities": "SELECT c_id, c_name FROM customer WHERE c_city IN (3, 33, 333)",
    "range_days": f"{_SUMMED} p_day BETWEEN DATE '2023-03-04' AND DATE '2023-03-06'",
    "range_customers": f"{_FOUND} p_customer BETWEEN 1000 AND 1100",
    "range_keys": f"{_SUMMED} p_id BETWEEN 50000 AND 55000",
    "range_cities": """
        SELECT c_since, COUNT(*) AS n FROM customer WHERE c_city BETWEEN 10 AND 14
        GROUP BY c_since ORDER BY n DESC, c_since LIMIT 20""",
    "wide_days": f"{_SUMMED} p_day >= DATE '2022-09-01'",
    "wide_customers": f"{_SUMMED} p_customer > 5000",
    "wide_cities": "SELECT COUNT(*) AS n, MAX(c_since) AS m FROM customer WHERE c_city < 400",
    "join_email": """
        SELECT p_id, p_day, p_amount FROM customer JOIN purchase ON p_customer = c_id
        WHERE c_email = 'user777@example.org'""",
    "join_city": """
        SELECT c_id, c_name, SUM(p_amount) AS s FROM customer JOIN purchase ON p_customer = c_id
        WHERE c_city = 42 GROUP BY c_id, c_name ORDER BY s DESC, c_id LIMIT 10""",
    "join_group": """
        SELECT pr_name, COUNT(*) AS n FROM product JOIN purchase ON p_product = pr_id
        WHERE pr_group = 7 GROUP BY pr_name""",
    "none_amount": f"{_SUMMED} p_amount > 990",
    "none_name": "SELECT COUNT(*) AS n FROM customer WHERE c_name LIKE '%77%'",
    "none_second_column": "SELECT COUNT(*) AS n FROM product WHERE pr_price < 20",
}
"""Name → statement, in DuckDB's SQL; before ``_`` stands what it is of."""
PARTED = {
    "customers_in_pg": {"customer": "pg", "product": "pg", "purchase": "maria"},
    "customers_in_maria": {"customer": "maria", "product": "maria", "purchase": "pg"},
}
PROJECT = """
[workload]
source = "queries"
dialect = "duckdb"
[catalog]
source = "data"
[stores.pg]
kind = "postgresql"
embedded = true
[stores.maria]
kind = "mysql"
embedded = true
[evaluate]
repeats = {repeats}
all_repeats = true
seed = 0
"""


def main() -> None:
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    progress = PlainProgress(Console(stderr=True))
    with TemporaryDirectory() as folder:
        project = _project(Path(folder), arguments)
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


def _project(folder: Path, arguments: argparse.Namespace) -> Project:
    """Write the data, the queries and the project file into a folder; return the project."""
    for name in ("data", "queries"):
        (folder / name).mkdir()
    sizes = {
        "rows": arguments.rows,
        "customers": arguments.rows // 5,
        "products": arguments.rows // 50,
    }
    with duckdb.connect(config={"threads": 1}) as connection:
        for name, sql in TABLES.items():
            file = folder / "data" / f"{name}.parquet"
            connection.execute(f"COPY ({sql.format(**sizes)}) TO '{file}' (FORMAT parquet)")
    for name, sql in QUERIES.items():
        (folder / "queries" / f"{name}.sql").write_text(f"{sql.strip()};\n", encoding="utf-8")
    file = folder / "index_prices.toml"
    file.write_text(PROJECT.format(repeats=arguments.repeats), encoding="utf-8")
    return load_project(file)


def _analysis(project: Project, progress: Progress) -> Analysis:
    found = read_catalog(project, progress)
    tables = {
        name: replace(each, primary_key=KEYS[name], indexes=INDEXES[name])
        for name, each in found.catalog.tables.items()
    }
    found = replace(found, catalog=replace(found.catalog, tables=tables))
    return analyzed(project, read_workload(project, progress), found, progress, generate_s=0.0)


def _measured(project: Project, progress: Progress) -> dict[str, Any]:
    """Measure the queries on every placement; return a row for each, and the errors."""
    analysis, rates = _analysis(project, progress), rates_of(project)
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
            for query, routed in plan.routing.items():
                compiled = compiler.compile(query, routed)
                if compiled.combine_sql is None:
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
    return statistics.median(
        abs(each[predicted] - each["measured_s"]) / each["measured_s"] for each in rows
    )


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
