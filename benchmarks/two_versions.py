"""Time the same queries in two checkouts of this project, in turn, over the same copies.

python -m benchmarks.two_versions BEFORE AFTER [--scale-factor SF] [--placements NAME …]
    [--queries N …] [--repeats N] [-o results.json]

BEFORE and AFTER are folders of checkouts. One process of each, with a Spark of its own, answers by
the engine `fragments`; the embedded stores and the copies in them are those of this checkout. For
each query on each placement both versions run it twice as a warm-up, and then once in each of the
repeats, in a seeded random order. One version waits while the other runs: whatever disturbs the
machine disturbs both. Answers are not compared here: `benchmarks.engines` does that.
"""

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import IO, Any

from advisor.analysis.analyze import analyze
from advisor.pipeline import prepare
from advisor.project.config import load_project
from benchmarks.every_query import PROJECT, plans_of, stores
from benchmarks.provenance import commit, provenance
from evaluation.engines import ENGINES
from evaluation.evaluate import open_session
from evaluation.load import load
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.plan import PlacementPlan
from workloads.progress import Silent

TEN = (1, 9, 12, 15, 62, 80, 84, 86, 90, 91)
WARM_UPS = 2


def main() -> None:
    if sys.argv[1:2] == ["answer"]:
        answer(json.loads(sys.stdin.readline()))
        return
    arguments = _arguments()
    load_before = os.getloadavg()[0]
    results = list(_compared(arguments))
    before, after = (sum(median(each[side]) for each in results) for side in ("before", "after"))
    answered = {
        **provenance("benchmarks.two_versions", load_before),
        "before": commit(arguments.before),
        "after": commit(arguments.after),
        "scale_factor": arguments.scale_factor,
        "repeats": arguments.repeats,
        "seed": arguments.seed,
        "before_s": before,
        "after_s": after,
        "results": results,
    }
    arguments.output.write_text(json.dumps(answered, indent=1), encoding="utf-8")
    print(
        f"{len(results)} queries on placements: {before:.2f} s before, {after:.2f} s after, "
        f"{(after - before) / len(results):+.3f} s each"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--scale-factor", type=float, default=1.0)
    parser.add_argument("--placements", nargs="+", default=["pg", "paper_1", "paper_2"])
    parser.add_argument("--queries", nargs="+", type=int, default=list(TEN))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(__file__).parent / "results/two_versions.json"
    )
    return parser.parse_args()


def _compared(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    order = random.Random(arguments.seed)
    asked = {"scale_factor": arguments.scale_factor, "queries": arguments.queries}
    job, plans = _job(asked, arguments.placements, {})
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        found = stack.enter_context(stores(folder, Silent()))
        load(job.catalog, list(plans.values()), found, Silent())
        given = {**asked, "placements": arguments.placements, "connections": _written(found)}
        sides = {
            side: stack.enter_context(_version(getattr(arguments, side), given))
            for side in ("before", "after")
        }
        for placement in plans:
            for query in job.workload.queries:
                seconds: dict[str, list[float]] = {side: [] for side in sides}
                for turn in range(WARM_UPS + arguments.repeats):
                    for side in order.sample(sorted(sides), len(sides)):
                        took = sides[side].seconds(placement, query.name)
                        if turn >= WARM_UPS:
                            seconds[side].append(took)
                print(
                    f"{query.name} {placement} {median(seconds['before']):.3f} s before, "
                    f"{median(seconds['after']):.3f} s after",
                    file=sys.stderr,
                    flush=True,
                )
                yield {"placement": placement, "query": query.name, **seconds}


class _Version:
    """A process of one checkout."""

    def __init__(self, given: IO[str], told: IO[str]) -> None:
        self._given, self._told = given, told

    def seconds(self, placement: str, query: str) -> float:
        """Return the seconds of one execution."""
        print(placement, query, file=self._given, flush=True)
        return float(self.line("seconds "))

    def line(self, start: str) -> str:
        """Return the rest of the next line that begins with `start`."""
        for line in self._told:
            if line.startswith(start):
                return line.removeprefix(start)
        raise SystemExit("A version has ended before its time.")


@contextmanager
def _version(folder: Path, given: dict[str, Any]) -> Iterator[_Version]:
    """Start this program in the checkout `folder`; passwords go through its standard input."""
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), "answer"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder.resolve())},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise SystemExit("There are no pipes.")
        version = _Version(process.stdin, process.stdout)
        print(json.dumps(given), file=process.stdin, flush=True)
        version.line("ready")
        yield version


def answer(given: dict[str, Any]) -> None:
    """Run what standard input names, ``PLACEMENT QUERY`` a line, and print the seconds."""
    connections = {name: _read(each) for name, each in given["connections"].items()}
    job, plans = _job(given, given["placements"], connections)
    engine_of: Any = ENGINES["fragments"]
    with open_session(job, Silent()) as spark, engine_of(spark, job, None) as engine:
        prepared: dict[tuple[str, str], Any] = {}
        print("ready", flush=True)
        for line in sys.stdin:
            placement, query = line.split()
            if (placement, query) not in prepared:
                prepared[placement, query] = engine.prepare(query, plans[placement])
            print("seconds", prepared[placement, query].run().seconds, flush=True)


def _job(
    asked: dict[str, Any], placements: list[str], connections: dict[str, Connection]
) -> tuple[Job, dict[str, PlacementPlan]]:
    project = load_project(
        PROJECT,
        {
            "catalog": {"scale_factor": asked["scale_factor"]},
            "workload": {"queries": asked["queries"]},
        },
    )
    analysis = analyze(project, Silent())
    problem = prepare(project, analysis).problem
    plans = {name: plan for name in placements for plan in plans_of(name, problem, 0, 1)}
    job = Job(workload=analysis.workload, catalog=analysis.catalog, connections=connections)
    return job, plans


def _written(found: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401
    return {
        name: {
            each.name: str(value) if isinstance(value, Path) else value
            for each in fields(connection)
            if (value := getattr(connection, each.name)) is not None
        }
        for name, connection in found.items()
    }


def _read(given: dict[str, Any]) -> Connection:
    """Return a connection, as far as this version knows what is said of it."""
    known = {each.name for each in fields(Connection)}
    return Connection(
        **{
            name: Path(value) if name in ("path", "password_file") else value
            for name, value in given.items()
            if name in known
        }
    )


if __name__ == "__main__":
    main()
