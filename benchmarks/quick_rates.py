"""Measure how well quick rates predict, beside default rates, here or on a slower machine.

python -m benchmarks.quick_rates [conf/paper.toml] [--scale-factor 0.1] [--repeats 3]
    [--cores N] [--cpu-share S] [--slow STORE …] [-o results.json]

Calibrates the project's stores quickly, places it by default rates, measures the candidates, each
in all repeats, and prices what was measured by both rates. `--cores` pins all processes to so many
processors, and `--cpu-share` lets them have so many processors' time (cgroups, v1, as root). The
stores named by `--slow` are behind a relay of 50 Mbit/s and 1.2 ms. The project has a folder of its
own below the cache, which is removed: nothing is known beforehand, and its servers are empty.
"""

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from advisor.analysis.analyze import analyze
from advisor.measuring.measure import measure
from advisor.measuring.open_stores import OpenStores
from advisor.measuring.quick_calibration import quick_calibration
from advisor.pipeline import place, prepare
from advisor.problem.calibrations import calibrations_folder
from advisor.problem.prepared import Prepared
from advisor.project.config import load_project
from advisor.report.progress import progress_to
from benchmarks.control_groups import little_cpu
from benchmarks.provenance import provenance
from benchmarks.slow_link import slow_link
from evaluation.bench import KeptBench
from evaluation.calibration.calibration import Calibration, write_calibration
from evaluation.measuring.measurement import CandidateMeasurement, Measurements
from evaluation.measuring.prediction_quality import kendall_tau_b
from evaluation.store_protocol.connection import Connection
from placement.problem import PlacementProblem
from workloads.cache import remove
from workloads.progress import Progress

CONF = Path(__file__).parents[1] / "conf"
SLOW = {"bits_per_s": 50e6, "round_trip_s": 0.0012}


class Relayed(OpenStores):
    """Open stores some of which are behind slow links."""

    slow: Sequence[str] = ()
    links = ExitStack()

    def connections(self) -> Mapping[str, Connection]:
        """Return store → connection, with a relay's port where the link is slow."""
        if self._found is None:
            found = dict(super().connections())
            for name in self.slow:
                port = found[name].port
                if port is None:
                    raise SystemExit(f"Store '{name}' has no port: only servers can be slow.")
                relay = self.links.enter_context(slow_link(port, **SLOW))
                found[name] = replace(found[name], port=relay)
            self._found = found
        return self._found


def main() -> None:
    arguments = _arguments()
    before = os.getloadavg()[0]
    if arguments.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.cores])
    share = arguments.cpu_share
    with little_cpu(os.getpid(), share) if share else nullcontext():
        found = _found(arguments)
    answer = {
        **provenance("benchmarks.quick_rates", before),
        "scale_factor": arguments.scale_factor,
        "cores": arguments.cores,
        "cpu_share": share,
        "slow": dict.fromkeys(arguments.slow, SLOW),
        **found,
    }
    text = json.dumps(answer, indent=1)
    arguments.output.write_text(text, encoding="utf-8")
    print(json.dumps({name: answer[name] for name in ("quick_s", "servers_s", "errors")}, indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("project", nargs="?", type=Path, default=CONF / "paper.toml")
    parser.add_argument("--scale-factor", type=float, default=0.1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cores", type=int, default=None)
    parser.add_argument("--cpu-share", type=float, default=None)
    parser.add_argument("--slow", nargs="+", default=(), metavar="STORE")
    default = Path(__file__).parent / "results" / "quick_rates.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    return parser.parse_args()


def _found(arguments: argparse.Namespace) -> Mapping[str, Any]:
    with tempfile.TemporaryDirectory() as name, progress_to(None) as progress:
        file = Path(shutil.copy(arguments.project, name))
        overrides = {
            "catalog": {"scale_factor": arguments.scale_factor},
            "evaluate": {"repeats": arguments.repeats, "all_repeats": True},
        }
        project = load_project(file, overrides)
        try:
            analysis = analyze(project, progress, needs_data=True)
            default = prepare(project, analysis)
            with _opened(default, arguments.slow, progress) as opened:
                started = perf_counter()
                opened.connections()
                servers_s = perf_counter() - started
                calibration = quick_calibration(project, analysis.catalog, opened, progress)
                write_calibration(calibration, calibrations_folder(project))
                quick = prepare(project, analysis)
                plans = place(default.problem, project.place.strategies, progress).plans
                measured = measure(default, plans, progress, opened)
        finally:
            remove(project.folder)
    return {
        "quick_s": servers_s + calibration.seconds,
        "servers_s": servers_s,
        "observed": calibration.observed,
        "left_out": [f"{each.query} on {each.placement}" for each in calibration.left_out],
        "factors": _factors(default, calibration),
        "errors": {
            "default": _errors(measured, default.problem),
            "quick": _errors(measured, quick.problem),
        },
        "candidates": [
            _candidate(each, default.problem, quick.problem) for each in measured.candidates
        ],
    }


@contextmanager
def _opened(prepared: Prepared, slow: Sequence[str], progress: Progress) -> Iterator[OpenStores]:
    with ExitStack() as stores, ExitStack() as links, ExitStack() as spark:
        opened = Relayed(prepared.project, progress, stores, KeptBench(progress, spark))
        opened.slow, opened.links = slow, links
        yield opened


def _factors(default: Prepared, found: Calibration) -> Mapping[str, Mapping[str, float]]:
    """Return how many times its default each rate is, of every store and of the engine."""
    known = {store.name: store.strength for store in default.problem.stores}
    stores = {
        name: {rate: each.value / getattr(known[name], rate) for rate, each in store.rates.items()}
        for name, store in found.stores.items()
    }
    engine = default.problem.costs.engine
    return {
        **stores,
        "the engine": {
            rate: each.value / getattr(engine, rate) for rate, each in found.engine.items()
        },
    }


def _errors(measured: Measurements, problem: PlacementProblem) -> Mapping[str, Any]:
    """Return the relative errors of queries, and whether candidates are predicted in order."""
    errors = [
        (predicted - seconds) / seconds
        for each in measured.candidates
        for predicted, seconds in _pairs(each, problem)
    ]
    known = [each for each in measured.candidates if each.measured_s is not None]
    tau = kendall_tau_b(
        [sum(predicted for predicted, _ in _pairs(each, problem)) for each in known],
        [each.measured_s for each in known if each.measured_s is not None],
    )
    first, _, third = quantiles(map(abs, errors))
    return {
        "queries": len(errors),
        "median": median(map(abs, errors)),
        "quartiles": [first, third],
        "bias": median(errors),
        "tau": tau,
    }


def _pairs(
    candidate: CandidateMeasurement, problem: PlacementProblem
) -> Iterator[tuple[float, float]]:
    """Yield predicted and measured seconds of each query as it was run."""
    for query in candidate.queries:
        if query.measured_s:
            yield _price(candidate, query.query, problem), query.measured_s


def _price(candidate: CandidateMeasurement, query: str, problem: PlacementProblem) -> float:
    sources = len(problem.query(query).sources)
    return sum(
        problem.costs.fetched(
            each.fragment, problem.store(each.store), sources, each.transfer
        ).total_s
        for each in candidate.plan.routing[query]
    )


def _candidate(
    candidate: CandidateMeasurement, default: PlacementProblem, quick: PlacementProblem
) -> Mapping[str, Any]:
    return {
        "strategy": candidate.plan.strategy,
        "queries": [
            {
                "name": query.query,
                "measured_s": query.measured_s,
                "default_s": _price(candidate, query.query, default),
                "quick_s": _price(candidate, query.query, quick),
            }
            for query in candidate.queries
        ],
    }


if __name__ == "__main__":
    main()
