"""Sweep PostgreSQL's `work_mem` on a fast and on a slow disk, beside what the model says.

python -m benchmarks.slow_disk_joins [--reads 150] [--memory-mib 24] [-o results.json]

The slow disk answers so many reads a second, like a rotating one (cgroups, v1, as root). So that
spilled rows come from the disk at all, the server's process has little memory, the page cache of
its files in it. Compared are seconds without those in which it could have run and others did. A
short sweep in memory finds how the server joins; the model has the disk from a profile that is
measured under the same limit.
"""

import argparse
import json
import os
import random
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from typing import Any

import psycopg

from benchmarks.control_groups import few_reads, little_memory
from benchmarks.join_stores import PostgreSQL, TooLateError
from benchmarks.logins import postgresql_login
from benchmarks.provenance import provenance
from benchmarks.short_joins import (
    join_of,
    measured_machine,
    say,
    short_joins,
    short_rows,
    short_sweeps,
)
from evaluation.calibration.join_memory import fitted, memory_settings
from evaluation.calibration.request_rates import swept_disk
from evaluation.embedded import EmbeddedRequest, running
from placement.memory.hybrid_hash import JoinCost, pipeline_cost
from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import Machine
from workloads.cache import cache_folder
from workloads.progress import Silent

SETTINGS = tuple(1 << power for power in (16, 18, 20, 22, 24, 26))
"""Up to 64 MiB: the hash table is in memory then."""


def main() -> None:
    arguments = _arguments()
    before = os.getloadavg()[0]
    found = _measured(arguments)
    answer = {**provenance("benchmarks.slow_disk_joins", before), **found}
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(json.dumps(answer["recommended"], indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=120_000)
    parser.add_argument("--probes", type=int, default=1_200_000)
    parser.add_argument("--reads", type=int, default=150, help="requests a second, slow disk")
    parser.add_argument("--memory-mib", type=int, default=24)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds of a statement")
    parser.add_argument("--seed", type=int, default=0)
    default = Path(__file__).parent / "results" / "slow_disk_joins.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    return parser.parse_args()


def _measured(arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(dir=cache_folder()) as name:
        folder = Path(name)
        fast, described = measured_machine(folder, arguments.seed)
        with few_reads(os.getpid(), folder, arguments.reads):
            slow = swept_disk(folder, seconds=4.0, seed=arguments.seed, progress=Silent())
        kept = float(arguments.memory_mib << 20)
        machines = {
            "fast": replace(fast, page_cache_bytes=kept),
            "slow": replace(fast, page_cache_bytes=kept, disk=slow.rates),
        }
        request = EmbeddedRequest(store="pg", kind="postgresql")
        with (
            running([request], folder, Silent()) as connections,
            psycopg.connect(**postgresql_login(connections["pg"])) as session,
        ):
            session.execute(b"CREATE SCHEMA IF NOT EXISTS joins")
            store = PostgreSQL(session, "joins", arguments.limit)
            store.make("short", short_rows(fast), short_rows(fast))
            store.make("large", arguments.rows, arguments.probes)
            say("tables are made")
            joins = store.plan(join_of("large"))
            short = {each: store.plan(each) for each in short_joins()}
            fit = fitted(short_sweeps("pg", store, short), fast, pipeline_cost, store.joins).joins
            runs = _rounds(store, folder, arguments)
    return {
        **described,
        "slow_disk": asdict(slow),
        "store_joins": asdict(fit),
        "joins": [asdict(each) for each in joins],
        "recommended": [
            _recommended(disk, machine, joins, fit, runs[disk])
            for disk, machine in machines.items()
        ],
        "points": [
            _record(disk, pipeline_cost(joins, setting, machine, fit), runs[disk][setting])
            for disk, machine in machines.items()
            for setting in SETTINGS
        ],
    }


Runs = dict[int, list[tuple[float, float, float | None]]]


def _rounds(store: PostgreSQL, folder: Path, arguments: argparse.Namespace) -> Mapping[str, Runs]:
    """Return disk → setting → undisturbed seconds, CPU seconds and spilled bytes of each run."""
    draw = random.Random(arguments.seed)
    runs: dict[str, Runs] = {disk: {each: [] for each in SETTINGS} for disk in ("fast", "slow")}
    points = [(disk, setting) for disk in runs for setting in SETTINGS]
    with little_memory(store.session.info.backend_pid, arguments.memory_mib << 20):
        for number in range(arguments.repeats):
            for disk, setting in draw.sample(points, len(points)):
                with _on(disk, store, folder, arguments.reads):
                    try:
                        run = store.run(join_of("large"), setting)
                    except TooLateError:
                        continue
                seconds = run.undisturbed_s or run.seconds
                runs[disk][setting].append((seconds, run.cpu_s, run.told))
            say(f"round {number + 1} of {arguments.repeats}")
    return runs


@contextmanager
def _on(disk: str, store: PostgreSQL, folder: Path, reads: int) -> Iterator[None]:
    with ExitStack() as stack:
        if disk == "slow":
            stack.enter_context(few_reads(store.session.info.backend_pid, folder, reads))
        yield


def _recommended(
    disk: str, machine: Machine, joins: tuple[HashJoin, ...], fit: StoreJoins, runs: Runs
) -> dict[str, Any]:
    took = {setting: median(run[0] for run in each) for setting, each in runs.items() if each}
    choice = memory_settings(joins, machine, pipeline_cost, fit, sorted(took))
    best = min(took, key=lambda setting: took[setting])
    chosen = int(choice.chosen.memory_bytes)
    return {
        "disk": disk,
        "recommended_bytes": chosen,
        "best_bytes": best,
        "recommended_times_best": round(took[chosen] / took[best], 3),
        "reason": choice.reason,
    }


def _record(
    disk: str, model: JoinCost, runs: list[tuple[float, float, float | None]]
) -> dict[str, Any]:
    return {
        "disk": disk,
        "bytes": model.memory_bytes,
        "undisturbed_s": [round(seconds, 3) for seconds, _, _ in runs],
        "cpu_s": [round(cpu_s, 3) for _, cpu_s, _ in runs],
        "spilled_bytes": runs[-1][2] if runs else None,
        "modelled_s": round(model.seconds, 3),
        "modelled_cpu_s": round(model.cpu_s, 3),
        "modelled_io_s": None if model.io_s is None else round(model.io_s, 3),
        "modelled_batches": model.batches,
        "modelled_spilled_bytes": round(model.spilled_bytes),
        "request_bytes": model.request_bytes,
    }


if __name__ == "__main__":
    main()
