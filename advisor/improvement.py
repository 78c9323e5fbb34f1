"""A placement improved by what was measured: measure, correct the prices, place again, measure.

The first round measures the project's candidates. Each further one measures the plan that is best
by the corrected prices beside the best plan measured so far, in one run. Plans that were never
measured look better than they are: of many prices with unknown errors the lowest are too low (the
winner's curse). So a prediction recommends nothing. It only says what to measure next, and what was
measured is priced by that from then on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from evaluation.measuring.corrections import Misjudged, corrections, misjudged
from evaluation.measuring.measurement import CandidateMeasurement, Measurements
from placement.movement.difference import Difference, difference
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.refitted import at_prices, corrected
from placement.strategies.optimal import Optimal
from workloads.errors import InfeasibleError

LEAST_GAIN = 0.01
"""The share of its seconds that a plan has to gain, as predicted, before it is loaded: rounds do
not tell less from noise."""
MOST_MISJUDGED = 3
LEAST_MISJUDGED = 0.1
"""The share of the largest error from which another one is named beside it."""

Measure = Callable[[Sequence[PlacementPlan]], Measurements]
Place = Callable[[PlacementProblem], PlacementPlan]


class End(StrEnum):
    """Why there is no further round."""

    MEASURED = "measured"
    NO_GAIN = "no_gain"
    ROUNDS = "rounds"
    NOT_VERIFIED = "not_verified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The plan to measure next, beside the best one measured, both at the corrected prices.

    `misjudged` are measured fragments whose seconds were most off: of the tables that `changes`
    moves, where it moves any.
    """

    changes: Difference
    misjudged: tuple[Misjudged, ...]

    @property
    def plan(self) -> PlacementPlan:
        """Return the plan that is proposed."""
        return self.changes.after

    @property
    def best(self) -> PlacementPlan:
        """Return the best plan measured so far."""
        return self.changes.before


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A run, the proposal that it measured (none in the first), and the best candidate after it."""

    number: int
    measurements: Measurements
    best: CandidateMeasurement | None
    proposal: Proposal | None = None

    @property
    def proposed(self) -> CandidateMeasurement | None:
        """Return the measurement of the plan that was proposed; None in the first round."""
        if self.proposal is None:
            return None
        return _candidate(self.measurements, self.proposal.plan.strategy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Improvement:
    """All rounds, and why there was no further one.

    `last` is the proposal that was not measured any more, where there is one.
    """

    rounds: tuple[Round, ...]
    end: End
    last: Proposal | None = None

    @property
    def recommended(self) -> CandidateMeasurement | None:
        """Return the best plan measured that keeps all limits; None where none was verified."""
        return self.rounds[-1].best


class Audience(Protocol):
    """Whoever is told what the loop has found so far."""

    def proposed(self, number: int, proposal: Proposal) -> None:
        """Hear of the plan that the round of this number is going to measure."""
        ...

    def measured(self, found: Round) -> None:
        """Hear of a round as soon as it is measured: what comes later may be interrupted."""
        ...


def improve(
    problem: PlacementProblem,
    first: Sequence[PlacementPlan],
    most_rounds: int,
    audience: Audience,
    *,
    measure: Measure,
    place: Place | None = None,
) -> Improvement:
    """Measure `first`, and then what corrected prices propose, in at most so many rounds.

    `place` makes the best plan of a problem: `Optimal` unless said.
    """
    place = Optimal() if place is None else place
    measured = measure(first)
    rounds = [Round(number=1, measurements=measured, best=measured.recommended)]
    while True:
        audience.measured(rounds[-1])
        proposal, end = _next(problem, rounds, place)
        if proposal is None or end is not End.ROUNDS or len(rounds) >= most_rounds:
            return Improvement(rounds=tuple(rounds), end=end, last=proposal)
        number = len(rounds) + 1
        audience.proposed(number, proposal)
        measured = measure((proposal.best, proposal.plan))
        rounds.append(
            Round(
                number=number,
                measurements=measured,
                best=_better(rounds[-1].best, measured, proposal),
                proposal=proposal,
            )
        )


def _next(
    problem: PlacementProblem, rounds: Sequence[Round], place: Place
) -> tuple[Proposal | None, End]:
    """Return the next plan to measure, and why it will not be: but for ROUNDS it shall not."""
    best = rounds[-1].best
    if best is None:
        return None, End.NOT_VERIFIED
    runs = [each.measurements for each in rounds]
    now = corrected(problem, corrections(problem, runs))
    try:
        made = place(now)
    except InfeasibleError:  # a plan that fits was measured: the time was too short for another
        return None, End.NO_GAIN
    plan = replace(made, strategy=f"improved_{len(rounds) + 1}")
    known = at_prices(now, best.plan)
    changes = difference(now, known, plan)
    proposal = Proposal(changes=changes, misjudged=_reasons(problem, runs, changes))
    fitting = [each.plan for run in runs for each in run.candidates if each.plan.feasible]
    if any(_ways(plan) == _ways(each) for each in fitting):
        return proposal, End.MEASURED
    if known.feasible and plan.predicted_s > (1 - LEAST_GAIN) * known.predicted_s:
        return proposal, End.NO_GAIN
    return proposal, End.ROUNDS


def _better(
    best: CandidateMeasurement | None, measured: Measurements, proposal: Proposal
) -> CandidateMeasurement | None:
    """Return the faster one of both, in the run that measured both; the known one if it failed.

    What was verified beside one that was not is compared with nothing. If the known one breaks a
    ceiling on a query's seconds by the corrected prices, the other one is better.
    """
    old = _candidate(measured, proposal.best.strategy)
    new = _candidate(measured, proposal.plan.strategy)
    if new is not None and (new.measured_s is None or not new.plan.feasible):
        new = None
    if not proposal.best.feasible:
        return best if new is None else new
    if old is None or old.measured_s is None:
        return best
    faster = new is not None and (new.measured_s or 0.0) < old.measured_s
    return new if faster else old


def _candidate(measured: Measurements, strategy: str) -> CandidateMeasurement | None:
    return next((each for each in measured.candidates if each.plan.strategy == strategy), None)


def _ways(plan: PlacementPlan) -> tuple[object, object]:
    """Return how each query is run, and the chosen indexes.

    Plans that are alike in both have the same seconds.
    """
    run = {
        query: frozenset(
            (each.fragment.name, each.fragment.reduction.repeats, each.store, each.transfer)
            for each in routed
        )
        for query, routed in plan.routing.items()
    }
    return run, plan.indexes


def _reasons(
    problem: PlacementProblem, runs: Sequence[Measurements], changes: Difference
) -> tuple[Misjudged, ...]:
    """Return what was most off of the fragments that read a table which is moved, or of all."""
    moved = {each.table for each in changes.tables}
    tables = {each.name: each.tables for query in problem.queries for each in query.fragments}
    found = misjudged(problem, runs)
    of_moved = [each for each in found if moved & tables.get(each.name, frozenset())]
    chosen = (of_moved or found)[:MOST_MISJUDGED]
    least_s = max((LEAST_MISJUDGED * each.off_s for each in chosen), default=0.0)
    return tuple(each for each in chosen if each.off_s > least_s)
