"""Place and run TPC-DS that lies live on two servers, and two peers on the same tables.

python -m benchmarks.live_tpcds [--scale SF] [--queries N …] [--engines NAME …] [--timeout S]
    [--repeats N] [--strategies LIST] [--capacity SHARE] [--resume] [--folder DIR]
    [-o results.json]

The fact tables are made in a PostgreSQL, the dimensions in a MariaDB: plain tables with primary
keys, and statistics that ANALYZE gathered, of which the advisor knows nothing. Both servers are
embedded ones, and an account reads them that may do nothing else. Then `advisor analyze`, `place`
and `run` are run on a project file that calls all tables live and movable, with a DuckDB that may
hold copies of a part of them. `run` measures the placement that there is (`current`, in place) and
the placements of the strategies. Engines `spark-native` and `trino` measure `current` alone, by
`advisor evaluate`; for `trino` one of our own is run (see trino_server.py). Every answer is
compared with DuckDB's on the rows that were read from the servers.

The servers' tables stay in the folder: a second run makes none. With `--resume` an engine whose
answers are in the folder is not run again either.
"""

import argparse
import json
import os
import secrets
import shutil
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.live_tpcds.asking import (
    COPIES,
    CURRENT,
    Asked,
    kept_of_a_placement,
    kept_of_a_run,
    kept_of_an_analysis,
)
from benchmarks.live_tpcds.making import MARIADB, POSTGRESQL, make, server_of, sizes
from benchmarks.provenance import provenance
from benchmarks.tables.live_tpcds import compared
from benchmarks.trino_server import running_trino
from evaluation.embedded import EmbeddedRequest, running
from workloads.cache import cache_folder, scratch_folder
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources.benchmarks import BENCHMARKS

OURS = "fragments"
ENGINES = (OURS, "spark-native", "trino")
# Measured at scale factors 0.1 and 1: servers, their logs, CSV, Parquet twice, Spark's files.
DISK_BYTES = 8e9


def main() -> None:
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    _refuse_small_disk(arguments.scale, folder)
    catalog = BENCHMARKS["tpcds"].generate(arguments.scale, cache_folder(), Silent())
    requests = (
        EmbeddedRequest(store=POSTGRESQL, kind="postgresql"),
        EmbeddedRequest(store=MARIADB, kind="mysql"),
    )
    with running(requests, folder, Silent()) as connections:
        asked = Asked(
            folder=folder,
            connections=connections,
            password=secrets.token_hex(16),
            queries=tuple(arguments.queries),
            capacity=arguments.capacity,
            timeout_s=arguments.timeout,
            driver_memory=arguments.driver_memory,
        )
        started = time.perf_counter()
        with scratch_folder(folder / "csv") as scratch:
            make(catalog, connections, asked.password, scratch, Silent())
        _tell(f"the servers have their tables after {time.perf_counter() - started:.0f} s")
        result: dict[str, Any] = {
            "scale_factor": arguments.scale,
            "timeout_s": arguments.timeout,
            "capacity": arguments.capacity,
            "tables": _tables(catalog),
            "server_bytes": sizes(connections),
        }
        asked.write()
        result |= _planned(asked)
        result["runs"] = {}
        for engine in arguments.engines:
            result["runs"][engine] = _measured(asked, engine, arguments)
            _write(arguments.output, result, load_before)
    print(compared(result))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--queries", nargs="+", type=int, default=[], help="numbers [all 99]")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--strategies", default="naive,optimal")
    parser.add_argument("--capacity", default="40%", help="of the DuckDB for copies")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--driver-memory", default="3g")
    parser.add_argument("--resume", action="store_true", help="keep what engines answered before")
    parser.add_argument("--folder", type=Path, default=None, help="of the servers, and all files")
    parser.add_argument("-o", "--output", type=Path, default=None)
    arguments = parser.parse_args()
    name = f"live_tpcds_sf{arguments.scale:g}"
    arguments.folder = arguments.folder or cache_folder() / "benchmarks" / name
    arguments.output = arguments.output or Path(__file__).parents[1] / "results" / f"{name}.json"
    return arguments


def _refuse_small_disk(scale: float, folder: Path) -> None:
    free, needed = shutil.disk_usage(folder).free, DISK_BYTES * scale
    if free < needed:
        sys.exit(
            f"{folder} has {free / 1e9:.1f} GB free, and scale factor {scale:g} takes about "
            f"{needed / 1e9:.0f} GB: name another folder with --folder, or take a smaller --scale."
        )


def _tables(catalog: Catalog) -> dict[str, dict[str, int]]:
    found = {name: {"tables": 0, "rows": 0, "bytes": 0} for name in (POSTGRESQL, MARIADB)}
    for table in catalog.tables.values():
        of_server = found[server_of(table.name)]
        of_server["tables"] += 1
        of_server["rows"] += table.rows
        of_server["bytes"] += table.bytes
    return found


def _planned(asked: Asked) -> dict[str, Any]:
    """Return what `analyze` and `place` find, and their seconds."""
    found: dict[str, Any] = {}
    for name, kept, stores in (
        ("analyze", kept_of_an_analysis, ()),
        ("place", kept_of_a_placement, ("--with", COPIES)),
    ):
        started = time.perf_counter()
        answer = kept(asked.command(name, *stores))
        found[name] = {**answer, "wall_s": round(time.perf_counter() - started, 1)}
        _tell(f"{name}: {found[name]['wall_s']} s")
    return found


def _measured(asked: Asked, engine: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what came of an engine's run, which is kept in the folder."""
    kept = asked.folder / f"{engine}.json"
    if arguments.resume and kept.is_file():
        found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    rounds = ("--repeats", str(arguments.repeats))
    started = time.perf_counter()
    if engine == OURS:
        run = ("run", "--with", COPIES, "--strategies", arguments.strategies)
        answer = asked.command(*run, *rounds, "--all-repeats")
    else:
        answer = _by_a_peer(asked, engine, rounds)
    found = {**kept_of_a_run(answer), "wall_s": round(time.perf_counter() - started, 1)}
    _tell(f"{engine}: {found['wall_s']} s")
    kept.write_text(json.dumps(found), encoding="utf-8")
    return found


def _by_a_peer(asked: Asked, engine: str, rounds: tuple[str, ...]) -> dict[str, Any]:
    """Measure the tables where they are by another engine."""
    plan = asked.folder / "current.json"
    asked.command("place", "-s", CURRENT, "-o", str(plan))
    with ExitStack() as stack:
        if engine == "trino":
            asked.write(stack.enter_context(running_trino(asked.as_reader())))
        return asked.command("evaluate", str(plan), "--engine", engine, *rounds)


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _write(output: Path, result: dict[str, Any], load_before: float) -> None:
    answer = {**provenance("benchmarks.live_tpcds", load_before), **result}
    output.parent.mkdir(parents=True, exist_ok=True)
    unfinished = output.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    unfinished.replace(output)


if __name__ == "__main__":
    main()
