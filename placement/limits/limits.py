"""The hard limits that a plan breaks, in sentences, without a solver."""

from placement.constraints import CONSTRAINTS
from placement.constraints.constraint import Broken, Placement, Routing
from placement.problem import PlacementProblem


def broken_limits(
    problem: PlacementProblem, placement: Placement, routing: Routing
) -> tuple[Broken, ...]:
    """Return the hard limits that a placement and its routing break, each with its sentence."""
    return tuple(
        broken
        for constraint in CONSTRAINTS
        for broken in constraint.broken(problem, placement, routing)
    )


def limits(
    problem: PlacementProblem, placement: Placement, routing: Routing | None = None
) -> tuple[str, ...]:
    """Return, in sentences, the hard limits that a placement and its routing break.

    Without a routing there are no seconds of queries, and money is that of storage alone.
    """
    return tuple(each.sentence for each in broken_limits(problem, placement, routing or {}))
