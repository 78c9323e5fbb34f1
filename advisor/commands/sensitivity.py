"""``advisor sensitivity``: how wrong each cost rate must be before the plan changes."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import Command, Parser, add_plan_or_project
from workloads.errors import ConfigurationError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output
    from placement.problem import PlacementProblem
    from placement.reasons.parameters import Parameter
    from placement.reasons.sensitivity import CapacityWorth, LeftOut, Sensitivity

BEST_SHARE, FIGURES_SHARE = 0.5, 0.8
"""The shares of the time left that the best plan has, and then the figures; the rest is for
capacities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A plan or project, the rates to look at (none is all), and how many queries' executions."""

    plan: Path
    project: Path | None
    rates: tuple[str, ...]
    top_queries: int


def _add_arguments(parser: Parser) -> None:
    add_plan_or_project(parser)
    parser.add_argument(
        "--rate",
        action="append",
        default=[],
        metavar="STORE[.RATE]",
        help="only these rates, such as pg or pg.scan_bytes_per_s, or engine [all that matter]",
    )
    parser.add_argument(
        "--top-queries",
        type=int,
        default=3,
        metavar="N",
        help="also the executions of the N queries that cost the most [3]",
    )


def _request(arguments: argparse.Namespace) -> Request:
    if arguments.top_queries < 0:
        raise ConfigurationError("--top-queries: there are at least 0 queries.")
    return Request(
        plan=arguments.plan,
        project=arguments.project,
        rates=tuple(arguments.rate),
        top_queries=arguments.top_queries,
    )


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Say how wrong each figure must be before the plan changes, and what capacity is worth."""
    from advisor.planned.planned import planned
    from advisor.project.project_file import refuse_unknown
    from advisor.report.documents.reasons_json import sensitivity_document
    from advisor.report.text.reasons_sensitivity import sensitivity_text
    from placement.reasons.parameters import costliest, executions, rates
    from placement.reasons.sensitivity import capacity_worths, sensitivities
    from placement.strategies.optimal import Optimal
    from placement.time_limit import with_share

    given = planned(request.plan, output.note, progress, project_file=request.project)
    problem, plan = given.problem, given.plan
    figures = rates(problem)
    if request.rates:
        named = [each.name for each in figures] + [each.owner for each in figures]
        for name in request.rates:
            refuse_unknown("rate", name, list(dict.fromkeys(named)))
        wanted = set(request.rates)
        figures = tuple(each for each in figures if {each.name, each.owner} & wanted)
    else:
        figures += executions(problem, costliest(problem, plan, request.top_queries))
    problem = with_share(problem)
    with progress.task("Placing tables"):
        best = Optimal()(with_share(problem, BEST_SHARE))
    of_figures = problem if request.rates else with_share(problem, FIGURES_SHARE)
    found = sensitivities(of_figures, plan, best, figures, progress=progress)
    worths = () if request.rates else capacity_worths(problem, best, progress)
    left_out = _left_out(problem, figures, found, None if request.rates else worths)
    output.show(sensitivity_text(plan, best, found, worths, left_out))
    output.answer(sensitivity_document(plan, best, found, worths, left_out))


def _left_out(
    problem: "PlacementProblem",
    figures: "Sequence[Parameter]",
    found: "Sequence[Sensitivity]",
    worths: "Sequence[CapacityWorth] | None",
) -> "LeftOut":
    """Return what is not among the answers; `worths` are None where nobody asked for them."""
    from placement.reasons.sensitivity import LeftOut

    studied = {each.parameter for each in found}
    stores = [each.name for each in problem.stores if each.capacity_bytes is not None]
    known = set(stores) if worths is None else {each.store for each in worths}
    return LeftOut(
        figures=tuple(each.name for each in figures if each not in studied),
        stores=tuple(each for each in stores if each not in known),
    )


SENSITIVITY = Command(
    name="sensitivity",
    summary="how wrong each cost rate must be before the plan changes",
    example="advisor sensitivity plan.json --rate pg",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
