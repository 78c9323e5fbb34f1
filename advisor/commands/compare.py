"""``advisor compare``: print what was tracked."""

import argparse
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_optional_project, choice
from advisor.project.chosen_project import ProjectChoice
from workloads.errors import ConfigurationError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, and the experiment of MLflow; None is the project's."""

    project: ProjectChoice
    experiment: str | None


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "experiment", nargs="?", metavar="EXPERIMENT", help="MLflow's experiment [the project's]"
    )
    add_optional_project(parser)


def _request(arguments: argparse.Namespace) -> Request:
    return Request(project=choice(arguments), experiment=arguments.experiment)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Show what was tracked."""
    asked = request.experiment
    if asked is not None and asked.endswith(".toml"):
        raise ConfigurationError(
            f"'{asked}' is a project file and no experiment: advisor compare --project {asked}"
        )
    from advisor.publishing.recording import record_what_is_left
    from advisor.report.terminal import tracked_text
    from evaluation.tracking.track import runs

    project = request.project.project()
    for said in record_what_is_left(project, progress):
        output.note(said)
    with progress.task("Read the runs from MLflow"):
        found = runs(project.tracking_uri, asked or project.experiment, tls=project.tracking.tls)
    output.show(tracked_text(found))
    output.answer({"runs": [asdict(each) for each in found]})


COMPARE = Command(
    name="compare",
    summary="print what was tracked",
    example="advisor compare --project project.toml",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
