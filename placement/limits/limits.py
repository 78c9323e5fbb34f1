"""The hard limits that a plan breaks, in sentences, without a solver."""

from placement.constraints import CONSTRAINTS
from placement.constraints.constraint import Placement, Routing
from placement.problem import PlacementProblem


def limits(
    problem: PlacementProblem, placement: Placement, routing: Routing | None = None
) -> tuple[str, ...]:
    """Return, in sentences, the hard limits that a placement and its routing break.

    Without a routing there are no seconds of queries, and money is that of storage alone.
    """
    return tuple(
        broken.sentence
        for constraint in CONSTRAINTS
        for broken in constraint.broken(problem, placement, routing or {})
    )
