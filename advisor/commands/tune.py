"""``advisor tune``: how large results are fetched, and with which memory stores join."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_plan_or_project
from workloads.errors import ConfigurationError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output

MEMORY = "64 MiB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A plan or project, the client's memory for a fragment, and what is said of fragments.

    `join_memory`: whether sessions may get a working memory of their own. `output` is the file that
    the tuned plan is written into.
    """

    plan: Path
    project: Path | None
    memory_bytes: int
    said: tuple[str, ...]
    explain: bool
    join_memory: bool
    output: Path | None


def _add_arguments(parser: Parser) -> None:
    add_plan_or_project(parser)
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        default=MEMORY,
        help=f"of the engine, that the rows of one fragment may take [{MEMORY}]",
    )
    parser.add_argument(
        "--set",
        dest="said",
        action="append",
        default=[],
        metavar="NAME=ROWS[:BYTES][/STATEMENTS[/COLUMN]]",
        help="rows of a batch, bytes of a message, and statements that divide the fragment NAME by "
        "a column; NAME=none for the run's",
    )
    parser.add_argument(
        "--explain", action="store_true", help="show the predicted seconds of other batches too"
    )
    parser.add_argument(
        "--join-memory",
        action="store_true",
        help="also choose the working memory of sessions, by estimated hash joins",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the tuned plan here"
    )


def _request(arguments: argparse.Namespace) -> Request:
    from advisor.project.sizes import parse_capacity

    try:
        memory_bytes = parse_capacity(arguments.memory).size_bytes
    except ValueError as error:
        raise ConfigurationError(f"--memory {arguments.memory}: {error}.") from None
    if memory_bytes is None:
        raise ConfigurationError(
            f"--memory {arguments.memory}: write a size such as '{MEMORY}', as there is nothing "
            "that it could be a share of."
        )
    return Request(
        plan=arguments.plan,
        project=arguments.project,
        memory_bytes=memory_bytes,
        said=tuple(arguments.said),
        explain=arguments.explain,
        join_memory=arguments.join_memory,
        output=arguments.output,
    )


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Show a plan's settings beside the best ones, and write it with these."""
    from rich.text import Text

    from advisor.planned.plan_origin import carried
    from advisor.planned.planned import planned, refuse_unreadable
    from advisor.planned.tuning import tuning
    from advisor.publishing.publish import refuse_unwritable, write
    from advisor.report.documents.tuning_json import tuning_document
    from advisor.report.text.tuning_text import tuning_text
    from placement.fetching import Budget
    from placement.plan_file import write_plan

    refuse_unreadable(request.plan, request.project)
    refuse_unwritable(request.output, "--output")
    given = planned(request.plan, output.note, progress, project_file=request.project)
    budget = Budget(memory_bytes=request.memory_bytes)
    found = tuning(given, budget, request.said, memory=request.join_memory)
    output.show(tuning_text(found, explained=request.explain))
    if request.output is not None:
        write(request.output, write_plan(carried(found.after, given.project, request.output)))
        output.show(Text(f"Written: {request.output}"))
    output.answer(tuning_document(found, request.output))


TUNE = Command(
    name="tune",
    summary="how large results are best fetched, and with which memory stores join",
    example="advisor tune plan.json --explain -o tuned.json",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
"""The command."""
