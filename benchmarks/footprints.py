"""Footprints of the 99 TPC-DS queries: our time and answers beside sql-metadata and sqllineage.

python -m benchmarks.footprints [--repeats N] [-o results.json]

Each tool runs in a process of its own, the peers in a virtual environment made from peers.txt in
the cache. Every round has all tools read all queries, in a seeded random order of the tools, after
one warm-up round. Tables are compared with those that DuckDB's own parser finds.
"""

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import duckdb

from benchmarks.peers.environment import peers_python
from benchmarks.provenance import provenance
from benchmarks.tables.footprints import tools
from evaluation.installation.artifacts import cache_folder
from workloads.benchmarks import tpcds
from workloads.catalog import Catalog
from workloads.progress import Silent

HERE = Path(__file__).parent
OURS = "placement-advisor"
TOOLS = (OURS, "sql-metadata", "sqllineage")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "footprints.json")
    arguments = parser.parse_args()
    peers = peers_python()
    queries = {query.name: query.sql for query in tpcds.queries("all").queries}
    catalog = tpcds.generate(0.01, Path(cache_folder()), Silent())
    truth = {name: tables_by_duckdb(sql, catalog) for name, sql in queries.items()}
    before = os.getloadavg()[0]
    rounds = measure(queries, peers, arguments.repeats)
    answer = {
        **provenance("benchmarks.footprints", before),
        "queries": len(queries),
        "repeats": arguments.repeats,
        "tools": {tool: judged(rounds[tool], truth) for tool in TOOLS},
        "peers": frozen(peers),
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(tools(answer))


def frozen(python: Path) -> list[str]:
    listed = subprocess.run(
        [python, "-I", "-m", "pip", "freeze"], check=True, text=True, stdout=subprocess.PIPE
    )
    return listed.stdout.split()


def tables_by_duckdb(sql: str, catalog: Catalog) -> set[str]:
    (tree,) = duckdb.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0]
    return set(re.findall(r'"table_name":"(\w+)"', tree)) & set(catalog.tables)


def measure(queries: Mapping[str, str], peers: Path, repeats: int) -> dict[str, list[dict]]:
    """The answers of each tool in each round after the warm-up."""
    turns = random.Random(0)
    rounds: dict[str, list[dict]] = {tool: [] for tool in TOOLS}
    with ExitStack() as stack:
        workers = {
            tool: stack.enter_context(
                subprocess.Popen(
                    [
                        sys.executable if tool == OURS else peers,
                        HERE / "footprint_worker.py",
                        tool,
                    ],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    env={**os.environ, "PYTHONPATH": str(HERE.parent) if tool == OURS else ""},
                )
            )
            for tool in TOOLS
        }
        for worker in workers.values():
            worker.stdin.write(json.dumps(queries) + "\n")
        for _ in range(repeats + 1):
            for tool in turns.sample(TOOLS, len(TOOLS)):
                worker = workers[tool]
                worker.stdin.write("again\n")
                worker.stdin.flush()
                rounds[tool].append(json.loads(worker.stdout.readline()))
        for worker in workers.values():
            worker.stdin.close()
    return {tool: answers[1:] for tool, answers in rounds.items()}


def judged(rounds: list[dict], truth: Mapping[str, set[str]]) -> dict:
    """A tool's seconds, what it failed on and got wrong, and how much it reports."""
    seconds = [each["seconds"] for each in rounds]
    answers = rounds[-1]["answers"]
    failed = {name: answer for name, answer in answers.items() if isinstance(answer, str)}
    read = {name: answer for name, answer in answers.items() if name not in failed}
    wrong = {
        name: {"missing": sorted(truth[name] - found), "surplus": sorted(found - truth[name])}
        for name, answer in read.items()
        if (found := {table.lower() for table in answer["tables"]}) != truth[name]
    }
    return {
        "seconds": statistics.median(seconds),
        "spread_s": max(seconds) - min(seconds),
        "cpu_s": statistics.median(each["cpu_s"] for each in rounds),
        "failed": failed,
        "wrong_tables": wrong,
        "columns_with_table": sum(len(answer["columns"]) for answer in read.values()),
        "join_edges": sum(len(answer["joins"]) for answer in read.values()),
    }


if __name__ == "__main__":
    main()
