"""The plan: which table lives where, which fragment runs where, and what that should cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from placement.fragments import Fragment


class Outcome(StrEnum):
    """How good a plan is known to be."""

    OPTIMAL = "OPTIMAL"
    FEASIBLE = "FEASIBLE"
    INFEASIBLE = "INFEASIBLE"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedFragment:
    """A fragment, the store that runs it and the predicted seconds of one execution."""

    fragment: Fragment
    store: str
    predicted_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementPlan:
    """A placement with its routing.

    `strategy` is the candidate's name, such as ``naive`` or ``single_store:pg``.
    `placement`: table → stores, sorted. `routing`: query → fragments with their stores.
    `predicted_s` is the weighted sum over the workload; `bound_s` a proven lower bound on any
    feasible plan's, where the strategy proves one. `violations` says in sentences which hard
    limits it breaks: such a plan is a reference that cannot be had (`outcome` INFEASIBLE).
    """

    strategy: str
    outcome: Outcome
    placement: Mapping[str, tuple[str, ...]]
    routing: Mapping[str, tuple[RoutedFragment, ...]]
    predicted_s: float
    bound_s: float | None = None
    seed: int = 0
    violations: tuple[str, ...] = ()
    settings: Mapping[str, str | int | float] = field(default_factory=dict)

    @property
    def feasible(self) -> bool:
        """Whether the plan respects every hard limit."""
        return not self.violations

    @property
    def gap(self) -> float | None:
        """Return the proven gap (0..1) between the plan and the bound; None without a bound."""
        if self.bound_s is None:
            return None
        if self.predicted_s <= 0:
            return 0.0
        return max(0.0, (self.predicted_s - self.bound_s) / self.predicted_s)

    def query_s(self, query: str) -> float:
        """Return the predicted seconds of one execution of `query`."""
        return sum(routed.predicted_s for routed in self.routing[query])
