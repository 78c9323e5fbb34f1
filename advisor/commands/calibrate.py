"""``advisor calibrate``: measure the rates of the project's stores, for predictions."""

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_project, choice
from advisor.project.chosen_project import ProjectChoice
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output

SCALE_FACTOR, REPEATS = 0.2, 2
_LARGEST_SCALE_FACTOR = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, the scale factor of the TPC-H data to measure on, and measured runs a query."""

    project: ProjectChoice
    scale_factor: float
    repeats: int


def _add_arguments(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument(
        "--scale-factor",
        type=_positive,
        default=SCALE_FACTOR,
        dest="calibration_scale_factor",
        metavar="SF",
        help=f"of the TPC-H data that is measured on [{SCALE_FACTOR:g}]",
    )
    parser.add_argument(
        "--repeats",
        type=_whole,
        default=REPEATS,
        dest="calibration_repeats",
        metavar="N",
        help=f"measured runs of each query, after one warm-up [{REPEATS}]",
    )


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number <= _LARGEST_SCALE_FACTOR:
        limits = f"above 0, and at most {_LARGEST_SCALE_FACTOR}"
        raise argparse.ArgumentTypeError(f"{text} is not {limits}")
    return number


def _whole(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def _request(arguments: argparse.Namespace) -> Request:
    return Request(
        project=choice(arguments),
        scale_factor=arguments.calibration_scale_factor,
        repeats=arguments.calibration_repeats,
    )


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Measure the rates of the project's stores and keep them for its predictions."""
    from rich.text import Text

    project = request.project.project()
    from advisor.measuring.calibrate import calibrate, calibrating
    from advisor.measuring.clear_text import tell_clear_text
    from advisor.problem.calibrations import calibration_of, calibrations_folder
    from advisor.report.text.calibration_text import calibration_document, calibration_text
    from advisor.report.text.work_text import calibration_lines
    from evaluation.calibration.calibration import write_calibration

    folder = calibrations_folder(project)
    asked = calibrating(project, scale_factor=request.scale_factor, repeats=request.repeats)
    live = [store.name for store in project.stores if store.is_live]
    output.show_lines(calibration_lines(asked, live, folder))
    tell_clear_text(project, output.note)
    before = calibration_of(project)
    found = calibrate(project, progress, scale_factor=request.scale_factor, repeats=request.repeats)
    file = write_calibration(found, folder)
    output.show(calibration_text(found, before), Text(f"\nWritten: {file}"))
    output.answer(calibration_document(found, file))


CALIBRATE = Command(
    name="calibrate",
    summary="measure the stores' rates, for predictions",
    example="advisor calibrate p.toml",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
