"""The remaining time for placing."""

import time
from math import inf

from placement.problem import PlacementProblem
from workloads.errors import AdvisorError


class OutOfTimeError(AdvisorError):
    """The time that placing may take was over before there was an answer."""


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


def cut_by(problem: PlacementProblem, what: str) -> str:
    """Say, for `PlacementPlan.cut`, what the time limit, or the work limit, has cut."""
    if problem.work_limit is not None:
        return f"[place].work_limit of {problem.work_limit} steps cut {what}"
    return f"[place].time_limit_s of {problem.time_limit_s:g} s cut {what}"
