"""``advisor stores``: keep embedded stores up for work by hand."""

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.commands.command import (
    Command,
    Parser,
    add_optional_project,
    add_optional_stores,
    choice,
)
from advisor.project.chosen_project import ProjectChoice
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output

ACTIONS = ("up", "down", "status")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, and one of `ACTIONS`."""

    project: ProjectChoice
    action: str


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("action", choices=ACTIONS, metavar="|".join(ACTIONS))
    add_optional_project(parser, positional=True)
    add_optional_stores(parser)


def _request(arguments: argparse.Namespace) -> Request:
    return Request(project=choice(arguments), action=arguments.action)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Start, stop or list the project's embedded stores."""
    project = request.project.project()
    from advisor.measuring.connections import requested
    from advisor.report.terminal import stores_text
    from evaluation import embedded

    stopped: tuple[str, ...] = ()
    if request.action == "up":
        embedded.up(requested(project), project.folder, progress)
    elif request.action == "down":
        stopped = embedded.down(project.folder)
    states = embedded.status(project.folder)
    output.show(stores_text(states))
    output.answer(
        {
            "stores": [
                {"name": s.store, "kind": s.kind, "pid": s.pid, "port": s.port, "kept": s.kept}
                for s in states
            ],
            "stopped": list(stopped),
        }
    )


STORES = Command(
    name="stores",
    summary="keep embedded stores up for work by hand",
    example="advisor stores up",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
