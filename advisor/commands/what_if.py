"""``advisor what-if``: the best plan if stores, queries, prices or rates were others."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_plan_or_project
from advisor.commands.what_if_options import LISTED, Changes
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A plan or project, and the changes, all at once."""

    plan: Path
    project: Path | None
    changes: Changes


def _add_arguments(parser: Parser) -> None:
    add_plan_or_project(parser)
    changes = parser.add_argument_group("the changes (all at once)")
    for option, metavar, text in (
        ("--without-store", "NAME", "leave a store out"),
        ("--add-store", "NAME=KIND[:CAPACITY]", "a store more, such as lake=duckdb:20%%"),
        ("--capacity", "STORE=SIZE", "such as pg=80%%, pg='200 GiB' or pg=none"),
        ("--price", "STORE.PRICE=VALUE", "such as pg.storage_gb_month=0.2"),
        ("--rate", "STORE.RATE=VALUE", "such as pg.scan_bytes_per_s=2x, or engine.start_s=0.3"),
        ("--without-query", "NAME", "leave a query out"),
        ("--executions", "QUERY=N", "such as q9=100"),
        ("--add-query", "FILE", "statements more, from a file of SQL or a log"),
    ):
        changes.add_argument(option, action="append", default=[], metavar=metavar, help=text)
    changes.add_argument(
        "--max-copies", type=int, metavar="N", help="the most stores a table may be in"
    )


def _request(arguments: argparse.Namespace) -> Request:
    given = vars(arguments)
    changes = Changes(
        **{name: tuple(given[name]) for name in LISTED}, max_copies=arguments.max_copies
    )
    changes.refuse_unclear()
    return Request(plan=arguments.plan, project=arguments.project, changes=changes)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Say what the best plan would be if something was otherwise."""
    from advisor.commands.what_if_problem import changed
    from advisor.planned.planned import planned
    from advisor.report.documents.reasons_json import what_if_document
    from advisor.report.text.reasons_what_if import what_if_text
    from placement.reasons import what_if as comparison

    given = planned(request.plan, output.note, progress, project_file=request.project)
    asked = changed(given, request.changes, progress)
    with progress.task("Placing tables again"):
        found = comparison.what_if(given.problem, given.plan, asked.problem)
    output.show(what_if_text(found, asked.changes))
    output.answer(what_if_document(found, asked.changes))


WHAT_IF = Command(
    name="what-if",
    summary="the best plan if stores, queries, capacities, prices or rates were others",
    example="advisor what-if plan.json --capacity pg=80% --without-query q9",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
