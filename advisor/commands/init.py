"""``advisor init``: a project file of servers in use, which are only read."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output
    from advisor.starting.beginning import Beginning


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The servers and data to begin with, logins included, and the file to write."""

    beginning: "Beginning"
    file: Path


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--from",
        dest="sources",
        action="append",
        required=True,
        metavar="URL",
        help="postgresql://USER@HOST/DATABASE, mysql://USER@HOST, a folder of Parquet or a DuckDB "
        "file (may be repeated); passwords come from the environment, or are asked for",
    )
    parser.add_argument(
        "--workload",
        action="append",
        default=[],
        metavar="PATH",
        help="files or folders of SQL and logs (may be repeated) [what the servers remember]",
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(), metavar="DIR", help="folder of the file [.]"
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace the project file that is there"
    )


def _request(arguments: argparse.Namespace) -> Request:
    # Passwords are asked for here: progress, which is shown later, writes over a prompt.
    from advisor.starting.beginning import FILE, beginning_of, refuse_existing

    file = arguments.output / FILE
    refuse_existing(file, overwrite=arguments.overwrite)
    return Request(beginning=beginning_of(arguments.sources, arguments.workload), file=file)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Ask every server what it has, and write the project file."""
    from advisor.publishing.publish import make_folder, write
    from advisor.report.text.beginning_text import (
        beginning_document,
        beginning_lines,
        beginning_text,
        next_lines,
    )
    from advisor.starting.found import find
    from advisor.starting.project_text import project_text
    from advisor.starting.workload_text import QUERIES, workload_sources

    beginning = request.beginning
    make_folder(request.file.parent)
    output.show_lines(beginning_lines(beginning, request.file))
    found = beginning.found(find(beginning.logins, progress), request.file.parent)
    if workload_sources(found) == (QUERIES,):
        make_folder(request.file.parent / QUERIES)
    write(request.file, project_text(found))
    output.show(beginning_text(found))
    output.show_lines(list(next_lines(found, request.file)))
    output.answer(beginning_document(found, request.file))


INIT = Command(
    name="init",
    summary="a project file of servers in use, which are only read",
    example="advisor init --from postgresql://reader@pg.example.org/warehouse -o shop/",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
