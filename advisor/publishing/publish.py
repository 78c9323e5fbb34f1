"""From measurements to what is kept of them: the page, the artifacts and the tracked runs."""

import csv
import errno
import io
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from advisor.figures import candidate_name
from advisor.measuring.first_rates import doubted
from advisor.planned.measured_runs import MEASUREMENTS, REPORTS
from advisor.problem.prepared import Prepared
from advisor.project.project import Project
from advisor.publishing.recording import UNRECORDED, keep, recorded
from advisor.report.documents.plan_json import (
    at_once_document,
    measurements_document,
    query_documents,
)
from advisor.report.html import render
from advisor.report.parts.at_once import at_once
from advisor.report.parts.setting import Setting
from advisor.report.pictures.placement_picture import placement_svg
from advisor.report.recommendation import recommendation
from advisor.report.text.predictions_text import remarks_on_prices
from evaluation.calibration.contradictions import contradictions
from evaluation.measuring.measurement import CandidateMeasurement, Measurements
from evaluation.tracking.dataset import dataset_of
from evaluation.tracking.track import Artifacts, Description
from placement.plan_file import write_plan
from workloads.cache import fresh_folder
from workloads.catalog import Catalog
from workloads.copied_indexes import copies_bytes, copy_bytes
from workloads.errors import ConfigurationError
from workloads.paths import is_there, shortened
from workloads.progress import Progress
from workloads.whole_files import write_whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A run as it was written: its sentence, the report's file, and the object of ``--json``.

    `remarks` are on the rates that were predicted by. `kept` is the run's folder among the
    project's reports.
    """

    sentence: str
    report: Path
    kept: Path
    remarks: tuple[str, ...]
    document: Mapping[str, Any]


def publish(
    prepared: Prepared,
    measurements: Measurements,
    output: Path | None,
    progress: Progress,
) -> Published:
    """Write what was measured and the report, to `output` (default the project's reports).

    What was measured is written in any case among the project's reports too, where `explain` finds
    it, with what is left to record in MLflow.

    Raises:
        ConfigurationError: `output` cannot be written.
    """
    setting = setting_of(prepared)
    doubt = doubted(prepared.project, measurements, setting.calibration)
    setting = replace(setting, doubt=doubt)
    stamp = "".join(c for c in measurements.started_at if c.isalnum())
    kept = prepared.project.folder / REPORTS / stamp
    report = (output or kept) / "report.html"
    contradicted = contradictions(measurements, setting.calibration)
    clients = at_once(prepared.problem, [each.plan for each in measurements.candidates])
    document = {
        **measurements_document(
            measurements,
            sentence=recommendation(measurements, setting),
            report=str(report),
            tracking_run=None,
        ),
        "predicted_throughput": at_once_document(clients),
        "rates": dict(setting.rates),
        "contradictions": [asdict(each) for each in contradicted],
        "quick_rates_factor": None if doubt is None else doubt.factor,
    }
    published = Published(
        sentence=document["recommendation"],
        report=report,
        kept=kept,
        remarks=remarks_on_prices(measurements, setting.rates, contradicted, doubt),
        document=document,
    )
    with progress.task("Write the report"):
        _write_measured(published)
        page = render(measurements, setting)
        with writing(kept / UNRECORDED, "--output"):
            description = _description(measurements, published.sentence, prepared.analysis.catalog)
            keep(kept, measurements, artifacts_of(measurements, setting, page), description)
        write(report, page)
    return published


def record(project: Project, published: Published, progress: Progress) -> Published:
    """Record what was published in MLflow; return it with the run's id.

    Raises:
        TrackingError: MLflow does not take it now. Nothing that was published is lost.
    """
    with progress.task("Record the runs in MLflow"):
        run = recorded(project, published.kept)
    tracked = replace(published, document={**published.document, "tracking_run": run})
    _write_measured(tracked)
    return tracked


def _write_measured(published: Published) -> None:
    for folder in {published.report.parent, published.kept}:
        write(folder / MEASUREMENTS, json.dumps(published.document, indent=2) + "\n")


def setting_of(prepared: Prepared) -> Setting:
    """Return the tables, stores and workload that the candidates were measured against."""
    project, analysis, rates = prepared.project, prepared.analysis, prepared.rates
    tables = analysis.catalog.tables.values()
    return Setting(
        project=project.name,
        table_bytes={table.name: copy_bytes(table) for table in tables},
        table_rows={table.name: table.rows for table in tables},
        capacities_bytes=project.capacities_bytes(copies_bytes(analysis.catalog)),
        kinds={store.name: store.kind for store in project.stores},
        graph=analysis.graph,
        executions={f.query: f.executions for f in analysis.footprints},
        command=f"advisor run {project.file.name}{_scaled(project)}",
        rates={name: strength.source for name, strength in rates.strengths.items()},
        calibration=rates.calibration,
    )


def _scaled(project: Project) -> str:
    scale = project.catalog.scale_factor
    return "" if scale is None else f" --scale-factor {scale:g}"


def _description(measurements: Measurements, sentence: str, catalog: Catalog) -> Description:
    """Return the names, the recommendation and the data set that MLflow shows."""
    strategies = [each.plan.strategy for each in measurements.candidates]
    return Description(
        names={strategy: candidate_name(strategy) for strategy in strategies},
        recommendation=sentence,
        dataset=dataset_of(catalog),
    )


def artifacts_of(measurements: Measurements, setting: Setting, page: str) -> Artifacts:
    """Return the files to keep with the tracked runs."""
    best = measurements.recommended
    recommended = (
        {} if best is None else {"recommended_placement.svg": placement_svg(best.plan, setting)}
    )
    return Artifacts(
        parent={"report.html": page, **recommended},
        candidates={
            candidate.plan.strategy: {
                "plan.json": write_plan(candidate.plan),
                "placement.svg": placement_svg(candidate.plan, setting),
                "queries.csv": _query_table(candidate),
                "queries.json": json.dumps(query_documents(candidate), indent=2),
            }
            for candidate in measurements.candidates
        },
    )


def _query_table(candidate: CandidateMeasurement) -> str:
    rows = [
        {key: value for key, value in each.items() if not isinstance(value, (list, dict))}
        for each in query_documents(candidate)
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else [])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def make_folder(folder: Path, option: str = "--output") -> None:
    """Make the folder of a report, named by `option`, before hours are spent on what goes in.

    Raises:
        ConfigurationError: It cannot be made, or not be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise ConfigurationError(
            f"The folder {shortened(str(folder))} cannot be written to: {error.strerror}. "
            f"Name another with {option}."
        ) from None


def refuse_unwritable(file: Path | None, option: str) -> None:
    """Make the folder of a file, named by `option`, before anything is computed for it.

    Raises:
        ConfigurationError: The file is a folder, or its folder cannot be made or written to.
    """
    if file is None:
        return
    make_folder(file.parent, option)
    if is_there(file) and file.is_dir():
        raise ConfigurationError(f"{option} {file} is a folder: name a file in it.")


def refuse_used_folder(folder: Path | None, option: str) -> None:
    """Make a folder that nothing else is in, named by `option`.

    Raises:
        ConfigurationError: Something is in it, or it cannot be made or written to.
    """
    if folder is None:
        return
    if is_there(folder) and not folder.is_dir():
        raise ConfigurationError(
            f"{option} {shortened(str(folder))} is a file: name a folder, or a file that ends in "
            ".sql."
        )
    make_folder(folder, option)
    if next(folder.iterdir(), None) is not None:
        raise ConfigurationError(
            f"{option} {shortened(str(folder))} has files already, which would be taken for these "
            "commands: name another folder, or empty it."
        )


def write(file: Path, text: str, option: str = "--output") -> None:
    """Write a file of the user's choice, named by `option`, making its folder.

    It is there whole, or as it was before.

    Raises:
        ConfigurationError: It cannot be written.
    """
    with writing(file, option):
        write_whole(file, text)


def write_folder(folder: Path, files: Sequence[Path], option: str = "--output") -> None:
    """Write a folder with copies of `files`, in place of one of its name; as `write` does.

    Raises:
        ConfigurationError: It cannot be written.
    """
    with writing(folder, option), fresh_folder(folder) as unfinished:
        for file in files:
            shutil.copyfile(file, unfinished / file.name)


@contextmanager
def writing(file: Path, option: str) -> Iterator[None]:
    """Make the file's folder, and tell what fails in the block in one line."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise ConfigurationError(
            f"{shortened(str(file))} cannot be written: {error.strerror}. "
            f"Name another place with {option}."
        ) from None
