"""The main job: a project is analysed, its plans are made, and measured on its stores."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from advisor.analysis.analysis import Analysis
from advisor.analysis.analyze import analyze
from advisor.measuring.contradicted_rates import ContradictedRates, contradicted
from advisor.measuring.first_rates import measure_first_rates, wants_rates
from advisor.measuring.measure import measure
from advisor.measuring.open_stores import opening
from advisor.problem.prepared import Prepared
from advisor.problem.problem import placement_problem
from advisor.problem.rates import rates_of
from advisor.project.project import Project
from evaluation.measuring.measurement import Measurements
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for
from placement.strategies import Candidates, make
from placement.time_limit import OutOfTimeError, ends_of
from workloads.errors import InfeasibleError
from workloads.progress import Progress

CURRENT = "current"
"""The name of the present placement among the candidates."""


class Audience(Protocol):
    """Whoever is told what the main job has found so far."""

    def analyzed(self, analysis: Analysis) -> None:
        """Hear of the analysis, before anything is made of it."""
        ...

    def measuring_rates(self, contradicted: ContradictedRates | None) -> None:
        """Hear that the rates of the stores are measured before anything is placed.

        If there were some, they are `contradicted`.
        """
        ...

    def noted(self, text: str) -> None:
        """Hear of something that did not go as it should, and ends nothing."""
        ...

    def placed(self, problem: PlacementProblem, candidates: Candidates) -> None:
        """Hear of the problem and its candidates, before any is measured."""
        ...


def run(project: Project, audience: Audience, progress: Progress) -> tuple[Prepared, Measurements]:
    """Do the main job.

    The first of a project begins with a quick calibration, and so does one after a run that
    contradicts its quick calibration.

    Raises:
        AdvisorError: The project, its workload, its catalog or its limits cannot be used.
    """
    analysis = analyze(project, progress, needs_data=True)
    audience.analyzed(analysis)
    with opening(project, progress) as opened:
        if wants_rates(project):
            audience.measuring_rates(contradicted(project))
            if failed := measure_first_rates(project, analysis.catalog, opened, progress):
                audience.noted(failed)
        prepared, candidates = _placed(project, analysis, audience, progress)
        return prepared, measure(prepared, candidates.plans, progress, opened)


def place_all(
    project: Project, audience: Audience, progress: Progress
) -> tuple[Prepared, Candidates]:
    """Do the main job up to the candidates, which are to be measured next.

    Raises:
        AdvisorError: The project, its workload, its catalog or its limits cannot be used.
    """
    analysis = analyze(project, progress, needs_data=True)
    audience.analyzed(analysis)
    return _placed(project, analysis, audience, progress)


def _placed(
    project: Project, analysis: Analysis, audience: Audience, progress: Progress
) -> tuple[Prepared, Candidates]:
    prepared = prepare(project, analysis)
    candidates = place(prepared.problem, project.place.strategies, progress)
    audience.placed(prepared.problem, candidates)
    return prepared, candidates


def prepare(project: Project, analysis: Analysis) -> Prepared:
    """Return the project and its analysis with its rates and the problem that they make.

    Raises:
        ConfigurationError: The constraints name what there is not, or the calibration's file
            cannot be read.
    """
    rates = rates_of(project)
    problem = placement_problem(project, analysis, rates)
    return Prepared(project=project, analysis=analysis, rates=rates, problem=problem)


def place(problem: PlacementProblem, strategies: Sequence[str], progress: Progress) -> Candidates:
    """Make every candidate that is asked for, and the placement that there is.

    All of it takes no longer than the problem's time limit.

    Raises:
        InfeasibleError: No placement fits the hard limits.
    """
    with progress.task("Placing tables"):
        problem = replace(problem, ends=ends_of(problem))
        there = tuple(current(problem))
        made = make(problem, strategies)
        return replace(made, plans=there + made.plans)


def current(problem: PlacementProblem) -> Iterator[PlacementPlan]:
    """Yield what doing nothing costs, if every table is somewhere and every query can be run."""
    if problem.table_bytes.keys() == problem.current.keys():
        with suppress(InfeasibleError, OutOfTimeError):
            yield plan_for(_as_it_is(problem), CURRENT, problem.current)


def _as_it_is(problem: PlacementProblem) -> PlacementProblem:
    """Return the problem in which copies have the chosen indexes that they have now."""
    return problem.with_indexes(
        {
            store: [each for each in sorted(found) if each in problem.index_bytes]
            for store, found in problem.current_indexes.items()
        }
    )
