"""Binding constraints of a plan: the limits on bytes and counts that it uses up."""

from collections.abc import Iterator

from placement.constraints import BOUNDED
from placement.constraints.usage import Usage
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem


def binding(problem: PlacementProblem, plan: PlacementPlan) -> tuple[Usage, ...]:
    """Return the limits that the plan uses up, to one per cent.

    Pins, exclusions, together and apart are not among them: what they cost shows when they are
    taken away.

    Raises:
        KeyError: The plan is of other queries, tables or stores than the problem.
    """
    return tuple(usage for usage in usages(problem, plan) if usage.binds)


def usages(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
    """Yield every limit that has a size, with how much of it the plan uses."""
    for constraint in BOUNDED:
        yield from constraint.usages(problem, plan)
