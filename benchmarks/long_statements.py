"""CPU seconds of `advisor analyze` and `place` for long and deep statements, each in a new process.

``python -m benchmarks.long_statements --size 400 -o benchmarks/results/long_statements.json``
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.provenance import provenance

TABLES = 200
_TIMEOUT_S = 300.0
_PROJECT = """\
[workload]
source = "q.sql"
dialect = "duckdb"
[catalog]
source = "schema.sql"
[stores.a]
kind = "duckdb"
embedded = true
[stores.b]
kind = "postgresql"
embedded = true
"""
_COLUMNS = "id INT PRIMARY KEY, x INT, y INT"


def subqueries(size: int) -> str:
    """Return a derived table in a derived table, and so on."""
    text = "SELECT id, x FROM t0 WHERE x > 0"
    for depth in range(size):
        text = f"SELECT id, x FROM ({text}) AS d{depth} WHERE d{depth}.x > {depth}"
    return text


def nested_with(size: int) -> str:
    """Return a WITH in the query of a WITH, and so on."""
    text = "SELECT id, x FROM t0"
    for depth in range(size):
        text = f"WITH c{depth} AS ({text}) SELECT id, x FROM c{depth}"
    return text


def ctes(size: int) -> str:
    """Return a chain of CTEs, each reading the one before."""
    parts = ["c0 AS (SELECT id, x FROM t0)"]
    parts += [f"c{n} AS (SELECT id, x FROM c{n - 1} WHERE x > {n})" for n in range(1, size)]
    return f"WITH {', '.join(parts)} SELECT * FROM c{size - 1}"


def exists(size: int) -> str:
    """Return an EXISTS in an EXISTS, and so on, each correlated to the one around it."""
    text = f"SELECT 1 FROM t0 AS e{size} WHERE e{size}.id = e{size - 1}.x"
    for depth in range(size - 1, 0, -1):
        on = f"e{depth}.id = e{depth - 1}.x"
        text = f"SELECT 1 FROM t0 AS e{depth} WHERE {on} AND EXISTS ({text})"
    return f"SELECT e0.id FROM t0 AS e0 WHERE EXISTS ({text})"


def unions(size: int) -> str:
    """Return a union of so many SELECTs."""
    return " UNION ALL ".join(f"SELECT id, x FROM t{n % TABLES} WHERE x > {n}" for n in range(size))


def distinct_unions(size: int) -> str:
    """Return a union without duplicates of so many SELECTs."""
    return unions(size).replace(" ALL", "")


def joins(size: int) -> str:
    """Return a chain of joins over half as many tables."""
    size = size // 2
    joined = [f"JOIN t{n % TABLES} AS j{n} ON j{n}.id = j{n - 1}.x" for n in range(1, size)]
    return f"SELECT j0.y FROM t0 AS j0 {' '.join(joined)}"


def star(size: int) -> str:
    """Return joins of half as many tables with the first."""
    size = size // 2
    joined = [f"JOIN t{n % TABLES} AS j{n} ON j{n}.id = j0.x" for n in range(1, size)]
    return f"SELECT j0.y FROM t0 AS j0 {' '.join(joined)}"


def sums(size: int) -> str:
    """Return a sum of six times as many terms."""
    return f"SELECT {' + '.join(['x'] * 6 * size)} FROM t0"


def conditions(size: int) -> str:
    """Return a conjunction of three times as many comparisons."""
    return f"SELECT id FROM t0 WHERE {' AND '.join(f'x > {n}' for n in range(3 * size))}"


def disjunctions(size: int) -> str:
    """Return a disjunction of three times as many comparisons."""
    return f"SELECT id FROM t0 WHERE {' OR '.join(f'x = {n}' for n in range(3 * size))}"


def columns(size: int) -> str:
    """Return a list of ten times as many computed columns."""
    return f"SELECT {', '.join(f'x + {n} AS c{n}' for n in range(10 * size))} FROM t0"


def views(size: int) -> str:
    """Return views of which each reads the one before, and a query of the last."""
    made = ["CREATE VIEW v0 AS SELECT id, x FROM t0"]
    made += [
        f"CREATE VIEW v{n} AS SELECT id, x FROM v{n - 1} WHERE x > {n}" for n in range(1, size)
    ]
    return ";\n".join([*made, f"SELECT * FROM v{size - 1}"])


def doubling_views(size: int) -> str:
    """Return views that each join the one before with itself: the last stands for 2^n tables."""
    made = ["CREATE VIEW v0 AS SELECT id, x FROM t0"]
    made += [
        f"CREATE VIEW v{n} AS SELECT a.id, b.x FROM v{n - 1} a JOIN v{n - 1} b ON a.id = b.id"
        for n in range(1, size)
    ]
    return ";\n".join([*made, f"SELECT * FROM v{size - 1}"])


SHAPES: Mapping[str, Callable[[int], str]] = {
    each.__name__: each
    for each in (
        *(subqueries, nested_with, ctes, exists, unions, distinct_unions, joins, star, sums),
        *(conditions, disjunctions, columns, views, doubling_views),
    )
}


def measured(command: str, shape: str, size: int) -> Mapping[str, object]:
    """Return what the command does with a shape: CPU seconds, peak memory, exit code and a line."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tables = "\n".join(f"CREATE TABLE t{n} ({_COLUMNS});" for n in range(TABLES))
        (folder / "schema.sql").write_text(tables)
        (folder / "q.sql").write_text(SHAPES[shape](size) + ";\n")
        (folder / "p.toml").write_text(_PROJECT)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        try:
            done = subprocess.run(
                [sys.executable, "-m", "advisor", command, "p.toml"],
                cwd=folder,
                env={**os.environ, "PLACEMENT_ADVISOR_CACHE": str(folder / "cache")},
                capture_output=True,
                check=False,
                text=True,
                timeout=_TIMEOUT_S,
            )
            code, said = done.returncode, done.stderr.strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            code, said = None, [f"not done after {_TIMEOUT_S:g} s"]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "shape": shape,
        "size": size,
        "command": command,
        "characters": len(SHAPES[shape](size)),
        "cpu_s": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2),
        "wall_s": round(time.monotonic() - began, 2),
        "exit_code": code,
        "said": "" if code == 0 else " ".join(said),
    }


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=400)
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--commands", nargs="+", default=["analyze"], choices=["analyze", "place"])
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    found, load_before = [], os.getloadavg()[0]
    for command in arguments.commands:
        for shape in arguments.shapes:
            found.append(measured(command, shape, arguments.size))
            print(json.dumps(found[-1]), flush=True)
    if arguments.output is not None:
        document = {
            **provenance("benchmarks.long_statements", load_before),
            "measured": found,
        }
        arguments.output.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
