"""``advisor diff``: what differs between two plans."""

import argparse
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The files of two plans, and of their project; None is that of the second."""

    before: Path
    after: Path
    project: Path | None


def add_plans_project(parser: Parser) -> None:
    """Add the project of several plans."""
    parser.add_argument(
        "--project", type=Path, metavar="PROJECT", help="the plans' project [that of the last]"
    )


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("before", type=Path, metavar="A", help="a plan from `place -o`")
    parser.add_argument("after", type=Path, metavar="B", help="another one of the same project")
    add_plans_project(parser)


def _request(arguments: argparse.Namespace) -> Request:
    return Request(before=arguments.before, after=arguments.after, project=arguments.project)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Show what differs between two plans."""
    from advisor.planned.planned import alike, fitting, planned
    from advisor.project.plan_files import named_plan
    from advisor.report.documents.movement_json import difference_document
    from advisor.report.text.migration_text import difference_text
    from advisor.report.text.work_text import work_lines
    from placement.movement.difference import difference

    begun = datetime.now(UTC)
    named = named_plan(request.before)
    after = planned(request.after, output.note, progress, project_file=request.project)
    output.show_lines(work_lines(after.project, begun))
    before = fitting(after, named, request.before, output.note)
    before = alike(after, before, request.before, output.note)
    found = difference(after.problem, before, after.plan)
    output.show(difference_text(found, request.before.name, request.after.name))
    output.answer(difference_document(found))


DIFF = Command(
    name="diff",
    summary="what differs between two plans",
    example="advisor diff now.json next.json",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
