"""``advisor explain``: why a table is where it is, or a query runs as it does."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_plan_or_project
from workloads.errors import ConfigurationError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.planned.planned import Planned
    from advisor.report.output import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A plan or project, and what to explain: a table, a query, or without both all tables.

    `measured` is the run to take measured figures from; None is the latest of the plan.
    """

    plan: Path
    project: Path | None
    table: str | None
    query: str | None
    measured: Path | None
    fixed_only: bool


def _add_arguments(parser: Parser) -> None:
    add_plan_or_project(parser)
    parser.add_argument(
        "table", nargs="?", metavar="TABLE", help="the table to explain [an overview of all]"
    )
    parser.add_argument(
        "--query",
        metavar="NAME",
        help="the query to explain, such as q80 or 80: its fragments, their SQL, predicted and "
        "measured",
    )
    parser.add_argument(
        "--measured",
        type=Path,
        metavar="FILE",
        help="with --query: the run to take measured figures from, as printed by `run --json` or "
        "written beside a report [the project's latest of this plan]",
    )
    parser.add_argument(
        "--fixed-only",
        action="store_true",
        help="leave out what elsewhere costs with everything else solved again",
    )


def _request(arguments: argparse.Namespace) -> Request:
    if arguments.table is not None and arguments.query is not None:
        raise ConfigurationError("Explain a TABLE or a --query, not both at once.")
    if arguments.query is not None and arguments.fixed_only:
        raise ConfigurationError(
            "--fixed-only belongs to explain TABLE: leave it out with --query."
        )
    if arguments.query is None and arguments.measured is not None:
        raise ConfigurationError("--measured is of a --query: name the query, or leave it out.")
    return Request(
        plan=arguments.plan,
        project=arguments.project,
        table=arguments.table,
        query=arguments.query,
        measured=arguments.measured,
        fixed_only=arguments.fixed_only,
    )


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Say why a table is where it is, why all are, or why a query runs as it does."""
    from advisor.planned.planned import planned
    from advisor.project.project_file import refuse_unknown
    from advisor.project.query_names import query_name
    from advisor.report.documents.reasons_json import tables_document
    from advisor.report.text.indexes_text import indexes_text
    from advisor.report.text.reasons_explain import table_text, tables_text
    from placement.reasons.explain import explain_table, explain_tables
    from placement.reasons.indexes import index_gains

    given = planned(request.plan, output.note, progress, project_file=request.project)
    problem, plan, table = given.problem, given.plan, request.table
    if request.query is not None:
        _explain_query(given, query_name(request.query, plan.routing), request.measured, output)
        return
    if table is None:
        tables = explain_tables(problem, plan, progress)
        output.show(tables_text(tables))
    else:
        if table not in problem.table_bytes and {table, f"q{table}"} & plan.routing.keys():
            raise ConfigurationError(f"'{table}' is a query: explain it with --query {table}.")
        refuse_unknown("table", table, problem.table_bytes)
        free = not request.fixed_only
        tables = (explain_table(problem, plan, table, free=free, progress=progress),)
        output.show(table_text(tables[0]))
    asked = {each.table for each in tables}
    indexes = tuple(each for each in index_gains(problem, plan) if each.index.table in asked)
    if indexes:
        output.show(indexes_text(indexes))
    output.answer(tables_document(tables, indexes))


def _explain_query(given: "Planned", query: str, measured: Path | None, output: "Output") -> None:
    from advisor.planned.explained_query import explained_query
    from advisor.report.documents.explained_query_json import explained_document
    from advisor.report.text.explained_query_text import explained_text

    found = explained_query(given, query, measured)
    output.show(explained_text(found))
    output.answer(explained_document(found))


EXPLAIN = Command(
    name="explain",
    summary="why a table is where it is, or a query runs as it does",
    example="advisor explain plan.json --query 80",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
