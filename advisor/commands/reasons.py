"""The commands explain, what-if and sensitivity."""

import argparse
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.project.project_file import nearest
from advisor.project.query_names import query_name
from advisor.report.output import Output
from workloads.errors import ConfigurationError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.planned.planned import Planned


def explain(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Say why a table is where it is, why all are, or why a query runs as it does."""
    from advisor.planned.planned import planned
    from advisor.report.documents import reasons_json as documents
    from advisor.report.text import reasons_explain as texts
    from placement.reasons.explain import explain_table, explain_tables

    table, query = arguments.table, arguments.query
    if table is not None and query is not None:
        raise ConfigurationError("Explain a TABLE or a --query, not both at once.")
    if query is not None and arguments.fixed_only:
        raise ConfigurationError(
            "--fixed-only belongs to explain TABLE: leave it out with --query."
        )
    if query is None and arguments.measured is not None:
        raise ConfigurationError("--measured is of a --query: name the query, or leave it out.")
    given = planned(arguments.plan, output.note, progress, project_file=arguments.project)
    problem, plan = given.problem, given.plan
    if query is not None:
        _explain_query(given, query_name(query, plan.routing), arguments.measured, output)
        return
    if table is None:
        tables = explain_tables(problem, plan, progress)
        output.show(texts.tables_text(tables))
    else:
        if table not in problem.table_bytes and {table, f"q{table}"} & plan.routing.keys():
            raise ConfigurationError(f"'{table}' is a query: explain it with --query {table}.")
        _known("table", table, problem.table_bytes)
        free = not arguments.fixed_only
        tables = (explain_table(problem, plan, table, free=free, progress=progress),)
        output.show(texts.table_text(tables[0]))
    output.answer(documents.tables_document(tables))


def _explain_query(given: "Planned", query: str, measured: Path | None, output: Output) -> None:
    from advisor.planned.explained_query import explained_query
    from advisor.report.documents.explained_query_json import explained_document
    from advisor.report.text.explained_query_text import explained_text

    found = explained_query(given, query, measured)
    output.show(explained_text(found))
    output.answer(explained_document(found))


def what_if(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Say what the best plan would be if something was otherwise."""
    from advisor.commands.what_if_options import changed, refuse_unclear
    from advisor.planned.planned import planned
    from advisor.report.documents.reasons_json import what_if_document
    from advisor.report.text.reasons_what_if import what_if_text
    from placement.reasons import what_if as comparison

    refuse_unclear(arguments)
    given = planned(arguments.plan, output.note, progress, project_file=arguments.project)
    asked = changed(given, arguments, progress)
    with progress.task("Placing tables anew"):
        found = comparison.what_if(given.problem, given.plan, asked.problem)
    output.show(what_if_text(found, asked.changes))
    output.answer(what_if_document(found, asked.changes))


def sensitivity(arguments: argparse.Namespace, output: Output, progress: Progress) -> None:
    """Say how wrong each figure must be before the plan changes, and what capacity is worth."""
    from advisor.planned.planned import planned
    from advisor.report.documents.reasons_json import sensitivity_document
    from advisor.report.text.reasons_sensitivity import sensitivity_text
    from placement.reasons.parameters import costliest, executions, rates
    from placement.reasons.sensitivity import capacity_worths, sensitivities
    from placement.strategies.optimal import Optimal

    if arguments.top_queries < 0:
        raise ConfigurationError("--top-queries: there are at least 0 queries.")
    given = planned(arguments.plan, output.note, progress, project_file=arguments.project)
    problem, plan = given.problem, given.plan
    figures = rates(problem)
    if arguments.rate:
        named = [each.name for each in figures] + [each.owner for each in figures]
        for name in arguments.rate:
            _known("rate", name, list(dict.fromkeys(named)))
        wanted = set(arguments.rate)
        figures = tuple(each for each in figures if {each.name, each.owner} & wanted)
    else:
        figures += executions(problem, costliest(problem, plan, arguments.top_queries))
    with progress.task("Placing tables"):
        best = Optimal()(problem)
    found = sensitivities(problem, plan, best, figures, progress=progress)
    worths = () if arguments.rate else capacity_worths(problem, best, progress)
    output.show(sensitivity_text(plan, best, found, worths))
    output.answer(sensitivity_document(plan, best, found, worths))


def _known(kind: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        near = nearest(name, known) or f"there are {', '.join(known)}."
        raise ConfigurationError(f"There is no {kind} '{name}': {near}")
