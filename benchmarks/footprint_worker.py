"""Read 99 queries with one tool, as often as asked: run by benchmarks/footprints.py.

python benchmarks/footprint_worker.py placement-advisor|sql-metadata|sqllineage

The first line of standard input is the queries as JSON, name → SQL; for each further line all
are read once. Answers are lines of JSON: seconds (after import), and for each query the tables,
the columns with their base table and the join edges that the tool reports, or its error.
"""

import json
import sys
import time
from collections.abc import Callable

Answer = dict[str, list]
Reader = Callable[[str], Answer]


def placement_advisor() -> Reader:
    from pathlib import Path

    from evaluation.installation.artifacts import cache_folder
    from workloads.benchmarks import tpcds
    from workloads.progress import Silent
    from workloads.query_access import query_access
    from workloads.sql import footprint
    from workloads.workload import Query

    catalog = tpcds.generate(0.01, Path(cache_folder()), Silent())

    def read(sql: str) -> Answer:
        access = query_access(footprint(Query(name="q", sql=sql, origin="q"), catalog, "duckdb"))
        return {
            "tables": list(access.columns),
            "columns": [f"{t}.{c}" for t, columns in access.columns.items() for c in columns],
            "joins": [f"{edge.left} {edge.right} {edge.kind}" for edge in access.joins],
        }

    return read


def sql_metadata() -> Reader:
    from sql_metadata import Parser

    def read(sql: str) -> Answer:
        parser = Parser(sql)
        tables = [str(table) for table in parser.tables]
        columns = [str(column) for column in parser.columns]
        owned = [column for column in columns if column.rpartition(".")[0] in tables]
        return {"tables": tables, "columns": owned, "joins": []}

    return read


def sqllineage() -> Reader:
    from sqllineage.runner import LineageRunner

    def read(sql: str) -> Answer:
        runner = LineageRunner(sql, dialect="duckdb")
        tables = [table.raw_name for table in runner.source_tables]
        columns = [str(path[0]) for path in runner.get_column_lineage()]
        return {"tables": tables, "columns": columns, "joins": []}

    return read


READERS = {
    "placement-advisor": placement_advisor,
    "sql-metadata": sql_metadata,
    "sqllineage": sqllineage,
}


def main() -> None:
    read = READERS[sys.argv[1]]()
    queries = json.loads(sys.stdin.readline())
    for _ in sys.stdin:
        answers: dict[str, Answer | str] = {}
        started, spent = time.perf_counter(), time.process_time()
        for name, sql in queries.items():
            try:
                answers[name] = read(sql)
            except Exception as error:  # noqa: BLE001 - a peer's failure is what is counted
                answers[name] = f"{type(error).__name__}: {error}"
        seconds, cpu_s = time.perf_counter() - started, time.process_time() - spent
        print(json.dumps({"seconds": seconds, "cpu_s": cpu_s, "answers": answers}), flush=True)


if __name__ == "__main__":
    main()
