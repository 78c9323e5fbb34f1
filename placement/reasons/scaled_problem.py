"""A problem with one figure scaled: its optimum, and the line that a placement's cost is on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from placement.access_paths import CHOOSING_RATES
from placement.plan import PlacementPlan
from placement.pricing import query_seconds
from placement.problem import PlacementProblem
from placement.reasons.parameters import Parameter
from placement.routing.routing import plan_for
from placement.strategies.optimal import Optimal
from placement.time_limit import NotFoundInTimeError, OutOfTimeError, left_s
from workloads.errors import InfeasibleError

Placement = Mapping[str, tuple[str, ...]]

_NEAR = 2.0**-10
"""The step, as a share of the factor, that a slope is taken over where it may soon be another."""


@dataclass(slots=True, kw_only=True)
class ScaledProblem:
    """A problem at factors on the work that `parameter` prices; `best` is its optimum at 1.

    `optima`: factor → the best plan of those solved at so far; None where nothing fits.
    """

    problem: PlacementProblem
    parameter: Parameter
    best: PlacementPlan
    optima: dict[float, PlacementPlan | None] = field(init=False)

    def __post_init__(self) -> None:
        self.optima = {1.0: self.best}

    @property
    def linear(self) -> bool:
        """Whether costs are linear in the factor and limits do not depend on it."""
        limits = self.problem.constraints
        money = limits.max_money is not None and self.parameter.key == "executions"
        is_plain = self.problem.objective == "work" and not limits.latency_s
        return is_plain and not money

    def optimum(self, at: float) -> PlacementPlan | None:
        """Return the best plan at a factor, solved for once; None where nothing fits.

        Raises:
            OutOfTimeError: The problem's time was over before that was known.
        """
        if at not in self.optima:
            self.optima[at] = self._solved(at)
        return self.optima[at]

    def _solved(self, at: float) -> PlacementPlan | None:
        late = OutOfTimeError(f"The time was over while {self.parameter.name} was scaled.")
        if left_s(self.problem) <= 0:
            raise late
        try:
            plan = Optimal()(self.parameter.scaled(self.problem, at))
        except NotFoundInTimeError:
            raise late from None
        except InfeasibleError:
            return None
        # What a work limit cuts is cut again in whatever time.
        if plan.cut is not None and self.problem.work_limit is None:
            raise late
        return plan

    def least_s(self, at: float) -> float:
        """Return the bound that is proven on any plan at a factor that was solved at."""
        best = self.optima[at]
        if best is None:
            return inf
        return best.predicted_s if best.bound_s is None else best.bound_s

    def line(self, at: float, placement: Placement) -> tuple[float, float]:
        """Return what a placement costs at a factor, and the slope of its routing there.

        The cost is inf where it breaks a ceiling on seconds.
        """
        scaled = self.parameter.scaled(self.problem, at)
        plan = plan_for(scaled, "scaled", placement)
        if plan.violations and self.problem.constraints.latency_s:
            return inf, 0.0
        step = _NEAR if self._chooses_paths else 1.0
        beyond = self.parameter.scaled(self.problem, (1 + step) * at)
        return plan.predicted_s, (_priced_s(beyond, plan) - plan.predicted_s) / (step * at)

    @property
    def _chooses_paths(self) -> bool:
        """Whether stores may go from a scan to an index, or back, as the figure grows."""
        return self.parameter.key in CHOOSING_RATES and any(
            fragment.work.index_reads
            for query in self.problem.queries
            for fragment in query.fragments
        )


def _priced_s(problem: PlacementProblem, plan: PlacementPlan) -> float:
    """Return what a plan costs, routed as it is, at the problem's rates."""
    copies_s = sum(
        problem.copy_s(table, problem.store(store))
        for table, held in plan.placement.items()
        for store in held
    )
    return copies_s + sum(
        query.executions * query_seconds(problem, query, plan.routing[query.name])
        for query in problem.queries
    )
