"""``advisor run`` and ``advisor demo``: the main job, on your project and on embedded stores."""

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
    from advisor.analysis.analysis import Analysis
    from advisor.measuring.contradicted_rates import ContradictedRates
    from advisor.project.project import Project
    from advisor.report.output import Output
    from placement.problem import PlacementProblem
    from placement.strategies import Candidates


_OVERRIDING = ("repeats", "clients", "strategies", "engine", "spark", "rates")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, and the folder of the report; None is among the project's own."""

    project: ProjectChoice
    output: Path | None


class Shown:
    """Shows what the main job has found so far, and opens MLflow before anything is measured."""

    def __init__(
        self, project: "Project", folder: Path | None, output: "Output", progress: Progress
    ) -> None:
        self._begun = datetime.now(UTC)
        self._project = project
        self._folder = folder
        self._output = output
        self._progress = progress

    def analyzed(self, analysis: "Analysis") -> None:
        """Show what was assumed and left out, and what is used together."""
        from advisor.measuring.clear_text import tell_clear_text
        from advisor.problem.hosting import tell_all_notes
        from advisor.report.text.analysis_text import access_text
        from advisor.report.text.work_text import loading_lines

        self._output.show_lines(loading_lines(self._project, self._begun, self._folder))
        tell_all_notes(self._project, analysis, self._output.note)
        tell_clear_text(self._project, self._output.note)
        self._output.show(access_text(analysis.graph, self._output.width))

    def measuring_rates(self, contradicted: "ContradictedRates | None") -> None:
        """Say that rates are measured first, why again, and what is written for it."""
        from advisor.measuring.quick_parts import quick_project
        from advisor.report.text.work_text import first_rates_line

        self._output.show_lines([first_rates_line(quick_project(self._project), contradicted)])

    def noted(self, text: str) -> None:
        """Say it on standard error."""
        self._output.note(text)

    def placed(self, problem: "PlacementProblem", candidates: "Candidates") -> None:
        """Show the candidates, and make sure that their measurements can be kept."""
        from advisor.publishing.showing import before_measuring
        from advisor.report.parts.at_once import at_once
        from advisor.report.terminal import candidates_text

        clients = at_once(problem, candidates.plans)
        self._output.show(candidates_text(candidates, self._project.unmade, clients))
        before_measuring(self._project, self._folder, self._output, self._progress)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Do the main job, and show and keep what was measured."""
    read = request.project.read()
    from advisor import pipeline
    from advisor.publishing.showing import show_measurements
    from advisor.refusals.refused import refuse

    project = refuse(read, progress, loads=True)
    shown = Shown(project, request.output, output, progress)
    prepared, measurements = pipeline.run(project, shown, progress)
    show_measurements(prepared, measurements, request.output, output, progress)


def _add_arguments(parser: Parser) -> None:
    add_project(parser)
    add_overriding(parser, *_OVERRIDING, "skip_invalid", "filters")
    add_optional_stores(parser)
    add_output_folder(parser)


def _add_demo_arguments(parser: Parser) -> None:
    add_overriding(parser, *_OVERRIDING)
    add_optional_stores(parser)
    add_output_folder(parser)


def _request(arguments: argparse.Namespace) -> Request:
    return Request(project=choice(arguments), output=arguments.output)


DEMO = Command(
    name="demo",
    summary="the main job on embedded stores",
    example="advisor demo -o report/",
    add_arguments=_add_demo_arguments,
    request=_request,
    run=run,
)
RUN = Command(
    name="run",
    summary="the main job on your project",
    example="advisor run project.toml --repeats 5",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
