"""Measure the optimal plan with tuned settings beside the same plan with default ones.

python -m benchmarks.tuned [conf/paper.toml] [--queries all] [--scale-factor 1] [--repeats 3]
    [--slow STORE …] [--calibrated-at SF] [-o results.json]

The default plan fetches all results as the run does, and its sessions have the working memory of
their servers. The tuned one has the same placement and routing, with what `advisor tune
--join-memory` chooses. Both have as many rounds, in which they take turns. The stores named by
`--slow` are embedded servers of PostgreSQL, MariaDB or MySQL. They are behind a relay of 50 Mbit/s
and 1 ms, for calibrating and loading too. Rates are those of the project's newest calibration,
unless `--calibrated-at` measures them first. Behind a relay it has to, and that calibration is
removed at the end.
"""

import argparse
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
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
RELAYED = ("postgresql", "mysql")
"""The kinds of which all bytes go through the one port of their connection."""


def main() -> None:
    arguments = _arguments()
    before = os.getloadavg()[0]
    with progress_to(None) as progress:
        found = _found(arguments, progress)
    answer = {
        **provenance("benchmarks.tuned", before),
        "project": arguments.project.stem,
        "scale_factor": arguments.scale_factor,
        "calibrated_at": arguments.calibrated_at,
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
    arguments = parser.parse_args()
    if arguments.slow and arguments.calibrated_at is None:
        parser.error("--slow needs --calibrated-at: nothing is known of a store behind a relay")
    return arguments


def _found(arguments: argparse.Namespace, progress: Progress) -> Mapping[str, Any]:
    queries = arguments.queries
    overrides = {
        "workload": {"queries": queries if queries == "all" else queries.split(",")},
        "catalog": {"scale_factor": arguments.scale_factor},
        "place": {"tune_transfers": False},
        "evaluate": {"repeats": arguments.repeats, "all_repeats": True},
    }
    named = load_project(arguments.project, overrides)
    with _behind_links(named, arguments.slow, progress) as project, ExitStack() as kept:
        if arguments.calibrated_at is not None:
            calibration = calibrate(
                project,
                progress,
                scale_factor=arguments.calibrated_at,
                repeats=CALIBRATION_REPEATS,
            )
            file = write_calibration(calibration, calibrations_folder(project))
            if arguments.slow:
                kept.callback(file.unlink)
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
    if _read(default.plan) != _read(tuned.plan):
        raise SystemExit("The two plans differ in more than their settings.")
    pairs = list(zip(default.queries, tuned.queries, strict=True))
    both = {each.query for each, other in pairs if each.seconds and other.seconds}
    return {
        "repeats": arguments.repeats,
        "placement": default.plan.placement,
        "settings": [
            {"query": query, **_setting(each)}
            for query, routed in tuned.plan.routing.items()
            for each in routed
            if _has_settings(each)
        ],
        "plans": {each.plan.strategy: _plan(each, both) for each in measured.candidates},
        "queries": [_query(*pair, tuned.plan) for pair in pairs],
    }


def _read(plan: PlacementPlan) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return query → the fragments that it reads, with their stores."""
    return {
        query: [(each.fragment.name, each.store) for each in routed]
        for query, routed in plan.routing.items()
    }


def _has_settings(routed: RoutedFragment) -> bool:
    return routed.transfer is not None or routed.memory_bytes is not None


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
    if not store.embedded or store.kind not in RELAYED or not server.port or not server.password:
        raise SystemExit(
            f"Store '{store.name}' is no embedded server of kind {' or '.join(RELAYED)}."
        )
    variable = f"TUNED_{store.name.upper()}_PASSWORD"
    os.environ[variable] = server.password
    return replace(
        store,
        embedded=False,
        server=None,
        host="127.0.0.1",
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


def _plan(found: CandidateMeasurement, both: Collection[str]) -> Mapping[str, Any]:
    """Return a plan's sums over the queries that are verified with `both` plans.

    Totals are a figure a round. Bytes and memory are of those queries that an engine tells.
    """
    known = [each for each in found.queries if each.query in both]
    peaks = [each.peak_memory_bytes for each in known if each.peak_memory_bytes is not None]
    return {
        "verified": found.verified,
        "predicted_s": sum(found.plan.query_s(each.query) for each in known),
        "totals_s": [
            sum(seconds) for seconds in zip(*(each.seconds for each in known), strict=True)
        ],
        "bytes_moved": sum(each.bytes_moved for each in known),
        "peak_memory_bytes": max(peaks, default=None),
    }


def _query(
    default: QueryMeasurement, tuned: QueryMeasurement, plan: PlacementPlan
) -> Mapping[str, Any]:
    return {
        "name": default.query,
        "has_settings": any(map(_has_settings, plan.routing[default.query])),
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
