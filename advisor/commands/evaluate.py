"""``advisor evaluate``: load, run, verify and track plans that were made before."""

import argparse
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import (
    Command,
    Parser,
    add_optional_stores,
    add_output_folder,
    add_overriding,
    add_project,
    choice,
)
from advisor.project.chosen_project import ProjectChoice
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, the files of its plans, and the folder of the report."""

    project: ProjectChoice
    plans: tuple[Path, ...]
    output: Path | None


def _add_arguments(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument("plans", type=Path, nargs="+", metavar="PLAN", help="from `place -o`")
    add_overriding(parser, "repeats", "clients", "skip_invalid", "filters", "engine", "spark")
    add_optional_stores(parser)
    add_output_folder(parser)


def _request(arguments: argparse.Namespace) -> Request:
    return Request(project=choice(arguments), plans=tuple(arguments.plans), output=arguments.output)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Load, run, verify and track the plans named."""
    from advisor.project.plan_files import named_plan

    project = request.project.project()
    plans = tuple(named_plan(path) for path in request.plans)
    from advisor.analysis.analyze import analyze
    from advisor.measuring.clear_text import tell_clear_text
    from advisor.measuring.measure import measure
    from advisor.pipeline import prepare
    from advisor.problem.hosting import tell_all_notes
    from advisor.project.recorded_names import refuse_recorded_passwords
    from advisor.publishing.showing import before_measuring, show_measurements
    from advisor.report.text.work_text import loading_lines

    refuse_recorded_passwords(project)
    begun = datetime.now(UTC)
    analysis = analyze(project, progress, needs_data=True)
    output.show_lines(loading_lines(project, begun, request.output))
    tell_all_notes(project, analysis, output.note)
    tell_clear_text(project, output.note)
    before_measuring(project, request.output, output, progress)
    prepared = prepare(project, analysis)
    measurements = measure(prepared, plans, progress)
    show_measurements(prepared, measurements, request.output, output, progress)


EVALUATE = Command(
    name="evaluate",
    summary="load, run, verify and track plans",
    example="advisor evaluate p.toml plan.json",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
