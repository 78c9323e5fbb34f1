"""``advisor improve``: measure, correct the prices by that, place again, and measure again."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.commands.command import (
    Command,
    Parser,
    add_optional_stores,
    add_output_folder,
    add_overriding,
    add_project,
    choice,
)
from advisor.commands.run import Shown
from advisor.project.chosen_project import ProjectChoice
from workloads.errors import ConfigurationError
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.improvement import Proposal, Round
    from advisor.problem.prepared import Prepared
    from advisor.publishing.publish import Published
    from advisor.report.output import Output
    from evaluation.measuring.measurement import Measurements
    from placement.plan import PlacementPlan
    from placement.problem import PlacementProblem

ROUNDS = 3
PLAN = "plan.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The project, the most rounds, and the folder of reports; None is among the project's own."""

    project: ProjectChoice
    rounds: int
    output: Path | None


def _add_arguments(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument(
        "--rounds",
        type=int,
        default=ROUNDS,
        metavar="N",
        help=f"the most runs, that of the project's candidates among them [{ROUNDS}]",
    )
    add_overriding(parser, "repeats", "strategies", "skip_invalid", "filters", "spark")
    add_optional_stores(parser)
    add_output_folder(parser)


def _request(arguments: argparse.Namespace) -> Request:
    if arguments.rounds < 1:
        raise ConfigurationError(
            f"--rounds {arguments.rounds} is less than 1: the first measures the candidates."
        )
    return Request(project=choice(arguments), rounds=arguments.rounds, output=arguments.output)


class _Kept:
    """Shows each round as soon as it is measured, and keeps its report and the best plan so far."""

    def __init__(
        self, request: Request, prepared: "Prepared", output: "Output", progress: Progress
    ) -> None:
        self._request = request
        self._prepared = prepared
        self._output = output
        self._progress = progress
        self.published: list[Published] = []
        self.plan: Path | None = None

    def proposed(self, number: int, proposal: "Proposal") -> None:
        """Show the plan that is measured next."""
        from advisor.report.text.improvement_text import proposal_text

        self._output.show(proposal_text(number, proposal))

    def measured(self, found: "Round") -> None:
        """Publish the round, and write the best plan so far."""
        from advisor.planned.plan_origin import recorded
        from advisor.publishing.publish import write
        from advisor.publishing.showing import show_run
        from placement.plan_file import write_plan

        folder = self._request.output
        of_round = None if folder is None else folder / f"round_{found.number}"
        published = show_run(
            self._prepared, found.measurements, of_round, self._output, self._progress
        )
        self.published.append(published)
        if found.best is not None:
            self.plan = (folder or published.kept) / PLAN
            plan = recorded(found.best.plan, self._request.project, self.plan)
            write(self.plan, write_plan(plan))


def run(request: Request, output: "Output", progress: Progress) -> None:
    """Do the main job, and again with what it measured, until nothing better is predicted."""
    read = request.project.read()
    from rich.text import Text

    from advisor import pipeline
    from advisor.improvement import improve
    from advisor.measuring.measure import measure
    from advisor.refusals.refused import refuse
    from advisor.report.documents.improvement_json import improvement_document
    from advisor.report.text.improvement_text import improvement_text
    from evaluation.running.job import OURS
    from placement.strategies.optimal import Optimal

    project = refuse(read, progress, loads=True)
    if project.evaluate.engine != OURS:
        raise ConfigurationError(
            f"{project.file.name} is measured by the engine '{project.evaluate.engine}', which "
            f"tells no fragment's seconds to correct prices by: set [evaluate].engine = '{OURS}'."
        )
    shown = Shown(project, request.output, output, progress)
    prepared, candidates = pipeline.place_all(project, shown, progress)
    kept = _Kept(request, prepared, output, progress)

    def measured(plans: "Sequence[PlacementPlan]") -> "Measurements":
        return measure(prepared, plans, progress)

    def placed(problem: "PlacementProblem") -> "PlacementPlan":
        with progress.task("Placing tables again"):
            return Optimal()(problem)

    found = improve(
        prepared.problem,
        candidates.plans,
        request.rounds,
        kept,
        measure=measured,
        place=placed,
    )
    output.show(improvement_text(found))
    if kept.plan is not None:
        output.show(Text(f"\nPlan: {kept.plan}"))
    documents = [each.document for each in kept.published]
    output.answer(improvement_document(found, documents, kept.plan))


IMPROVE = Command(
    name="improve",
    summary="the main job again and again, each time with prices that were measured",
    example="advisor improve project.toml --rounds 3 -o report/",
    add_arguments=_add_arguments,
    request=_request,
    run=run,
)
