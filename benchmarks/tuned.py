"""Measure the optimal plan with tuned settings beside the same plan with default ones.

python -m benchmarks.tuned [conf/paper.toml] [--queries all] [--scale-factor 1] [--repeats 3]
    [--slow STORE …] [--calibrated-at SF] [-o results.json]

The default plan fetches all results as the run does, and its sessions have the working memory of
their servers. The tuned one has the same placement and routing, with what `advisor tune
--join-memory` chooses. Both have as many rounds, in which they take turns. The stores named by
`--slow` are behind a relay of 50 Mbit/s and 1 ms, for calibrating and loading too. Rates are those
of the project's newest calibration, unless `--calibrated-at` measures them first: a store behind a
relay has none before.
"""

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from advisor.analysis.analyze import analyze
from advisor.commands.tune import MEMORY
from advisor.measuring.calibrate import calibrate
from advisor.measuring.connections import connections
from advisor.measuring.measure import measure
from advisor.pipeline import place, prepare
from advisor.planned.planned import Planned
from advisor.planned.tuning import tuning
from advisor.problem.calibrations import calibrations_folder
from advisor.project.config import load_project
from advisor.project.project import Project
from advisor.project.sizes import parse_capacity
from advisor.project.store_settings import StoreSettings
from advisor.report.progress import progress_to
from benchmarks.provenance import provenance
from benchmarks.slow_link import SLOW, slow_link
from evaluation.calibration.calibration import write_calibration
from evaluation.measuring.measurement import CandidateMeasurement, QueryMeasurement
from evaluation.store_protocol.connection import Connection
from placement.fetching import Budget
from placement.plan import PlacementPlan, RoutedFragment
from workloads.progress import Progress

CONF = Path(__file__).parents[1] / "conf"
STRATEGY = "optimal"
CALIBRATION_REPEATS = 3


def main() -> None:
    arguments = _arguments()
    before = os.getloadavg()[0]
    with progress_to(None) as progress:
        found = _found(arguments, progress)
    answer = {
        **provenance("benchmarks.tuned", before),
        "scale_factor": arguments.scale_factor,
        "slow": dict.fromkeys(arguments.slow, SLOW),
        **found,
    }
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(json.dumps(answer["plans"], indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("project", nargs="?", type=Path, default=CONF / "paper.toml")
    parser.add_argument("--queries", default="all")
    parser.add_argument("--scale-factor", type=float, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--slow", nargs="+", default=(), metavar="STORE")
    parser.add_argument("--calibrated-at", type=float, default=None)
    parser.add_argument("-o", "--output", type=Path, required=True)
    return parser.parse_args()


def _found(arguments: argparse.Namespace, progress: Progress) -> Mapping[str, Any]:
    queries = arguments.queries
    overrides = {
        "workload": {"queries": queries if queries == "all" else queries.split(",")},
        "catalog": {"scale_factor": arguments.scale_factor},
        "place": {"tune_transfers": False},
        "evaluate": {"repeats": arguments.repeats, "all_repeats": True},
    }
    named = load_project(arguments.project, overrides)
    with _behind_links(named, arguments.slow, progress) as project:
        if arguments.calibrated_at is not None:
            calibration = calibrate(
                project,
                progress,
                scale_factor=arguments.calibrated_at,
                repeats=CALIBRATION_REPEATS,
            )
            write_calibration(calibration, calibrations_folder(project))
        prepared = prepare(project, analyze(project, progress, needs_data=True))
        *_, plan = place(prepared.problem, (STRATEGY,), progress).plans
        given = Planned(
            project=project,
            analysis=prepared.analysis,
            rates=prepared.rates,
            problem=prepared.problem,
            plan=plan,
        )
        budget = Budget(memory_bytes=parse_capacity(MEMORY).size_bytes or 0)
        after = tuning(given, budget, (), memory=True).after
        plans = (replace(plan, strategy="default"), replace(after, strategy="tuned"))
        measured = measure(prepared, plans, progress)
    default, tuned = measured.candidates
    return {
        "repeats": arguments.repeats,
        "placement": plan.placement,
        "settings": [
            {"query": query, **_setting(each)}
            for query, routed in after.routing.items()
            for each in routed
            if each.transfer is not None or each.memory_bytes is not None
        ],
        "plans": {each.plan.strategy: _plan(each) for each in measured.candidates},
        "queries": [
            _query(*pair, after) for pair in zip(default.queries, tuned.queries, strict=True)
        ],
    }


@contextmanager
def _behind_links(project: Project, slow: Sequence[str], progress: Progress) -> Iterator[Project]:
    """Yield the project with its slow stores as servers behind a relay, which run meanwhile."""
    unknown = set(slow) - {each.name for each in project.stores}
    if unknown:
        raise SystemExit(f"The project has no store '{min(unknown)}'.")
    if not slow:
        yield project
        return
    servers = replace(project, stores=tuple(s for s in project.stores if s.name in slow))
    with connections(servers, progress) as found, ExitStack() as links:

        def behind(store: StoreSettings) -> StoreSettings:
            return _relayed(store, found[store.name], links) if store.name in slow else store

        yield replace(project, stores=tuple(map(behind, project.stores)))


def _relayed(store: StoreSettings, server: Connection, links: ExitStack) -> StoreSettings:
    if server.port is None or server.password is None:
        raise SystemExit(f"Store '{store.name}' is no server with a password.")
    variable = f"TUNED_{store.name.upper()}_PASSWORD"
    os.environ[variable] = server.password
    return replace(
        store,
        embedded=False,
        server=None,
        host=server.host,
        port=links.enter_context(slow_link(server.port, **SLOW)),
        database=server.database,
        user=server.user,
        password_env=variable,
    )


def _setting(routed: RoutedFragment) -> Mapping[str, Any]:
    transfer = routed.transfer
    streams = None if transfer is None else transfer.streams
    return {
        "fragment": routed.fragment.name,
        "store": routed.store,
        "fetch_rows": None if transfer is None else transfer.fetch_rows,
        "message_bytes": None if transfer is None else transfer.message_bytes,
        "statements": None if streams is None else streams.count,
        "join_memory_bytes": routed.memory_bytes,
    }


def _plan(found: CandidateMeasurement) -> Mapping[str, Any]:
    """Return a plan's sums over the queries; bytes and memory are of those that an engine tells."""
    peaks = [each.peak_memory_bytes for each in found.queries if each.peak_memory_bytes is not None]
    return {
        "verified": found.verified,
        "predicted_s": found.predicted_s,
        "totals_s": found.totals_s,
        "bytes_moved": sum(each.bytes_moved for each in found.queries),
        "peak_memory_bytes": max(peaks, default=None),
    }


def _query(
    default: QueryMeasurement, tuned: QueryMeasurement, after: PlacementPlan
) -> Mapping[str, Any]:
    return {
        "name": default.query,
        "has_settings": any(
            each.transfer is not None or each.memory_bytes is not None
            for each in after.routing[default.query]
        ),
        **{
            name: {
                "outcome": each.outcome,
                "seconds": each.seconds,
                "bytes_moved": each.bytes_moved,
                "peak_memory_bytes": each.peak_memory_bytes,
            }
            for name, each in (("default", default), ("tuned", tuned))
        },
    }


if __name__ == "__main__":
    main()
