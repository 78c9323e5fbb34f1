"""``advisor experiments``: placements, workers, join strategies and engines beside each other."""

import argparse
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_overriding, add_project, choice
from advisor.project.chosen_project import ProjectChoice
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, the numbers of its experiments (none is all), and the folder of the page.

    With `lists` nothing is measured: what is left to do is shown. With `again` cells that failed
    are measured once more.
    """

    project: ProjectChoice
    numbers: tuple[int, ...]
    lists: bool
    again: bool
    output: Path | None

    @property
    def command(self) -> str:
        """The command line that measures the same."""
        file = self.project.file
        parts = ["advisor experiments", "" if file is None else file.name]
        parts += map(str, self.numbers)
        for name, value in self.project.options.items():
            written = f"{value:g}" if isinstance(value, float) else str(value)
            parts.append(f"--{name.replace('_', '-')} {written}")
        return " ".join(each for each in parts if each)


def _add_arguments(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument(
        "numbers",
        type=int,
        nargs="*",
        default=(),
        metavar="N",
        help="which experiments, such as 1 4 [all]",
    )
    parser.add_argument("--list", action="store_true", help="show what is left to do, and end")
    parser.add_argument(
        "--again",
        action="store_true",
        help="measure once more what failed or took too long",
    )
    parser.add_argument(
        "--engines", metavar="LIST", help="which engines, such as fragments,trino [the file's]"
    )
    parser.add_argument("--repeats", type=int, metavar="N", help="measured rounds of each query")
    add_overriding(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="folder of the page [the project's]"
    )


def _request(arguments: argparse.Namespace) -> Request:
    return Request(
        project=choice(arguments),
        numbers=tuple(arguments.numbers),
        lists=arguments.list,
        again=arguments.again,
        output=arguments.output,
    )


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Measure what is left of the experiments, and write their page."""
    read = request.project.read()
    from advisor.experiments import runs
    from advisor.experiments.findings import findings
    from advisor.experiments.laboratory import laboratory
    from advisor.publishing.experiments import publish
    from advisor.publishing.publish import make_folder
    from advisor.refusals.refused import refuse
    from advisor.report.documents.experiments_json import findings_document, left_document
    from advisor.report.text.experiments_text import findings_text, left_text
    from advisor.report.text.work_text import loading_lines

    begun = datetime.now(UTC)
    project = refuse(read, progress, loads=not request.lists)
    found = laboratory(project, request.numbers, request.command, progress)
    if request.again and not request.lists:
        found.forget_failed()
    if request.lists:
        output.show(left_text(found))
        output.answer(left_document(found))
        return
    folder = request.output or found.folder
    make_folder(folder)
    output.show_lines(loading_lines(project, begun, None)[:2])
    output.show(left_text(found))
    runs.run(found, progress)
    shown = findings(found)
    files = publish(shown, folder)
    output.show(findings_text(shown))
    output.show_lines([f"Written: {file}" for file in files])
    output.answer(findings_document(shown))


EXPERIMENTS = Command(
    name="experiments",
    summary="placements, workers, join strategies and engines beside each other",
    example="advisor experiments conf/experiments/paper.toml 1 2 --scale-factor 0.1",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
