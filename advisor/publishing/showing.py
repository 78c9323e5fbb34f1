"""The steps around a measurement: MLflow is opened before, ranking and report shown after."""

from pathlib import Path

from rich.text import Text

from advisor.problem.prepared import Prepared
from advisor.project.project import Project
from advisor.publishing.publish import Published, make_folder, publish, record
from advisor.publishing.recording import prepared as tracking_prepared
from advisor.report.output import Output
from advisor.report.terminal import ranking_text
from evaluation.measuring.measurement import Measurements
from evaluation.tracking.track import TrackingError
from workloads.progress import Progress


def before_measuring(
    project: Project, folder: Path | None, output: Output, progress: Progress
) -> None:
    """Make the report's folder and MLflow's database, so that hours are not spent for nothing.

    Raises:
        ConfigurationError: The folder cannot be made or written to.
    """
    if folder is not None:
        make_folder(folder)
    with progress.task("Open MLflow's database"):
        remark = tracking_prepared(project)
    if remark:
        output.note(remark)


def show_measurements(
    prepared: Prepared,
    measurements: Measurements,
    folder: Path | None,
    output: Output,
    progress: Progress,
) -> None:
    """Write the report, show the ranking, and record the runs in MLflow.

    Raises:
        ConfigurationError: `folder` cannot be written.
    """
    output.answer(show_run(prepared, measurements, folder, output, progress).document)


def show_run(
    prepared: Prepared,
    measurements: Measurements,
    folder: Path | None,
    output: Output,
    progress: Progress,
) -> Published:
    """Do what `show_measurements` does, without an answer: of several runs none is the answer.

    Raises:
        ConfigurationError: `folder` cannot be written.
    """
    published = publish(prepared, measurements, folder, progress)
    output.show(
        ranking_text(measurements, published.sentence, published.remarks),
        Text(f"\nReport: {published.report}"),
    )
    try:
        published = record(prepared.project, published, progress)
        output.show(Text("Tracked: `advisor ui` shows it, or `advisor compare`"))
    except TrackingError as error:
        output.note(f"Not tracked: {error} `advisor compare` records it when it can be used.")
    return published
