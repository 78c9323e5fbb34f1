"""Compare TPC-DS with the indexes of the source, which has none, and with those that are chosen.

python -m benchmarks.advised_indexes [--stores NAMES] [--queries NAMES] [--scale-factor SF]
    [--calibrated-at SF | --default-rates] [--repeats N] [--turns N] [-o results.json]

STORES are `maria`, `pg`, or both with a comma: one project with all of them. Its best plan is made
with `indexes = "source"` and with `indexes = "advise"`. Each has copies of its own, in a namespace
of its own of the same embedded servers, and they are measured in turns. A query is called slower if
its fastest execution with chosen indexes takes longer than its slowest without. The stores are
calibrated first, on TPC-H at scale factor 0.2, unless their default rates are asked for: these know
nothing of a server's memory. The data are removed at the end. It needs an idle machine.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from advisor.analysis.analyze import analyze
from advisor.commands.calibrate import REPEATS, SCALE_FACTOR
from advisor.measuring.calibrate import calibrate
from advisor.measuring.measure import measure
from advisor.pipeline import prepare
from advisor.problem.calibrations import calibrations_folder
from advisor.problem.prepared import Prepared
from advisor.project.config import load_project
from advisor.project.project import Project
from advisor.report.progress import PlainProgress
from benchmarks.provenance import provenance
from evaluation.calibration.calibration import write_calibration
from placement.plan import PlacementPlan
from placement.reasons.indexes import index_gains
from placement.strategies.optimal import Optimal
from workloads.progress import Progress

KINDS = {"maria": "mysql", "pg": "postgresql"}
WAYS: tuple[Literal["source", "advise"], ...] = ("source", "advise")
ASKED = ("q15", "q84")
"""Queries that indexes over their joins are known to speed up in MariaDB."""


def main() -> None:
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    with PlainProgress(sys.stderr) as progress, TemporaryDirectory() as folder:
        project = _project(Path(folder), arguments)
        try:
            if arguments.calibrated_at is not None:
                _calibrate(project, arguments.calibrated_at, progress)
            placed = {way: _placed(project, way, progress) for way in WAYS}
            measured = _measured(placed, arguments.turns, progress)
        finally:
            shutil.rmtree(project.folder, ignore_errors=True)
    queries = list(_queries(placed, measured))
    answer = {
        **provenance("benchmarks.advised_indexes", load_before),
        "stores": arguments.stores,
        "scale_factor": arguments.scale_factor,
        "calibrated_at_scale_factor": arguments.calibrated_at,
        "repeats": arguments.repeats,
        "turns": arguments.turns,
        "plans": {way: _told(placed[way], measured[way].load_s) for way in WAYS},
        "summary": _summary(queries),
        "queries": queries,
    }
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(json.dumps(answer["summary"], indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stores", type=lambda text: text.split(","), default=["maria"])
    parser.add_argument("--queries", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--scale-factor", type=float, default=1.0)
    rates = parser.add_mutually_exclusive_group()
    rates.add_argument("--calibrated-at", type=float, default=SCALE_FACTOR)
    rates.add_argument("--default-rates", action="store_const", const=None, dest="calibrated_at")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--turns", type=int, default=2)
    default = Path(__file__).parent / "results" / "advised_indexes.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    return parser.parse_args()


def _project(folder: Path, arguments: argparse.Namespace) -> Project:
    """Return the project of TPC-DS on the stores asked for; they are embedded."""
    stores = "".join(
        f'[stores.{name}]\nkind = "{KINDS[name]}"\nembedded = true\n' for name in arguments.stores
    )
    queries = "" if arguments.queries is None else f"queries = {arguments.queries}\n"
    file = folder / "advised_indexes.toml"
    file.write_text(
        f'[workload]\nsource = "tpcds"\n{queries}'
        f'[catalog]\nsource = "tpcds"\nscale_factor = {arguments.scale_factor}\n{stores}'
        f"[evaluate]\nrepeats = {arguments.repeats}\nall_repeats = true\n",
        encoding="utf-8",
    )
    return load_project(file)


def _calibrate(project: Project, scale_factor: float, progress: Progress) -> None:
    """Measure the stores' rates and memory, for the predictions that both plans are made by."""
    found = calibrate(project, progress, scale_factor=scale_factor, repeats=REPEATS)
    write_calibration(found, calibrations_folder(project))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A plan, all that it is made from, and the CPU seconds that placing took."""

    prepared: Prepared
    plan: PlacementPlan
    placing_cpu_s: float


def _placed(project: Project, way: Literal["source", "advise"], progress: Progress) -> _Placed:
    """Return the best plan with such indexes, of a project whose stores have copies of its own."""
    asked = replace(
        project,
        place=replace(project.place, indexes=way),
        stores=tuple(replace(each, namespace=f"advised_{way}") for each in project.stores),
    )
    prepared = prepare(asked, analyze(asked, progress, needs_data=True))
    with progress.task(f"Placing with indexes = {way!r}"):
        started = time.process_time()
        plan = Optimal()(prepared.problem)
        placing_cpu_s = time.process_time() - started
    return _Placed(prepared=prepared, plan=plan, placing_cpu_s=placing_cpu_s)


@dataclass(slots=True, kw_only=True)
class _Measured:
    """The executions of a plan's queries over all turns."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    outcomes: dict[str, str] = field(default_factory=dict)
    load_s: float = 0.0


def _measured(
    placed: Mapping[str, _Placed], turns: int, progress: Progress
) -> Mapping[str, _Measured]:
    """Measure the plans in turns, so that what disturbs the machine disturbs both."""
    found = {way: _Measured() for way in placed}
    for _ in range(turns):
        for way, made in placed.items():
            (candidate,) = measure(made.prepared, (made.plan,), progress).candidates
            found[way].load_s = candidate.load_s
            for each in candidate.queries:
                found[way].seconds[each.query] += each.seconds
                found[way].outcomes[each.query] = str(each.outcome)
    return found


def _queries(
    placed: Mapping[str, _Placed], measured: Mapping[str, _Measured]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each query: its seconds without and with chosen indexes."""
    for query in placed["source"].plan.routing:
        before, after = (measured[way].seconds[query] for way in WAYS)
        both = bool(before) and bool(after)
        yield {
            "query": query,
            "predicted_s": {way: made.plan.query_s(query) for way, made in placed.items()},
            "seconds": {"source": before, "advise": after},
            "outcomes": {way: measured[way].outcomes.get(query) for way in WAYS},
            "ratio": statistics.median(after) / statistics.median(before) if both else None,
            "slower": min(after) > max(before) if both else None,
        }


def _summary(queries: list[dict[str, Any]]) -> dict[str, Any]:
    compared = [each for each in queries if each["ratio"] is not None]
    total_s = {
        way: sum(statistics.median(each["seconds"][way]) for each in compared) for way in WAYS
    }
    return {
        "compared": len(compared),
        "not_compared": [each["query"] for each in queries if each["ratio"] is None],
        "total_s": total_s,
        "slower": [each["query"] for each in compared if each["slower"]],
        "ratios": {each["query"]: each["ratio"] for each in compared if each["query"] in ASKED},
        "at_most_half": [each["query"] for each in compared if each["ratio"] <= 0.5],
        "most_slower": max((each["ratio"] for each in compared), default=None),
    }


def _told(made: _Placed, load_s: float) -> dict[str, Any]:
    plan = made.plan
    return {
        "outcome": str(plan.outcome),
        "predicted_s": plan.predicted_s,
        "bound_s": plan.bound_s,
        "placing_cpu_s": made.placing_cpu_s,
        "load_s": load_s,
        "kept_bytes": {
            each.name: each.strength.kept_bytes for each in made.prepared.problem.stores
        },
        "indexes": [
            {
                "store": each.store,
                "index": str(each.index),
                "bytes": each.size_bytes,
                "gain_s": each.gain_s,
                "queries": list(each.queries),
            }
            for each in index_gains(made.prepared.problem, plan)
        ],
    }


if __name__ == "__main__":
    main()
