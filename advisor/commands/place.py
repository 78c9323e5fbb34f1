"""``advisor place``: placements and their predicted cost."""

import argparse
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import (
    Command,
    Parser,
    add_optional_stores,
    add_overriding,
    add_project,
    choice,
)
from advisor.project.chosen_project import ProjectChoice
from workloads.errors import ConfigurationError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output
    from placement.plan import PlacementPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, the candidate to show, and the file to write it to.

    `strategy` None is the candidate that is predicted to be the fastest.
    """

    project: ProjectChoice
    strategy: str | None
    output: Path | None


def _add_arguments(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument("-s", "--strategy", help="the candidate to show [the best predicted]")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the plan here")
    add_overriding(parser, "strategies", "skip_invalid", "filters")
    add_optional_stores(parser)


def _request(arguments: argparse.Namespace) -> Request:
    return Request(project=choice(arguments), strategy=arguments.strategy, output=arguments.output)


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Make the candidates and show one of them."""
    from rich.text import Text

    read = request.project.read()
    from advisor import pipeline
    from advisor.analysis.analyze import analyze
    from advisor.measuring.clear_text import tell_clear_text
    from advisor.planned.plan_origin import recorded
    from advisor.problem.hosting import tell_all_notes
    from advisor.publishing.publish import refuse_unwritable, write
    from advisor.refusals.refused import refuse
    from advisor.report.documents.plan_json import plan_document
    from advisor.report.parts.at_once import at_once
    from advisor.report.parts.plan_facts import plan_facts
    from advisor.report.terminal import candidates_text, placement_text
    from advisor.report.text.plan_text import facts_text, outcome_text
    from advisor.report.text.work_text import work_lines
    from placement.plan_file import write_plan

    refuse_unwritable(request.output, "--output")
    project = refuse(read, progress)
    begun = datetime.now(UTC)
    analysis = analyze(project, progress)
    output.show_lines(work_lines(project, begun, [request.output]))
    tell_all_notes(project, analysis, output.note)
    tell_clear_text(project, output.note, sources_alone=True)
    problem = pipeline.prepare(project, analysis).problem
    placed = pipeline.place(problem, project.place.strategies, progress)
    plans = placed.plans
    chosen = _chosen(plans, request.strategy)
    if request.output is not None:
        write(request.output, write_plan(recorded(chosen, request.project, request.output)))
    facts, clients = plan_facts(problem, chosen), at_once(problem, plans)
    output.show(
        candidates_text(placed, project.unmade, clients),
        placement_text(chosen, problem.table_bytes),
        outcome_text(chosen, plans),
        facts_text(facts),
    )
    if request.output is not None:
        output.show(Text(f"Written: {request.output}"))
    output.answer(plan_document(chosen, plans, facts, placed.unmade, clients))


def _chosen(plans: "tuple[PlacementPlan, ...]", strategy: str | None) -> "PlacementPlan":
    """Return the plan of `strategy`; without one, the feasible plan predicted to be fastest."""
    wanted = [p for p in plans if strategy in (None, p.strategy, p.strategy.split(":")[0])]
    if not wanted:
        known = ", ".join(plan.strategy for plan in plans)
        raise ConfigurationError(f"No candidate is called '{strategy}': the project has {known}.")
    return min(wanted, key=lambda plan: (not plan.feasible, plan.predicted_s))


PLACE = Command(
    name="place",
    summary="placements and their predicted cost",
    example="advisor place p.toml -s optimal -o plan.json",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
