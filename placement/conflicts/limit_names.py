"""Limits as messages write them: by their key in a project file, with their value."""

from collections.abc import Sequence

from placement.constraints import OF_KIND
from placement.problem import PlacementProblem
from placement.programs.variables import Limit


def names(problem: PlacementProblem, limits: Sequence[Limit]) -> str:
    """Return the limits in a list, with ``and`` before the last."""
    written = [OF_KIND[limit.kind].name(problem, limit) for limit in limits]
    if len(written) == 1:
        return written[0]
    return f"{', '.join(written[:-1])} and {written[-1]}"
