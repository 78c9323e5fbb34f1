"""``advisor stores``: keep embedded stores up for work by hand, or check all of a project's."""

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
from workloads.errors import ConfigurationError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.project.project import Project
    from advisor.report.output import Output

CHECK = "check"
ACTIONS = ("up", "down", "status", CHECK)


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
    """Start, stop or list the project's embedded stores, or check all of its stores."""
    project = request.project.project()
    if request.action == CHECK:
        _check(project, output, progress)
        return
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


def _check(project: "Project", output: "Output", progress: Progress) -> None:
    """Show what a run will need of each store.

    Raises:
        ConfigurationError: A store lacks something.
    """
    from advisor.measuring.store_checks import check_stores
    from advisor.report.text.store_checks_text import (
        store_checks_document,
        store_checks_lines,
        store_checks_text,
    )

    checks = check_stores(project, progress)
    output.show(store_checks_text(checks))
    output.show_lines(list(store_checks_lines(checks)))
    output.answer(store_checks_document(checks))
    lacking = [each.store for each in checks if not each.serves]
    if lacking:
        raise ConfigurationError(
            f"{len(lacking)} of {len(checks)} stores lack what a run needs ({', '.join(lacking)}): "
            "the lines above say how they get it."
        )


STORES = Command(
    name="stores",
    summary="keep embedded stores up for work by hand, or check all of a project's",
    example="advisor stores up",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
