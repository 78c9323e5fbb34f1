"""``advisor ui``: MLflow's UI on what was tracked."""

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_optional_project, choice
from advisor.project.chosen_project import ProjectChoice
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output

_LAST_PORT = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, the port, and whether the newest run's candidates are opened in the browser.

    `port` None is 5000 or, if that is taken, a free one.
    """

    project: ProjectChoice
    port: int | None
    opens: bool


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("--port", type=_port, help="port [5000, or a free one]")
    parser.add_argument(
        "--open", action="store_true", help="open the newest run's candidates in the browser"
    )
    add_optional_project(parser)


def _port(text: str) -> int:
    number = int(text)
    if not 0 < number <= _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text} is no port: 1 to {_LAST_PORT}")
    return number


def _request(arguments: argparse.Namespace) -> Request:
    return Request(project=choice(arguments), port=arguments.port, opens=arguments.open)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Serve MLflow's UI until Ctrl-C, and say where the newest run's candidates are."""
    project = request.project.project()
    import webbrowser

    from advisor.report.terminal import ui_lines
    from evaluation.tracking.track import newest
    from evaluation.tracking.ui import serve

    with progress.task("Find the newest run"):
        pages = newest(project.tracking_uri, project.experiment, tls=project.tracking.tls)

    def ready(address: str) -> None:
        table = None if pages is None else address + pages.table
        charts = None if pages is None else address + pages.charts
        output.show_lines(ui_lines(address, table, charts))
        output.answer({"address": address, "table": table, "charts": charts})
        if request.opens and not webbrowser.open(table or address):
            output.note("No browser could be opened here: open the address in one of yours.")

    serve(
        project.tracking_uri,
        project.artifacts_folder,
        request.port,
        ready,
        tls=project.tracking.tls,
    )


UI = Command(
    name="ui",
    summary="MLflow's UI on what was tracked, on 127.0.0.1",
    example="advisor ui --open",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
