"""Contents of a tracked run: parameters, metrics and files."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.measuring.measurement import (
    CandidateMeasurement,
    Measurements,
    QueryMeasurement,
    QueryOutcome,
    SparkSetting,
)
from evaluation.measuring.prediction_quality import PredictionQuality, prediction_quality
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
class Record:
    """Contents of a run beside its artifacts."""

    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]


def parent_record(measurements: Measurements) -> Record:
    """Return what the whole run holds."""
    best = measurements.recommended
    figures = {f"{stage}_s": seconds for stage, seconds in measurements.seconds.items()}
    figures["load_average_start"], figures["load_average_end"] = measurements.machine.load_average
    figures["candidates"] = len(measurements.candidates)
    figures["candidates_verified"] = sum(c.verified for c in measurements.candidates)
    if best is not None and best.measured_s is not None:
        figures["recommended_s"] = best.measured_s
    figures |= _quality(prediction_quality(measurements))
    recommended = "none" if best is None else best.plan.strategy
    return Record(
        name=f"{measurements.workload} on {measurements.catalog}",
        params={**_shared_params(measurements), "recommended": recommended},
        metrics=figures,
    )


def _quality(quality: PredictionQuality) -> dict[str, float]:
    """Return how near the predictions were; what could not be compared is left out."""
    found = {} if quality.tau is None else {"kendall_tau_b": quality.tau}
    for name, errors in (("rows", quality.rows), ("seconds", quality.seconds)):
        if errors is not None:
            found["fragments_compared"] = errors.number
            found[f"q_error_{name}_median"] = errors.median
            found[f"q_error_{name}_p90"] = errors.p90
            found[f"q_error_{name}_max"] = errors.largest
    return found


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
    }


def _fetch_size(rows: int | None) -> dict[str, str]:
    return {} if rows is None else {"fetch_size": str(rows)}


def candidate_record(candidate: CandidateMeasurement, measurements: Measurements) -> Record:
    """Return what the nested run of one candidate holds."""
    plan = candidate.plan
    params = {
        **_shared_params(measurements),
        "strategy": plan.strategy,
        "seed": str(plan.seed),
        "outcome": str(plan.outcome),
        "feasible": str(plan.feasible).lower(),
        "placement": _compact(plan.placement),
        **{f"setting.{name}": str(value) for name, value in plan.settings.items()},
    }
    return Record(name=plan.strategy, params=params, metrics=dict(_metrics(candidate)))


def _compact(placement: Mapping[str, tuple[str, ...]]) -> str:
    """Write a placement as ``pg: a b; maria: b c``."""
    held: dict[str, list[str]] = {}
    for table, stores in sorted(placement.items()):
        for store in stores:
            held.setdefault(store, []).append(table)
    return "; ".join(f"{store}: {' '.join(tables)}" for store, tables in sorted(held.items()))


def _metrics(candidate: CandidateMeasurement) -> Iterator[tuple[str, float]]:
    """Yield a candidate's figures; totals are of one run of the workload, by executions."""
    plan, queries = candidate.plan, candidate.queries
    optional = {
        "bound_s": plan.bound_s,
        "gap": plan.gap,
        "measured_s": candidate.measured_s,
        "spread_s": candidate.spread_s,
    }
    yield "predicted_s", candidate.predicted_s
    yield "load_s", candidate.load_s
    yield "rounds", candidate.rounds
    yield from ((name, value) for name, value in optional.items() if value is not None)
    for outcome in QueryOutcome:
        yield f"queries_{outcome}", sum(query.outcome is outcome for query in queries)
    yield "rows_moved", sum(q.executions * q.rows_moved for q in queries)
    yield "bytes_moved", sum(q.executions * q.bytes_moved for q in queries)
    yield from _engine_figures(queries)
    for store in sorted({store for query in queries for store in query.stores_s}):
        yield f"store_s.{store}", sum(q.executions * q.stores_s.get(store, 0.0) for q in queries)
    for store in sorted({store for query in queries for store in query.moved}):
        moved = [(q.executions, q.moved[store]) for q in queries if store in q.moved]
        yield f"rows_moved.{store}", sum(weight * each.rows for weight, each in moved)
        yield f"bytes_moved.{store}", sum(weight * each.bytes for weight, each in moved)
    for query in queries:
        yield f"predicted_query_s.{query.query}", plan.query_s(query.query)
        if query.measured_s is not None:
            yield f"query_s.{query.query}", query.measured_s


def _engine_figures(queries: Sequence[QueryMeasurement]) -> Iterator[tuple[str, float]]:
    """Yield what the engine told of its own work; a figure that it told of no query is absent."""
    told: dict[str, list[tuple[float, float | None]]] = {
        "exchanges": [(q.executions, q.exchanges) for q in queries],
        "shuffle_bytes": [(q.executions, q.shuffle_bytes) for q in queries],
        "shuffle_records": [(q.executions, q.shuffle_records) for q in queries],
        "spilled_bytes": [(q.executions, q.spilled_bytes) for q in queries],
        "engine_s": [(q.executions, q.engine_s) for q in queries],
    }
    for name, figures in told.items():
        products = [weight * figure for weight, figure in figures if figure is not None]
        if products:
            yield name, sum(products)
    peaks = [q.peak_memory_bytes for q in queries if q.peak_memory_bytes is not None]
    if peaks:
        yield "peak_memory_bytes", max(peaks)


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
