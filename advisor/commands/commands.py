"""The commands: each reads its arguments, calls the pipeline and shows what comes back.

The pipeline is imported once the project file is read, so that a wrong key is told at once.
"""

import argparse
from collections.abc import Callable
from dataclasses import asdict

from rich.text import Text

from advisor.analysis.analysis import Analysis
from advisor.commands.movements import diff, migrate, pareto  # noqa: F401 - called by their names
from advisor.commands.reasons import explain, sensitivity, what_if  # noqa: F401 - called by their names
from advisor.project.chosen_project import analyzed_project, named_project, project_or_demo
from advisor.project.plan_files import named_plan
from advisor.project.project import Project
from advisor.report import terminal
from advisor.report.documents import plan_json as documents
from advisor.report.output import Output
from placement.plan import PlacementPlan
from workloads.errors import ConfigurationError
from workloads.progress import Progress

Command = Callable[[argparse.Namespace, Output, Progress], None]


def demo(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Do the main job on embedded stores."""
    _run(project_or_demo(arguments), arguments, output, progress)


def run(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Do the main job on the user's project."""
    _run(named_project(arguments), arguments, output, progress)


def _run(
    project: Project, arguments: argparse.Namespace, output: Output, progress: Progress
) -> None:
    from advisor import pipeline
    from advisor.publishing.recording import refuse_recorded_passwords
    from advisor.report.text.analysis_text import access_text

    project.own_connections()  # a missing password is known before anything is computed
    refuse_recorded_passwords(project)
    analysis = pipeline.analyze(project, progress)
    _note(analysis, output)
    pipeline.refuse_without_data(analysis)
    output.show(access_text(analysis.graph, output.width))
    placed = pipeline.place(project, analysis, progress)
    plans = placed.plans
    output.show(terminal.plans_text(plans, project.unmade, placed.unmade))
    _evaluate(project, analysis, plans, arguments=arguments, output=output, progress=progress)


def _evaluate(
    project: Project,
    analysis: Analysis,
    plans: tuple[PlacementPlan, ...],
    *,
    arguments: argparse.Namespace,
    output: Output,
    progress: Progress,
) -> None:
    from advisor import pipeline
    from advisor.publishing.publish import make_folder, publish, record
    from advisor.publishing.recording import prepared
    from evaluation.tracking.track import TrackingError

    if arguments.output is not None:
        make_folder(arguments.output)
    with progress.task("Open MLflow's database"):
        remark = prepared(project)
    if remark:
        output.note(remark)
    measurements = pipeline.evaluate(project, analysis, plans, progress)
    published = publish(project, analysis, measurements, arguments.output, progress)
    output.show(
        terminal.ranking_text(measurements, published.sentence, published.remarks),
        Text(f"\nReport: {published.report}"),
    )
    try:
        published = record(project, published, progress)
        output.show(Text("Tracked: `advisor ui` shows it, or `advisor compare`"))
    except TrackingError as error:
        output.note(f"Not tracked: {error} `advisor compare` records it when it can be used.")
    output.answer(published.document)


def analyze(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Show what the workload touches."""
    project = analyzed_project(arguments)
    from advisor import pipeline
    from advisor.publishing.publish import refuse_unwritable, write
    from advisor.report.analysis_html import render_analysis
    from advisor.report.text.analysis_text import analysis_text

    refuse_unwritable(arguments.html, "--html")
    analysis = pipeline.analyze(project, progress, spark=arguments.spark)
    _note(analysis, output)
    output.show(analysis_text(analysis, output.width))
    if arguments.html is not None:
        with progress.task("Draw the analysis"):
            write(arguments.html, render_analysis(analysis), "--html")
        output.show(Text(f"\nWritten: {arguments.html}"))
    output.answer(documents.analysis_document(analysis))


def _note(analysis: Analysis, output: Output) -> None:
    """Say what was assumed and what was left out, before any result."""
    from advisor.analysis.notes import notes

    for note in notes(analysis):
        output.note(note)


def calibrate(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Measure the rates of the project's stores and keep them for its predictions."""
    project = named_project(arguments)
    from advisor.commands import calibrate as calibration
    from advisor.problem.calibrations import calibration_of, calibrations_folder
    from advisor.report.text.calibration_text import calibration_document, calibration_text
    from evaluation.calibration.calibration import write_calibration

    before = calibration_of(project)
    found = calibration.calibrate(
        project,
        progress,
        scale_factor=arguments.calibration_scale_factor,
        repeats=arguments.calibration_repeats,
    )
    file = write_calibration(found, calibrations_folder(project))
    output.show(calibration_text(found, before), Text(f"\nWritten: {file}"))
    output.answer(calibration_document(found, file))


def place(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Make the candidates and show one of them: the named one, or the best predicted."""
    project = named_project(arguments)
    from advisor import pipeline
    from advisor.planned.plan_origin import recorded
    from advisor.publishing.publish import refuse_unwritable, write
    from advisor.report.parts.plan_facts import plan_facts
    from advisor.report.text.plan_text import facts_text, outcome_text
    from placement.plan_file import write_plan

    refuse_unwritable(arguments.output, "--output")
    analysis = pipeline.analyze(project, progress)
    _note(analysis, output)
    problem = pipeline.placement_problem(project, analysis)
    placed = pipeline.place(project, analysis, progress)
    plans = placed.plans
    chosen = _chosen(plans, arguments.strategy)
    if arguments.output is not None:
        write(arguments.output, write_plan(recorded(chosen, arguments)))
    facts = plan_facts(problem, chosen)
    output.show(
        terminal.plans_text(plans, project.unmade, placed.unmade),
        terminal.placement_text(chosen, problem.table_bytes),
        outcome_text(chosen, plans),
        facts_text(facts),
    )
    if arguments.output is not None:
        output.show(Text(f"Written: {arguments.output}"))
    output.answer(documents.plan_document(chosen, plans, facts, placed.unmade))


def _chosen(plans: tuple[PlacementPlan, ...], strategy: str | None) -> PlacementPlan:
    """Return the plan of `strategy`; without one, the feasible plan predicted to be fastest."""
    wanted = [p for p in plans if strategy in (None, p.strategy, p.strategy.split(":")[0])]
    if not wanted:
        known = ", ".join(plan.strategy for plan in plans)
        raise ConfigurationError(f"No candidate is called '{strategy}': the project has {known}.")
    return min(wanted, key=lambda plan: (not plan.feasible, plan.predicted_s))


def evaluate(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Load, run, verify and track the plans named."""
    project = named_project(arguments)
    plans = tuple(named_plan(path) for path in arguments.plans)
    from advisor import pipeline
    from advisor.publishing.recording import refuse_recorded_passwords

    refuse_recorded_passwords(project)
    analysis = pipeline.analyze(project, progress)
    _note(analysis, output)
    _evaluate(project, analysis, plans, arguments=arguments, output=output, progress=progress)


def export(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Write the evaluation's job for spark-submit, or the stores as catalogs of a Trino."""
    if arguments.output is None and arguments.trino is None:
        raise ConfigurationError(
            "Say what to write: -o FILE, a job for spark-submit, or --trino FOLDER."
        )
    project = named_project(arguments)
    from advisor import pipeline
    from advisor.publishing.publish import write
    from advisor.report.exported import export_document, trino_text

    catalogs = None
    if arguments.output is not None:
        write(arguments.output, pipeline.export(project, progress))
        output.show(Text(f"Written: {arguments.output}"))
    if arguments.trino is not None:
        catalogs = pipeline.export_trino(project, progress)
        for catalog in catalogs:
            write(arguments.trino / catalog.file_name, catalog.text, "--trino")
        output.show(trino_text(arguments.trino, catalogs))
    output.answer(export_document(arguments.output, arguments.trino, catalogs))


def compare(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Show what was tracked."""
    asked = arguments.experiment
    if asked is not None and asked.endswith(".toml"):
        raise ConfigurationError(
            f"'{asked}' is a project file and no experiment: advisor compare --project {asked}"
        )
    from advisor.publishing.recording import record_what_is_left
    from evaluation.tracking.track import runs

    project = project_or_demo(arguments)
    for said in record_what_is_left(project, progress):
        output.note(said)
    with progress.task("Read the runs from MLflow"):
        found = runs(project.tracking_uri, asked or project.experiment)
    output.show(terminal.tracked_text(found))
    output.answer({"runs": [asdict(run) for run in found]})


def ui(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Serve MLflow's UI until Ctrl-C."""
    from evaluation.tracking.ui import serve

    del progress

    def ready(address: str) -> None:
        output.show(Text(f"MLflow's UI is at {address} (Ctrl-C stops it)"))
        output.answer({"address": address})

    project = project_or_demo(arguments)
    serve(project.tracking_uri, project.artifacts_folder, arguments.port, ready)


def stores(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Start, stop or list the project's embedded stores."""
    project = project_or_demo(arguments)
    from advisor.pipeline import requested
    from evaluation.servers import embedded

    stopped: tuple[str, ...] = ()
    if arguments.action == "up":
        embedded.up(requested(project), project.folder, progress)
    elif arguments.action == "down":
        stopped = embedded.down(project.folder)
    states = embedded.status(project.folder)
    output.show(terminal.stores_text(states))
    output.answer(
        {
            "stores": [
                {"name": s.store, "kind": s.kind, "pid": s.pid, "port": s.port, "kept": s.kept}
                for s in states
            ],
            "stopped": list(stopped),
        }
    )
