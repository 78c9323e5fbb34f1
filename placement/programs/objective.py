"""The seconds of queries as the objective of a fragment model."""

from placement.problem import PlacementProblem
from placement.programs.variables import FragmentModel


def add_seconds(model: FragmentModel, problem: PlacementProblem, *, unit_s: float) -> None:
    """Price each query's seconds by its executions, in units of `unit_s` seconds."""
    for query in problem.queries:
        slowest = model.slowest.get(query.name)
        if slowest is not None:
            model.program.price(slowest, query.executions / unit_s)
        for option, variable in model.run[query.name]:
            alone_s = option.cost_s if slowest is None else option.engine_s
            model.program.price(variable, query.executions * alone_s / unit_s)
