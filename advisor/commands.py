"""The commands: each reads its arguments, calls the pipeline and shows what comes back.

The pipeline is imported once the project file is read, so that a wrong key is told at once.
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from rich.text import Text

from advisor.analysis import Analysis
from advisor.config import Overrides, demo_file, load_project, project_of_paths
from advisor.project import Project
from advisor.report import json as documents
from advisor.report import terminal
from advisor.report.output import Output
from placement.plan import PlacementPlan
from workloads.errors import ConfigurationError
from workloads.progress import Progress

Command = Callable[[argparse.Namespace, Output, Progress], None]


def demo(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Do the main job on embedded stores."""
    _run(load_project(demo_file(), _overrides(arguments)), arguments, output, progress)


def run(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Do the main job on the user's project."""
    _run(load_project(arguments.project, _overrides(arguments)), arguments, output, progress)


def _run(
    project: Project, arguments: argparse.Namespace, output: Output, progress: Progress
) -> None:
    from advisor import pipeline

    project.own_connections()  # a missing password is known before anything is computed
    analysis = pipeline.analyze(project, progress)
    output.show(terminal.analysis_text(analysis, output.width))
    plans = pipeline.place(project, analysis, progress)
    output.show(terminal.plans_text(plans))
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
    from advisor.publish import make_folder, publish

    if arguments.output is not None:
        make_folder(arguments.output)
    measurements = pipeline.evaluate(project, analysis, plans, progress)
    published = publish(project, analysis, measurements, arguments.output, progress)
    output.show(
        terminal.ranking_text(measurements, published.sentence),
        Text(f"\nReport: {published.report}\nTracked: `advisor ui` shows it, or `advisor compare`"),
    )
    output.answer(
        documents.measurements_document(
            measurements,
            sentence=published.sentence,
            report=str(published.report),
            tracking_run=published.tracking_run,
        )
    )


def analyze(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Show what the workload touches."""
    first: Path = arguments.sources[0]
    if first.suffix == ".toml":
        if len(arguments.sources) > 1:
            raise ConfigurationError("Analyse one project file, or several paths of SQL.")
        project = load_project(first, _overrides(arguments))
    else:
        project = project_of_paths(
            arguments.sources,
            dialect=arguments.dialect,
            catalog=arguments.catalog,
            scale_factor=arguments.scale_factor,
        )
    from advisor import pipeline

    project.own_connections()  # a missing password is known before anything is computed
    analysis = pipeline.analyze(project, progress)
    output.show(terminal.analysis_text(analysis, output.width))
    output.answer(documents.analysis_document(analysis))


def place(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Make the candidates and show one of them: the named one, or the best predicted."""
    project = load_project(arguments.project, _overrides(arguments))
    from advisor import pipeline
    from advisor.publish import write
    from placement.plan_file import write_plan

    analysis = pipeline.analyze(project, progress)
    plans = pipeline.place(project, analysis, progress)
    chosen = _chosen(plans, arguments.strategy)
    if arguments.output is not None:
        write(arguments.output, write_plan(chosen))
    sizes = {name: table.bytes for name, table in analysis.catalog.tables.items()}
    output.show(terminal.plans_text(plans), terminal.placement_text(chosen, sizes))
    output.answer(documents.plan_document(chosen, plans))


def _chosen(plans: tuple[PlacementPlan, ...], strategy: str | None) -> PlacementPlan:
    """Return the plan of `strategy`; without one, the feasible plan predicted to be fastest."""
    wanted = [p for p in plans if strategy in (None, p.strategy, p.strategy.split(":")[0])]
    if not wanted:
        known = ", ".join(plan.strategy for plan in plans)
        raise ConfigurationError(f"No candidate is called '{strategy}': the project has {known}.")
    return min(wanted, key=lambda plan: (not plan.feasible, plan.predicted_s))


def evaluate(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Load, run, verify and track the plans named."""
    project = load_project(arguments.project, _overrides(arguments))
    plans = tuple(_plan(path) for path in arguments.plans)
    from advisor import pipeline

    analysis = pipeline.analyze(project, progress)
    _evaluate(project, analysis, plans, arguments=arguments, output=output, progress=progress)


def _plan(path: Path) -> PlacementPlan:
    from placement.plan_file import read_plan

    try:
        return read_plan(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The plan {path} cannot be read: {error}.") from None
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None


def export(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Write the evaluation's job for spark-submit."""
    project = load_project(arguments.project, _overrides(arguments))
    from advisor import pipeline
    from advisor.publish import write

    write(arguments.output, pipeline.export(project, progress))
    output.show(Text(f"Written: {arguments.output}"))
    output.answer({"job": str(arguments.output)})


def compare(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Show what was tracked."""
    from evaluation.tracking import runs

    project = _project(arguments)
    with progress.task("Read the runs from MLflow"):
        found = runs(project.tracking_uri, arguments.experiment or project.experiment)
    output.show(terminal.tracked_text(found))
    output.answer({"runs": [asdict(run) for run in found]})


def ui(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Serve MLflow's UI until Ctrl-C."""
    from evaluation.tracking_ui import serve

    del progress

    def ready(address: str) -> None:
        output.show(Text(f"MLflow's UI is at {address} (Ctrl-C stops it)"))
        output.answer({"address": address})

    project = _project(arguments)
    serve(project.tracking_uri, project.artifacts_folder, arguments.port, ready)


def stores(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Start, stop or list the project's embedded stores."""
    project = _project(arguments)
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


def _project(arguments: argparse.Namespace) -> Project:
    return load_project(arguments.project or demo_file())


def _overrides(arguments: argparse.Namespace) -> Overrides:
    """Return the options that take precedence over the project file."""
    given: Mapping[tuple[str, str], object] = {
        ("catalog", "scale_factor"): arguments.scale_factor,
        ("workload", "queries"): _listed(arguments.queries),
        ("evaluate", "repeats"): arguments.repeats,
        ("place", "strategies"): _listed(arguments.strategies),
    }
    overrides: dict[str, dict[str, object]] = {}
    for (section, key), value in given.items():
        if value is not None:
            overrides.setdefault(section, {})[key] = value
    return overrides


def _listed(text: str | None) -> object:
    if text is None or text == "all":
        return text
    return [name.strip() for name in text.split(",") if name.strip()]
