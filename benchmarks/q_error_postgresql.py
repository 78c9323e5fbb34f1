"""Ask PostgreSQL's optimizer for the rows of every fragment of the TPC-DS queries.

python benchmarks/q_error_postgresql.py [--scale-factor SF] [-o FOLDER]

Loads TPC-DS into a PostgreSQL of its own as the advisor would (kept in the cache for the next
time), and explains every fragment there with the default statistics target, then with ten times
as much. Each gives a file of {query: {fragment: rows}}, null for what PostgreSQL refuses.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).parent / "q_error"))
from fragment_sql import FragmentSql, asked, every_fragment, stamp

from evaluation.embedded import EmbeddedRequest, running
from evaluation.kinds import BACKENDS
from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.connection import NAMESPACE, Connection
from evaluation.stores.postgresql.sessions import Session, session_with
from workloads.benchmarks import tpcds
from workloads.cache import cache_folder
from workloads.catalog import Catalog
from workloads.progress import Silent

Answers = Mapping[str, Mapping[str, float | None]]

TARGETS = {"": 100, "_1000": 1000}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale-factor", type=float, default=1.0)
    parser.add_argument("-o", "--output", type=Path, default=cache_folder() / "benchmarks")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    catalog = tpcds.generate(arguments.scale_factor, cache_folder(), Silent())
    fragments = list(every_fragment(tpcds.queries("all"), catalog))
    folder = cache_folder() / "benchmarks" / f"postgresql_sf{arguments.scale_factor:g}"
    request = EmbeddedRequest(store="pg", kind="postgresql")
    with running([request], folder, Silent()) as connections:
        pg = connections["pg"]
        load(pg, catalog)
        for name, target in TARGETS.items():
            analyse(pg, catalog, target)
            write(arguments, name, explain(pg, fragments))
    stamp(arguments.output, arguments.scale_factor).write_text(asked(fragments), "utf-8")


def load(pg: Connection, catalog: Catalog) -> None:
    """Load what is not there yet."""
    backend = BACKENDS["postgresql"]
    backend.prepare(pg)
    found = backend.loaded(pg)
    missing = [
        table
        for table in catalog.tables.values()
        if table.name not in found or found[table.name].fingerprint != table.fingerprint
    ]
    for table in missing:
        print(f"loading {table.name}: {backend.load(pg, table).load_s:.1f} s")


def analyse(pg: Connection, catalog: Catalog, target: int) -> None:
    started = time.perf_counter()
    with session_with(pg, "ANALYZE failed") as connection:
        connection.execute(f"SET default_statistics_target = {target}".encode())
        for table in catalog.tables:
            connection.execute(f"ANALYZE {quoted(NAMESPACE)}.{quoted(table)}".encode())
    print(f"ANALYZE with target {target}: {time.perf_counter() - started:.1f} s")


def explain(pg: Connection, fragments: Sequence[FragmentSql]) -> Answers:
    started = time.perf_counter()
    answers: dict[str, dict[str, float | None]] = {}
    with session_with(pg, "EXPLAIN failed") as connection:
        for each in fragments:
            rows = rows_of(connection, each.sql_postgres)
            answers.setdefault(each.query, {})[each.fragment] = rows
    refused = sum(rows is None for found in answers.values() for rows in found.values())
    print(
        f"{len(fragments):,} fragments explained, {refused} refused: "
        f"{time.perf_counter() - started:.1f} s"
    )
    return answers


def rows_of(connection: Session, sql: str) -> float | None:
    try:
        row = connection.execute(f"EXPLAIN (FORMAT JSON) {sql}".encode()).fetchone()
    except psycopg.Error:
        return None
    return row[0][0]["Plan"]["Plan Rows"]


def write(arguments: argparse.Namespace, name: str, answers: Answers) -> None:
    path = arguments.output / f"q_error_postgresql{name}_sf{arguments.scale_factor:g}.json"
    path.write_text(json.dumps(answers, indent=0, sort_keys=True), encoding="utf-8")
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
