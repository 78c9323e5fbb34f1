"""``advisor calibrate``: measure the rates of the project's stores, for predictions."""

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_project, choice
from advisor.project.chosen_project import ProjectChoice
from workloads.errors import ConfigurationError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.project.project import Project
    from advisor.report.output import Output
    from evaluation.calibration.calibration import Calibration

SCALE_FACTOR, REPEATS = 0.2, 3
_LARGEST_SCALE_FACTOR = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, the scale factor of the TPC-H data to measure on, and measured runs a query.

    Both are None where none was given. One that is `quick` has its own.
    """

    project: ProjectChoice
    scale_factor: float | None
    repeats: int | None
    quick: bool


def _add_arguments(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument(
        "--scale-factor",
        type=_positive,
        default=None,
        dest="calibration_scale_factor",
        metavar="SF",
        help=f"of the TPC-H data that is measured on [{SCALE_FACTOR:g}]",
    )
    parser.add_argument(
        "--repeats",
        type=_whole,
        default=None,
        dest="calibration_repeats",
        metavar="N",
        help=f"measured runs of each query, after one warm-up [{REPEATS}]",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="in half a minute: scale the default rates by a few statements",
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
        quick=arguments.quick,
    )


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Measure the rates of the project's stores and keep them for its predictions."""
    from rich.text import Text

    if request.quick and (request.scale_factor, request.repeats) != (None, None):
        raise ConfigurationError(
            "--quick has a scale factor and repeats of its own: leave out --scale-factor and "
            "--repeats, or leave out --quick."
        )
    project = request.project.project()
    from advisor.measuring.clear_text import tell_clear_text
    from advisor.measuring.failed_rates import forget
    from advisor.problem.calibrations import calibration_of, calibrations_folder
    from advisor.report.text.calibration_text import calibration_document, calibration_text
    from evaluation.calibration.calibration import write_calibration

    before = calibration_of(project)
    tell_clear_text(project, output.note)
    if request.quick:
        found = _quickly(project, output, progress)
    else:
        found = _fully(request, project, output, progress)
    file = write_calibration(found, calibrations_folder(project))
    forget(project)
    output.show(calibration_text(found, before), Text(f"\nWritten: {file}"))
    if before is not None and found.quick and not before.quick:
        output.note(
            f"Predictions go on by the full calibration of {before.started_at[:16]} for the stores "
            "that it has: a quick one does not replace it."
        )
    output.answer(calibration_document(found, file))


def _fully(
    request: Request, project: "Project", output: "Output", progress: Progress
) -> "Calibration":
    from advisor.measuring.calibrate import calibrate, calibrating
    from advisor.problem.calibrations import calibrations_folder
    from advisor.report.text.work_text import calibration_lines

    scale_factor, repeats = request.scale_factor or SCALE_FACTOR, request.repeats or REPEATS
    asked = calibrating(project, scale_factor=scale_factor, repeats=repeats)
    live = [store.name for store in project.stores if store.is_live]
    output.show_lines(calibration_lines(asked, live, calibrations_folder(project)))
    return calibrate(project, progress, scale_factor=scale_factor, repeats=repeats)


def _quickly(project: "Project", output: "Output", progress: Progress) -> "Calibration":
    from advisor.measuring.open_stores import opening
    from advisor.measuring.quick_calibration import quick_calibration
    from advisor.measuring.quick_parts import live_catalog, quick_project
    from advisor.problem.calibrations import calibrations_folder
    from advisor.report.text.work_text import calibration_lines

    live = [store.name for store in project.stores if store.is_live]
    asked = quick_project(project)
    folder = calibrations_folder(project)
    output.show_lines(calibration_lines(asked, live, folder, quick=True))
    catalog = live_catalog(project, progress)
    with opening(project, progress) as opened:
        return quick_calibration(project, catalog, opened, progress)


CALIBRATE = Command(
    name="calibrate",
    summary="measure the stores' rates, for predictions",
    example="advisor calibrate p.toml",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
