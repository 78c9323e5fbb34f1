"""Contents of a tracked run: parameters, metrics and files."""

import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from evaluation.measuring.machine import SparkSetting
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    Measurements,
)
from evaluation.measuring.prediction_quality import prediction_quality
from evaluation.tracking.dataset import Dataset
from evaluation.tracking.figures import metrics, positions, quality, rounded, series
from placement.plan import PlacementPlan, RoutedFragment
from workloads.errors import AdvisorError

ArtifactFiles = Mapping[str, str | bytes]


class TrackingError(AdvisorError):
    """MLflow cannot be reached, or does not take what is recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifacts:
    """Files to keep with the runs: file name → content.

    `parent` belongs to the whole run, `candidates` is strategy → files of that candidate.
    """

    parent: ArtifactFiles = field(default_factory=dict)
    candidates: Mapping[str, ArtifactFiles] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The words that a run is shown with.

    `names` is strategy → name of the candidate, as the report has it.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    recommendation: str = ""
    dataset: Dataset | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Contents of a run beside its artifacts. Times are milliseconds since 1970 in UTC.

    `series` is metric → step → value. `note` is the run's description, in Markdown.
    """

    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    started_ms: int
    ended_ms: int
    series: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    note: str = ""


def parent_record(measurements: Measurements, description: Description) -> Record:
    """Return what the whole run holds."""
    best = measurements.recommended
    figures = {f"{stage}_s": seconds for stage, seconds in measurements.seconds.items()}
    figures["load_average_start"], figures["load_average_end"] = measurements.machine.load_average
    figures["candidates"] = len(measurements.candidates)
    figures["candidates_verified"] = sum(c.verified for c in measurements.candidates)
    if best is not None and best.measured_s is not None:
        figures["recommended_s"] = best.measured_s
    figures |= quality(prediction_quality(measurements))
    recommended = "none" if best is None else best.plan.strategy
    started_ms, ended_ms = _times_ms(measurements)
    return Record(
        name=f"{measurements.workload} on {measurements.catalog}",
        params={**_shared_params(measurements), "recommended": recommended},
        metrics=rounded(figures),
        started_ms=started_ms,
        ended_ms=ended_ms,
        note=description.recommendation,
    )


def _times_ms(measurements: Measurements) -> tuple[int, int]:
    """Return start and end of the measuring; candidates are interleaved and share them."""
    started_s = datetime.fromisoformat(measurements.started_at).timestamp()
    run_s = measurements.seconds.get("run")
    return round(1000 * started_s), round(
        1000 * (time.time() if run_s is None else started_s + run_s)
    )


def _shared_params(measurements: Measurements) -> dict[str, str]:
    machine = measurements.machine
    scale = measurements.scale_factor
    return {
        "workload": measurements.workload,
        "catalog": measurements.catalog,
        "scale_factor": "none" if scale is None else f"{scale:g}",
        "repeats": str(measurements.repeats),
        "engine": measurements.engine,
        **_spark(measurements.spark),
        **_fetch_size(measurements.fetch_size),
        "queries": ", ".join(f"{n} {query}" for query, n in positions(measurements).items()),
        "evaluate_seed": str(measurements.seed),
        "machine": f"{machine.cores} cores, {machine.memory_bytes >> 30} GiB, {machine.system}",
        "git_commit": git_commit(),
        **{f"version.{name}": version for name, version in measurements.versions.items()},
    }


def _spark(setting: SparkSetting | None) -> dict[str, str]:
    if setting is None:
        return {}
    return {
        "master": setting.master,
        "workers": str(setting.workers),
        "join_strategy": setting.join_strategy,
        "combine": setting.combine,
    }


def _fetch_size(rows: int | None) -> dict[str, str]:
    return {} if rows is None else {"fetch_size": str(rows)}


def candidate_record(
    candidate: CandidateMeasurement, measurements: Measurements, description: Description
) -> Record:
    """Return what the nested run of one candidate holds."""
    plan = candidate.plan
    params = {
        **_shared_params(measurements),
        "strategy": plan.strategy,
        "seed": str(plan.seed),
        "outcome": str(plan.outcome),
        "feasible": str(plan.feasible).lower(),
        "placement": _compact(plan.placement),
        **_indexes(plan),
        **_said(plan, "transfers", _transfers),
        **_said(plan, "join_memory", _memory),
        **{f"setting.{name}": str(value) for name, value in plan.settings.items()},
    }
    started_ms, ended_ms = _times_ms(measurements)
    return Record(
        name=description.names.get(plan.strategy, plan.strategy),
        params=params,
        metrics=rounded(dict(metrics(candidate))),
        started_ms=started_ms,
        ended_ms=ended_ms,
        series=series(candidate, positions(measurements)),
        note="\n\n".join(plan.violations),
    )


def _compact(placement: Mapping[str, tuple[str, ...]]) -> str:
    """Write a placement as ``pg: a b; maria: b c``."""
    held: dict[str, list[str]] = {}
    for table, stores in sorted(placement.items()):
        for store in stores:
            held.setdefault(store, []).append(table)
    return "; ".join(f"{store}: {' '.join(tables)}" for store, tables in sorted(held.items()))


def _indexes(plan: PlacementPlan) -> dict[str, str]:
    """Return the indexes that a plan chooses, as ``pg: a (x), b (y, z); maria: b (z)``."""
    stores = (f"{store}: {', '.join(map(str, found))}" for store, found in plan.indexes.items())
    said = "; ".join(stores)
    return {"indexes": said} if said else {}


def _transfers(routed: RoutedFragment) -> str | None:
    """Write a result's own settings as ``ROWS:BYTES[/STATEMENTS/COLUMN]``, as ``tune`` does."""
    settings = routed.transfer
    if settings is None:
        return None
    streams = settings.streams
    by = "" if streams is None else f"/{streams.count}/{streams.column}"
    return f"{settings.fetch_rows}:{settings.message_bytes}{by}"


def _memory(routed: RoutedFragment) -> str | None:
    """Write the bytes of a session's own working memory."""
    return None if routed.memory_bytes is None else str(routed.memory_bytes)


def _said(
    plan: PlacementPlan, name: str, told: Callable[[RoutedFragment], str | None]
) -> dict[str, str]:
    """Return the parameter `name`: ``FRAGMENT=SETTING`` for each fragment with one of its own."""
    said = [
        f"{each.fragment.name}={setting}"
        for routed in plan.routing.values()
        for each in routed
        if (setting := told(each)) is not None
    ]
    return {name: " ".join(said)} if said else {}


def git_commit() -> str:
    """Return the commit of the advisor's own source, ``+`` if it was changed; else 'unknown'."""
    folder = Path(__file__).resolve().parent
    try:
        commit = _git(folder, "rev-parse", "HEAD")
        return f"{commit}+" if _git(folder, "status", "--porcelain", "-uno") else commit
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        capture_output=True,
        check=True,
        text=True,
        timeout=10,
    )
    return done.stdout.strip()
