"""The fragment model under planes: the plan whose largest weighted sum of seconds is least.

Kelley's cutting planes (Journal of the SIAM 8, 1960) with the whole program between two of them, as
in outer approximation (Duran and Grossmann, Mathematical Programming 36, 1986): where each plane is
a lower bound on a convex cost of the seconds in stores, so is the largest, and its least value
bounds the cost of all plans.
"""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from placement.constraints import CONSTRAINTS
from placement.demands import executions
from placement.limits.idle_copies import without_idle_copies
from placement.machines import DISKS, ENGINE, Place, Seconds
from placement.plan import PlacementPlan
from placement.pricing import routed
from placement.problem import PlacementProblem
from placement.programs.solver import SearchOptions, Status, Variable
from placement.programs.variables import FragmentModel, variables
from placement.routing.routing import plan_for

SCALE = 1000.0
"""The scale of the objective, so that the solver's absolute tolerances (1e-7) are small."""
Plane = Seconds
"""Place → what a second of a mean query there counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderPlanes:
    """The plan found, None where there was no time for any, and what no plan is below.

    `stopped`: time or nodes ended the search, not its proof.
    """

    plan: PlacementPlan | None
    bound_s: float
    stopped: bool


def under_planes(
    problem: PlacementProblem,
    planes: Sequence[Plane],
    near: PlacementPlan,
    *,
    unit_s: float,
    ends: float,
) -> UnderPlanes:
    """Return the plan whose largest plane is least, searching until `ends` (monotonic seconds).

    Every query is run by whole fragments, so that it is this plan's routing too: copies share
    queries out over stores, which the cheapest routing would not. The search starts from `near`,
    `unit_s` is about what is minimised.
    """
    whole = {query.name for query in problem.queries}
    model = variables(problem, whole)
    for constraint in CONSTRAINTS:
        constraint.add(model, problem)
    largest = model.program.continuous()
    model.program.price(largest, 1.0)
    parts = _parts(model, problem)
    for plane in planes:
        terms = _terms(parts, plane, unit_s / SCALE)
        model.program.row([*terms, (largest, -1.0)], at_most=0.0)
    while True:
        answer = model.program.solve(
            seed=problem.seed,
            time_limit_s=ends - time.monotonic(),
            hint={
                each: float(store in near.placement[t]) for (t, store), each in model.held.items()
            },
            options=SearchOptions(most_nodes=problem.work_limit),
        )
        if answer.values is None or not model.cut_broken(answer):
            break
    plan = None
    if answer.values is not None:
        routing = {
            query.name: routed(
                problem, query, (o for o, each in model.run[query.name] if answer.chosen(each))
            )
            for query in problem.queries
        }
        placement = model.placement(problem, answer)
        kept = without_idle_copies(problem, placement, routing)
        plan = plan_for(problem, near.strategy, kept, routing)
    return UnderPlanes(
        plan=plan,
        # The plan that the search starts from is one: there is no other way to have no bound.
        bound_s=0.0 if answer.bound == inf else max(0.0, answer.bound * unit_s / SCALE),
        stopped=answer.status is not Status.SOLVED,
    )


def _parts(model: FragmentModel, problem: PlacementProblem) -> Mapping[Variable, Seconds]:
    """Return variable → place → its seconds of a mean query."""
    found: dict[Variable, dict[Place, float]] = defaultdict(lambda: defaultdict(float))
    total = executions(problem)
    for (table, store), variable in model.held.items():
        copy_s = problem.copy_s(table, problem.store(store))
        found[variable][Place("store", store)] += copy_s / total
    for query in problem.queries:
        share = query.executions / total
        for option, variable in model.run[query.name]:
            engine_s, rows_s = option.engine_s + option.start_s, option.rows_s
            in_store_s = option.cost_s - engine_s - option.disk_s - rows_s
            found[variable][Place("store", option.store)] += share * in_store_s
            found[variable][Place("rows", option.store)] += share * rows_s
            found[variable][ENGINE] += share * engine_s
            found[variable][DISKS] += share * option.disk_s
    return found


def _terms(
    parts: Mapping[Variable, Seconds], plane: Plane, unit_s: float
) -> list[tuple[Variable, float]]:
    sums = {
        variable: sum(plane[place] * taken_s for place, taken_s in seconds.items()) / unit_s
        for variable, seconds in parts.items()
    }
    return [(variable, each) for variable, each in sums.items() if each]
