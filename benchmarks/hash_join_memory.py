"""Sweep the memory of hash joins in PostgreSQL, MariaDB and DuckDB, beside what the model says.

python -m benchmarks.hash_join_memory [--rows N] [--probes N] [--scale-factor SF] [-o results.json]

Each store runs a large join, whose probes come at random, and query 8 of TPC-H, with settings from
64 KiB to 1 GiB: `work_mem`, `join_buffer_size`, `memory_limit`. Before that, a short sweep over two
joins finds how the store joins (`evaluation.calibration.join_memory`): one whose probes all find a
row, and one where few do. Their hash table is twice as large as the largest cache. The model then
recommends a setting for each of the two. Settings that the model says would take more than
`--limit` CPU seconds are not run. How far the recommended one is from the sweep's best is told in
CPU seconds, which a busy machine disturbs less. Rounds are interleaved, in a seeded order. The
default size takes about ten minutes on two idle cores. The joins of query 8 are those of
PostgreSQL's plan, for all three stores.
"""

import argparse
import json
import os
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.join_stores import KINDS, JoinStore, PostgreSQL, Run, TooLateError, opened
from benchmarks.provenance import provenance
from benchmarks.short_joins import (
    join_of,
    measured_machine,
    say,
    short_joins,
    short_rows,
    short_sweeps,
)
from evaluation.calibration.caches import said_caches
from evaluation.calibration.join_memory import fitted, memory_settings
from evaluation.embedded import EmbeddedRequest, running, status
from evaluation.load import load
from placement.memory.hybrid_hash import JoinCost
from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import Machine
from placement.plan import Outcome, PlacementPlan
from workloads.benchmarks import tpch
from workloads.cache import cache_folder
from workloads.progress import Silent

SETTINGS = tuple(1 << power for power in range(16, 31, 2))
DEFAULT_BYTES = 64 << 20
"""The setting of the embedded servers, without a measurement."""
# Seconds that a statement may take for each CPU second: others use the machine too.
_PATIENCE = 20
_QUERY, _TABLES = 8, ("part", "supplier", "lineitem", "orders", "customer", "nation", "region")


@dataclass(slots=True)
class Point:
    """One store, join and setting: its runs, or why there are none."""

    store: str
    join: str
    setting: int
    runs: list[Run] = field(default_factory=list)
    message: str | None = None

    @property
    def cpu_s(self) -> float | None:
        return median(each.cpu_s for each in self.runs) if self.runs else None


@dataclass(frozen=True, slots=True)
class Modelled:
    """Figures that the model needs for one store and query."""

    store: JoinStore
    joins: Sequence[HashJoin]
    machine: Machine
    fit: StoreJoins

    def cost(self, setting: int) -> JoinCost:
        return self.store.method(self.joins, setting, self.machine, self.fit)


def main() -> None:
    arguments = _arguments()
    before = os.getloadavg()[0]
    found = measured(arguments)
    answer = {**provenance("benchmarks.hash_join_memory", before), **found}
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(json.dumps(answer["recommended"], indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=200_000, help="of the large join's hash table")
    parser.add_argument("--probes", type=int, default=800_000)
    parser.add_argument("--scale-factor", type=float, default=0.5, help="of query 8's data")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--limit", type=float, default=4.0, help="CPU seconds of a statement")
    parser.add_argument("--seed", type=int, default=0)
    default = Path(__file__).parent / "results" / "hash_join_memory.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    return parser.parse_args()


def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    catalog = tpch.generate(arguments.scale_factor, cache_folder(), Silent())
    plan = PlacementPlan(
        strategy="all",
        outcome=Outcome.FEASIBLE,
        placement=dict.fromkeys(_TABLES, tuple(KINDS)),
        routing={},
        predicted_s=0.0,
    )
    requests = [EmbeddedRequest(store=name, kind=kind) for name, kind in KINDS.items()]
    with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
        machine, described = measured_machine(Path(folder), arguments.seed)
        with running(requests, Path(folder), Silent()) as connections:
            load(catalog, [plan], connections, Silent())
            say("loaded")
            pids = {each.store: each.pid for each in status(Path(folder))}
            with opened(connections, pids, _PATIENCE * arguments.limit) as stores:
                return {**described, **_swept(stores, machine, arguments)}


def _swept(
    stores: Mapping[str, JoinStore], machine: Machine, arguments: argparse.Namespace
) -> dict[str, Any]:
    rows, probes = arguments.rows, arguments.probes
    for store in stores.values():
        store.make("short", short_rows(machine), short_rows(machine))
        store.make("large", rows, probes)
    say("tables are made")
    sql = {"large": join_of("large"), "q8": _query()}
    planner = stores["pg"]
    if not isinstance(planner, PostgreSQL):
        raise TypeError("PostgreSQL plans")
    joins = {name: planner.plan(each) for name, each in sql.items()}
    short = {each: planner.plan(each) for each in short_joins()}
    swept = {name: short_sweeps(name, store, short) for name, store in stores.items()}
    fits = {
        name: fitted(swept[name], machine, store.method, store.joins).joins
        for name, store in stores.items()
    }
    models = {
        (name, join): Modelled(stores[name], joins[join], machine, fits[name])
        for name in stores
        for join in sql
    }
    points = [
        _planned(*each, setting, arguments.limit) for each in models.items() for setting in SETTINGS
    ]
    _run(points, stores, sql, arguments)
    return {
        "joins": {name: [asdict(join) for join in each] for name, each in joins.items()},
        "short_sweeps": {name: [asdict(each) for each in swept[name]] for name in stores},
        "store_joins": {name: asdict(each) for name, each in fits.items()},
        "recommended": [
            _recommended(name, join, points, models[name, join]) for name in stores for join in sql
        ],
        "points": [_record(point, models[point.store, point.join]) for point in points],
    }


def _planned(where: tuple[str, str], modelled: Modelled, setting: int, limit_s: float) -> Point:
    """Return a point that is to be run, or says that it would take too long."""
    cpu_s = modelled.cost(setting).cpu_s
    late = f"not run: the model says {cpu_s:.0f} s" if cpu_s > limit_s else None
    return Point(store=where[0], join=where[1], setting=setting, message=late)


def _query() -> str:
    (query,) = tpch.queries([_QUERY]).queries
    return query.sql


def _run(
    points: Sequence[Point],
    stores: Mapping[str, JoinStore],
    sql: Mapping[str, str],
    arguments: argparse.Namespace,
) -> None:
    draw = random.Random(arguments.seed)
    answers: dict[tuple[str, str], str] = {}
    for store in stores.values():
        for join in sql:
            # The pages of its tables are in memory from here on.
            store.run(sql[join], max(SETTINGS))
    for number in range(arguments.repeats):
        for point in draw.sample(points, len(points)):
            if point.message is not None:
                continue
            store = stores[point.store]
            try:
                run = store.run(sql[point.join], point.setting)
            except TooLateError as error:
                point.message = str(error)
                continue
            same = answers.setdefault((point.store, point.join), run.answer)
            if same != run.answer:
                raise ValueError(f"{point} answers {run.answer}, not {same}")
            point.runs.append(run)
        say(f"round {number + 1} of {arguments.repeats}")


def _recommended(
    name: str,
    join: str,
    points: Sequence[Point],
    modelled: Modelled,
) -> dict[str, Any]:
    """Compare the recommended setting with the sweep's best, and others with it too."""
    mine = {
        each.setting: each.cpu_s
        for each in points
        if (each.store, each.join) == (name, join) and each.cpu_s is not None
    }
    choice = memory_settings(
        modelled.joins,
        modelled.machine,
        modelled.store.method,
        modelled.fit,
        sorted(mine),
        bounds_all=modelled.store.bounds_all,
    )
    best = min(mine, key=lambda setting: mine[setting])
    said = max((each.size_bytes for each in said_caches()), default=0)
    in_cache = max((each for each in mine if each <= said), default=None)

    def times_best(setting: int | None) -> float | None:
        return round(mine[setting] / mine[best], 3) if setting in mine else None

    return {
        "store": name,
        "join": join,
        "setting": modelled.store.knob,
        "recommended_bytes": int(choice.chosen.memory_bytes),
        "best_bytes": best,
        "recommended_times_best": times_best(int(choice.chosen.memory_bytes)),
        "of_64_mib": times_best(DEFAULT_BYTES),
        "largest_in_said_cache_bytes": in_cache,
        "of_said_cache": times_best(in_cache),
        "reason": choice.reason,
    }


def _record(
    point: Point,
    modelled: Modelled,
) -> dict[str, Any]:
    model = modelled.cost(point.setting)
    told = [each.told for each in point.runs]
    return {
        "store": point.store,
        "join": point.join,
        "bytes": point.setting,
        "cpu_s": [round(each.cpu_s, 3) for each in point.runs],
        "seconds": [round(each.seconds, 3) for each in point.runs],
        "told": median(each for each in told if each is not None) if any(told) else None,
        "modelled_cpu_s": round(model.cpu_s, 3),
        "modelled_batches": model.batches,
        "modelled_spilled_bytes": round(model.spilled_bytes),
        "message": point.message,
    }


if __name__ == "__main__":
    main()
