"""``advisor pareto``: the plans that trade seconds for bytes moved, money and migration."""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_overriding, add_project, choice
from advisor.project.chosen_project import ProjectChoice
from workloads.errors import InfeasibleError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output
    from placement.plan import PlacementPlan
    from placement.problem import PlacementProblem

BASELINES = ("single_store", "naive", "proximity")
FEWEST_POINTS, MOST_POINTS = 2, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, the bounds of each objective, and the files to write."""

    project: ProjectChoice
    points: int
    html: Path | None
    svg: Path | None
    output: Path | None

    @property
    def command(self) -> str:
        """The command line that makes the same page again."""
        text = f"advisor pareto {self.project.file} --points {self.points}"
        scale_factor = self.project.options.get("scale_factor")
        if isinstance(scale_factor, float):
            text += f" --scale-factor {scale_factor:g}"
        queries = self.project.options.get("queries")
        return text if queries is None else f"{text} --queries {queries}"


def _add_arguments(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument(
        "--points", type=_points, default=8, metavar="N", help="bounds of each objective [8]"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write table and picture here")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the picture here")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the recommended plan here"
    )
    add_overriding(parser, "filters")


def _points(text: str) -> int:
    if not text.isdecimal() or not FEWEST_POINTS <= int(text) <= MOST_POINTS:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no number of points from {FEWEST_POINTS} to {MOST_POINTS}"
        )
    return int(text)


def _request(arguments: argparse.Namespace) -> Request:
    return Request(
        project=choice(arguments),
        points=arguments.points,
        html=arguments.html,
        svg=arguments.svg,
        output=arguments.output,
    )


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Show the frontier over seconds, bytes moved, money and migration."""
    from rich.text import Text

    project = request.project.project()
    from advisor.analysis.analyze import analyze
    from advisor.pipeline import prepare
    from advisor.planned.plan_origin import recorded
    from advisor.problem.hosting import tell_all_notes
    from advisor.publishing.publish import refuse_unwritable, write
    from advisor.report.documents.movement_json import frontier_document
    from advisor.report.pictures.pareto_picture import frontier_page, frontier_svg
    from advisor.report.text.pareto_text import frontier_text
    from advisor.report.text.work_text import work_lines
    from placement.frontier import pareto as frontiers
    from placement.plan_file import write_plan

    for option in ("html", "svg", "output"):
        refuse_unwritable(getattr(request, option), f"--{option}")
    begun = datetime.now(UTC)
    analysis = analyze(project, progress)
    files = [request.html, request.svg, request.output]
    output.show_lines(work_lines(project, begun, files))
    tell_all_notes(project, analysis, output.note)
    problem = prepare(project, analysis).problem
    found = frontiers.pareto(
        problem, progress, points=request.points, baselines=_baselines(problem)
    )
    output.show(frontier_text(found))
    if request.html is not None:
        write(request.html, frontier_page(found, project.name, request.command), "--html")
    if request.svg is not None:
        write(request.svg, frontier_svg(found), "--svg")
    if request.output is not None:
        plan = recorded(found.knee.plan, request.project, request.output)
        write(request.output, write_plan(plan))
    for file in (request.html, request.svg, request.output):
        if file is not None:
            output.show(Text(f"Written: {file}"))
    output.answer(frontier_document(found))


def _baselines(problem: "PlacementProblem") -> "Sequence[PlacementPlan]":
    """Return what is there now and the plans that are made without optimising, if they can run."""
    from advisor.pipeline import current
    from placement.strategies import candidates

    made = list(current(problem))
    for name in BASELINES:
        with suppress(InfeasibleError):
            made += candidates(problem, [name])
    return made


PARETO = Command(
    name="pareto",
    summary="the plans that trade seconds for bytes moved, money and migration",
    example="advisor pareto project.toml --html frontier.html",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
