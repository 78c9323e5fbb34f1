"""The plan: which table lives where, which fragment runs where, and what that should cost."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Self

from placement.corrections import Corrections
from placement.flat_fragment import FlatFragment
from placement.fragment import Fragment
from placement.fragment_cost import FragmentCost
from placement.problem import Objective
from placement.transfer.link import TransferSettings
from workloads.indexes import NamedIndex


class Outcome(StrEnum):
    """The proof that a plan has."""

    OPTIMAL = "OPTIMAL"
    FEASIBLE = "FEASIBLE"
    INFEASIBLE = "INFEASIBLE"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedFragment:
    """A fragment, the store that runs it and the predicted seconds of one execution.

    `engine_s` is the part of `predicted_s` that the engine takes. `start_s` is the part before its
    store begins, on the engine's side for the most part (a session), `disk_s` the part that its
    store waits for its disk, `rows_s` the part in which its rows are handed over; None where a plan
    of an earlier version does not tell. `transfer` are the settings that its rows are fetched with;
    None are those of the run, with which small results come at once. `memory_bytes` is the working
    memory of its session, None its server's own; no price has it. `read_by` are the chosen indexes
    that its price has; None where that is not known.
    """

    fragment: Annotated[Fragment, FlatFragment()]
    store: str
    predicted_s: float
    engine_s: float = 0.0
    start_s: float | None = field(default=None, compare=False)
    disk_s: float | None = field(default=None, compare=False)
    rows_s: float | None = field(default=None, compare=False)
    transfer: TransferSettings | None = None
    memory_bytes: int | None = None
    read_by: tuple[NamedIndex, ...] | None = None

    def at(self, cost: FragmentCost) -> Self:
        """Return it with the seconds of `cost`."""
        return replace(
            self,
            predicted_s=cost.total_s,
            engine_s=cost.engine_s,
            start_s=cost.start_s,
            disk_s=cost.disk_s,
            rows_s=cost.rows_s,
        )


def execution_s(routed: Iterable[RoutedFragment], objective: Objective) -> float:
    """Return the seconds of one execution of a query whose fragments are `routed`.

    Under "work" the fragments' seconds add up. Under "latency" those in one store do, stores run
    at the same time, and the engine combines after the slowest.
    """
    fragments = tuple(routed)
    if objective == "work":
        return sum(each.predicted_s for each in fragments)
    in_store: dict[str, float] = defaultdict(float)
    for each in fragments:
        in_store[each.store] += each.predicted_s - each.engine_s
    return max(in_store.values(), default=0.0) + sum(each.engine_s for each in fragments)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementPlan:
    """A placement with its routing.

    `strategy` is the candidate's name, such as ``naive`` or ``single_store:pg``.
    `placement`: table → stores, sorted. `routing`: query → fragments with their stores.
    `objective` says what a query's seconds are (see `execution_s`).
    `predicted_s` is the weighted sum over the workload; `bound_s` a proven lower bound on any
    feasible plan's, where the strategy proves one. `corrections` are those of the prices behind
    these seconds; None are the formula's alone. `violations` says in sentences which hard
    limits it breaks: such a plan is a reference for comparison only (`outcome` INFEASIBLE). `cut`
    says what the time limit cut of the search for it; None where nothing. `indexes`: a store → the
    indexes that its copies have beside those which copies have in all stores, in order.
    """

    strategy: str
    outcome: Outcome
    placement: Mapping[str, tuple[str, ...]]
    routing: Mapping[str, tuple[RoutedFragment, ...]]
    predicted_s: float
    objective: Objective = "work"
    bound_s: float | None = None
    seed: int = 0
    violations: tuple[str, ...] = ()
    settings: Mapping[str, str | int | float] = field(default_factory=dict)
    cut: str | None = None
    indexes: Mapping[str, tuple[NamedIndex, ...]] = field(default_factory=dict)
    corrections: Corrections | None = None

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
        return execution_s(self.routing[query], self.objective)
