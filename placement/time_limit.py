"""The remaining time for placing."""

import time
from dataclasses import replace
from math import inf

from placement.problem import PlacementProblem
from workloads.errors import AdvisorError, InfeasibleError

STEPS_A_LOOK = 256
"""Steps between two looks at the clock. A step takes about ten microseconds, and a look takes a
hundredth of that."""


class OutOfTimeError(AdvisorError):
    """The time that placing may take was over before there was an answer."""


class NotFoundInTimeError(InfeasibleError):
    """No placement was found in the time that placing may take, though one may fit."""


class Looks:
    """Looks at the clock now and then while steps are counted: what they search may be anything.

    `ends` is by `time.monotonic`, `what` is what the steps are for.
    """

    def __init__(self, ends: float, what: str) -> None:
        self._ends = ends
        self._what = what
        self._steps = 0

    def step(self, steps: int = 1) -> None:
        """Count steps; OutOfTimeError where the time was over at the look that they lead to."""
        self._steps += steps
        if self._steps >= STEPS_A_LOOK:
            self._steps = 0
            if time.monotonic() >= self._ends:
                raise OutOfTimeError(
                    f"The time was over while {self._what}: raise [place].time_limit_s."
                )


def left_s(problem: PlacementProblem) -> float:
    """Return the seconds that a search which starts now may take.

    With a work limit there is no end: steps bound the search.
    """
    if problem.work_limit is not None:
        return inf
    return min(problem.time_limit_s, problem.ends - time.monotonic())


def ends_of(problem: PlacementProblem) -> float:
    """Return when a search that starts now must be done, by `time.monotonic`."""
    return time.monotonic() + left_s(problem)


def with_share(problem: PlacementProblem, share: float = 1.0) -> PlacementProblem:
    """Return the problem with an end for all its searches: after a share of the time left."""
    return replace(problem, ends=time.monotonic() + share * left_s(problem))


def cut_by(problem: PlacementProblem, what: str) -> str:
    """Say, for `PlacementPlan.cut`, what the time limit, or the work limit, has cut."""
    if problem.work_limit is not None:
        return f"[place].work_limit of {problem.work_limit} steps cut {what}"
    return f"[place].time_limit_s of {problem.time_limit_s:g} s cut {what}"
