"""``advisor ui``: MLflow's UI on what was tracked."""

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_optional_project, choice
from advisor.project.chosen_project import ProjectChoice
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, and the port; None is 5000 or, if that is taken, a free one."""

    project: ProjectChoice
    port: int | None


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("--port", type=int, help="port [5000, or a free one]")
    add_optional_project(parser)


def _request(arguments: argparse.Namespace) -> Request:
    return Request(project=choice(arguments), port=arguments.port)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Serve MLflow's UI until Ctrl-C."""
    from rich.text import Text

    from evaluation.tracking.ui import serve

    del progress

    def ready(address: str) -> None:
        output.show(Text(f"MLflow's UI is at {address} (Ctrl-C stops it)"))
        output.answer({"address": address})

    project = request.project.project()
    serve(project.tracking_uri, project.artifacts_folder, request.port, ready)


UI = Command(
    name="ui",
    summary="MLflow's UI on what was tracked, on 127.0.0.1",
    example="advisor ui --port 5001",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
