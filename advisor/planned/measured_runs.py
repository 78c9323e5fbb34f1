"""Runs that were measured before, found again for the plan that they were of."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from advisor.project.project import Project
from evaluation.measuring.measurement import Measurements, QueryMeasurement, QueryOutcome
from evaluation.running.job import OURS
from placement.plan import PlacementPlan
from workloads.adapters import adapter
from workloads.errors import ConfigurationError

REPORTS = "reports"
MEASUREMENTS = "measurements.json"
"""The file of a run's measurements, in the folder of its report: its ``--json``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredFragment:
    """One fragment's measurements in a run: medians over its repeats."""

    name: str
    store: str
    rows: int
    bytes: int
    seconds: float
    partitions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredQuery:
    """One query as a run measured it.

    `measured_s` is None where it did not verify, other figures where the engine did not tell them.
    """

    name: str
    outcome: QueryOutcome
    measured_s: float | None = None
    engine_s: float | None = None
    exchanges: int | None = None
    shuffle_records: int | None = None
    shuffle_bytes: int | None = None
    spilled_bytes: int | None = None
    peak_memory_bytes: int | None = None
    message: str = ""
    fragments: tuple[MeasuredFragment, ...] = ()

    @property
    def parts(self) -> frozenset[tuple[str, str]]:
        """The fragments' names with their stores."""
        return frozenset((each.name, each.store) for each in self.fragments)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundQuery:
    """A measured query with the run that it is of: file, candidate and when it began."""

    file: Path
    strategy: str
    started_at: str
    query: MeasuredQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    strategy: str
    placement: Mapping[str, tuple[str, ...]]
    queries: tuple[MeasuredQuery, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    candidates: tuple[_Candidate, ...]
    scale_factor: float | None = None
    engine: str = OURS
    started_at: str = ""


def latest(project: Project, plan: PlacementPlan, query: str) -> FoundQuery | None:
    """Return the project's newest measurement of `query` as `plan` routes it; None without one.

    A file that cannot be read, since it is of another version, is passed over.
    """
    files = (project.folder / REPORTS).glob(f"*/{MEASUREMENTS}")
    for file in sorted(files, reverse=True):
        try:
            run = _read(file)
        except ConfigurationError:
            continue
        if run.scale_factor != project.catalog.scale_factor or run.engine != OURS:
            continue
        found = next(_of_plan(file, run, plan, query), None)
        if found is not None and found.query.parts == _parts(plan, query):
            return found
    return None


def named(file: Path, project: Project, plan: PlacementPlan, query: str) -> FoundQuery:
    """Return what the run in `file` measured of `query` on the plan's placement.

    Raises:
        ConfigurationError: The file cannot be read or is no run, or it is of other data, another
            placement, or other fragments of the query.
    """
    run = _read(file)
    if run.scale_factor != project.catalog.scale_factor:
        raise ConfigurationError(
            f"--measured {file}: it was measured at scale factor {_scale(run.scale_factor)}, the "
            f"plan is of {_scale(project.catalog.scale_factor)}."
        )
    if run.engine != OURS:
        raise ConfigurationError(
            f"--measured {file}: the engine '{run.engine}' answered there, which runs no "
            f"fragments: measure with --engine {OURS}."
        )
    found = tuple(_of_plan(file, run, plan, query))
    if not found:
        names = ", ".join(each.strategy for each in run.candidates)
        raise ConfigurationError(
            f"--measured {file}: none of its candidates ({names}) has the plan's placement and "
            f"'{query}': measure the plan with 'advisor evaluate'."
        )
    for each in found:
        if each.query.parts == _parts(plan, query) or not each.query.fragments:
            return each
    raise ConfigurationError(
        f"--measured {file}: '{query}' ran there in other fragments than the plan's: measure the "
        "plan with 'advisor evaluate'."
    )


def _of_plan(file: Path, run: _Run, plan: PlacementPlan, query: str) -> Iterator[FoundQuery]:
    """Yield the query of each candidate with the plan's placement, that of its name first."""
    placement = {table: tuple(stores) for table, stores in plan.placement.items()}
    alike = [each for each in run.candidates if dict(each.placement) == placement]
    for candidate in sorted(alike, key=lambda each: each.strategy != plan.strategy):
        for each in candidate.queries:
            if each.name == query:
                yield FoundQuery(
                    file=file,
                    strategy=candidate.strategy,
                    started_at=run.started_at,
                    query=each,
                )


def _parts(plan: PlacementPlan, query: str) -> frozenset[tuple[str, str]]:
    return frozenset((each.fragment.name, each.store) for each in plan.routing[query])


def _read(file: Path) -> _Run:
    """Read what ``advisor run --json`` printed, or what the job for spark-submit wrote."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError(
            f"--measured {file}: there is no such file. 'advisor run' writes {MEASUREMENTS} "
            "beside its report."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"--measured {file}: it cannot be read: {error}.") from None
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"--measured {file}: it is not JSON: {error}.") from None
    try:
        if isinstance(document, dict) and "machine" in document:
            return _of_job(document)
        return adapter(_Run).validate_python(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(
            f"--measured {file}: it is no run: {where}: {first['msg']}. Name what 'advisor run "
            f"--json' printed, or {MEASUREMENTS} beside a report."
        ) from None


def _of_job(document: Any) -> _Run:  # noqa: ANN401 - JSON
    """Return the run whose measurements a job of its own wrote.

    Raises:
        ValidationError: They are of another version.
    """
    measurements: Measurements = adapter(Measurements).validate_python(document)
    return _Run(
        candidates=tuple(
            _Candidate(
                strategy=each.plan.strategy,
                placement=each.plan.placement,
                queries=tuple(_query(query) for query in each.queries),
            )
            for each in measurements.candidates
        ),
        scale_factor=measurements.scale_factor,
        engine=measurements.engine,
        started_at=measurements.started_at,
    )


def _query(query: QueryMeasurement) -> MeasuredQuery:
    alike = [each.name for each in fields(MeasuredQuery) if hasattr(query, each.name)]
    values = {name: getattr(query, name) for name in alike if name != "fragments"}
    fragments = tuple(
        MeasuredFragment(
            **{each.name: getattr(measured, each.name) for each in fields(MeasuredFragment)}
        )
        for measured in query.fragments
    )
    return MeasuredQuery(name=query.query, fragments=fragments, **values)


def _scale(factor: float | None) -> str:
    return "none" if factor is None else f"{factor:g}"
