"""The placement for the most queries a second of several clients at once.

Clients wait for each other where they meet, so that a slower store on another machine may be worth
more than the fastest alone. The seconds of a mean query among `PlacementProblem.clients` are those
of `placement.throughput`: no sum over fragments, but convex in the seconds in each store. So they
are bounded by planes that touch them, and each plane is a sum again, a placement as any other.

The first steps place by one plane, the one that touches at the mean of all plans so far (Frank and
Wolfe, Naval Research Logistics Quarterly 3, 1956). They lead towards the best mixture of plans. No
plan is a mixture, but one is near where there are many queries. Where there are few, the next steps
place under all planes at once (`placement.exact.planes`). What is proven is of all plans: none has
more throughput.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from placement.demands import executions, mean_query, places
from placement.exact.planes import Plane, under_planes
from placement.limits.canonical_order import as_given, in_order
from placement.limits.check import GAP_TOLERANCE
from placement.machines import DISKS, Machines, Place, Seconds
from placement.plan import Outcome, PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.repriced import repriced
from placement.routing.routing import plan_for
from placement.strategies.optimal import Optimal, option_count
from placement.throughput import response
from placement.time_limit import OutOfTimeError, cut_by, ends_of
from placement.weighted_costs import WeightedCosts, copied
from workloads.errors import InfeasibleError

NAME = "throughput"
CLIENTS, PREDICTED, BOUND = "clients", "predicted_queries_per_s", "bound_queries_per_s"
OF_OPTIMAL, SAME = "optimal_queries_per_s", "plan_of_optimal"
"""The keys of the settings: `SAME` has the reason why the plan is that of `optimal`."""
STEPS = 8
MOST_OPTIONS = 5_000
"""Fragments in stores up to which all planes are one program: of those of TPC-DS's 99 queries in
three stores, 15,653, it proves nothing in a minute."""
FIRST_STEPS = 3
"""Steps by one plane where steps by all follow."""
SAME_MIXTURE = 1e-4
"""A mixture of plans that is above the bound by less than this share is the best there is."""
START_SHARE, STEP_SHARE = 0.5, 0.5
"""The share of the time for the plan of `optimal`, and of what is left then for the next step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A plan with the seconds of a mean query in each place, alone, and among all clients.

    `plane`: the weights of the plane that touches there.
    """

    plan: PlacementPlan
    seconds: Seconds
    response_s: float
    plane: Plane


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """Places for several clients: from the plan of `optimal`, in at most `steps` steps of a kind.

    The plan is never one of less predicted throughput than that of `optimal`. Problems of more than
    `most_options` fragments in stores are placed by one plane at a time alone: the program of all
    planes has no bound in time there.
    """

    steps: int = STEPS
    most_options: int = MOST_OPTIONS

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the best plan found; its settings say what is predicted and proven of it.

        Raises:
            InfeasibleError: No placement fits; the message names constraints that conflict.
            OutOfTimeError: None was found in the part of the time that is for the first one.
        """
        return as_given(problem, self._plan(in_order(problem)))

    def _plan(self, problem: PlacementProblem) -> PlacementPlan:
        ends = ends_of(problem)
        machines, now = problem.machines, time.monotonic()
        if machines is None or not executions(problem):
            why = "nobody asks" if machines is not None else "which machines there are is not known"
            return _as_optimal(_start(problem, ends), problem, why)
        traded = not machines.are_alike(_places(problem))
        start = _start(problem, now + (ends - now) * START_SHARE if traded else ends)
        # Planes are of placements: copies have the indexes that the plan of `optimal` has.
        of_some = bool(problem.candidates)
        problem = problem.with_indexes(start.indexes)
        first = judged(problem, machines, start)
        if first is None:
            return _as_optimal(start, problem, "queries take no time")
        search = _Search(problem=problem, machines=machines, first=first, of_some=of_some)
        # Anywhere a second counts at least as much as where it counts least, and as alone.
        least = max(1.0, min(first.plane[each] for each in _places(problem)))
        search.proven(least * (start.bound_s or 0.0) / executions(problem), of_all=True)
        if not traded:
            same = "all stores and the engine share one machine"
            if machines.engine not in machines.cores:
                same = "nobody told the cores of any machine"
            return _as_optimal(start, problem, same, search.figures())
        whole = option_count(problem) <= self.most_options
        self._repeat(search, search.by_one_plane, FIRST_STEPS if whole else self.steps, ends)
        if whole:
            self._repeat(search, search.by_planes, self.steps, ends)
        return search.result()

    def _repeat(
        self, search: "_Search", step: Callable[[float], bool], times: int, ends: float
    ) -> None:
        """Make steps while they may find more, until `ends`."""
        for _ in range(times):
            now = time.monotonic()
            if search.closed:
                return
            if now >= ends:
                search.stopped = True
                return
            if not step(now + (ends - now) * STEP_SHARE):
                return


def _start(problem: PlacementProblem, ends: float) -> PlacementPlan:
    """Return the plan of `optimal`, which has until `ends`."""
    try:
        return Optimal()(replace(problem, ends=ends))
    except InfeasibleError:
        if time.monotonic() < ends:
            raise
        raise OutOfTimeError(cut_by(problem, "the search for a first plan")) from None


def judged(problem: PlacementProblem, machines: Machines, plan: PlacementPlan) -> Judged | None:
    """Return what a plan is for the problem's clients; None where its queries take no time."""
    seconds = mean_query(problem, plan)
    found = response(machines.demands(seconds), problem.clients)
    if found is None:
        return None
    plane = machines.weights(seconds, found)
    return Judged(plan=plan, seconds=seconds, response_s=found.seconds, plane=plane)


class _Search:
    """The steps from the plan of `optimal`, `first`: planes, the best plan, and what is proven.

    Indexes are chosen in `first` alone. Where others could be chosen, the steps are `of_some` plans
    and prove nothing of all: what is told as proven is of `first`. `stopped`: time or nodes ended a
    step, or left none for a next one.
    """

    def __init__(
        self, *, problem: PlacementProblem, machines: Machines, first: Judged, of_some: bool
    ) -> None:
        self._problem = problem
        self._machines = machines
        self._first = self._best = first
        self._of_some = of_some
        self._bound_s = self._bound_of_all_s = 0.0
        self.stopped = False
        self._found = [first.seconds]
        self._planes = [*machines.asymptotes(places(problem), problem.clients), first.plane]

    @property
    def closed(self) -> bool:
        """Whether no plan has more throughput than the best."""
        return self._best.response_s <= self._bound_s * (1 + GAP_TOLERANCE)

    def proven(self, bound_s: float, *, of_all: bool = False) -> None:
        """Note that a mean query takes no plan's clients less; `of_all`: with any indexes."""
        self._bound_s = max(self._bound_s, bound_s)
        if of_all or not self._of_some:
            self._bound_of_all_s = max(self._bound_of_all_s, bound_s)

    def by_planes(self, ends: float) -> bool:
        """Place under all planes at once; return whether a next step may find more."""
        found = under_planes(
            self._problem,
            self._planes,
            self._best.plan,
            unit_s=self._best.response_s,
            ends=ends,
        )
        self.proven(found.bound_s)
        self.stopped |= found.stopped
        return found.plan is not None and self._is_new(found.plan)

    def by_one_plane(self, ends: float) -> bool:
        """Place by the plane that touches at the mean of all plans so far; return whether to go on.

        Ceilings on queries are left out, which are of seconds without weights: the bound holds.
        """
        number = len(self._found)
        mixed = {name: sum(each[name] for each in self._found) / number for name in self._found[0]}
        touching = response(self._machines.demands(mixed), self._problem.clients)
        if touching is None:
            return False
        weights = self._machines.weights(mixed, touching)
        problem = replace(
            self._problem,
            costs=copied(self._problem.costs, WeightedCosts, weights=weights),
            constraints=replace(self._problem.constraints, latency_s={}),
            objective="work",
            ends=ends,
        )
        try:
            plan = Optimal()(problem)
            own = repriced(self._problem, plan, NAME)
            if not own.feasible:
                own = plan_for(self._problem, NAME, plan.placement)
        except (InfeasibleError, OutOfTimeError):
            self.stopped = True
            return False
        bound_s = (plan.bound_s or 0.0) / executions(self._problem)
        self.proven(bound_s)
        self._planes.append(weights)
        self.stopped |= plan.cut is not None
        self._is_new(own)
        return bound_s < touching.seconds * (1 - SAME_MIXTURE)

    def _is_new(self, plan: PlacementPlan) -> bool:
        """Take a plan for the best if it is; return whether it takes other seconds than any did."""
        found = judged(self._problem, self._machines, plan)
        if found is None:
            return False
        is_new = found.seconds not in self._found
        self._found.append(found.seconds)
        self._planes.append(found.plane)
        if plan.feasible and found.response_s < self._best.response_s:
            self._best = found
        return is_new

    def figures(self) -> dict[str, str | int | float]:
        """Return what is predicted of the best plan and of that of `optimal`, and what is proven.

        No bound is one of the predicted throughput.
        """
        clients = self._problem.clients
        figures: dict[str, str | int | float] = {
            PREDICTED: clients / self._best.response_s,
            OF_OPTIMAL: clients / self._first.response_s,
        }
        if self._bound_of_all_s > 0:
            figures[BOUND] = clients / min(self._bound_of_all_s, self._best.response_s)
        return figures

    def result(self) -> PlacementPlan:
        """Return the best plan."""
        if self._best is self._first:
            same = "no plan with more throughput was found"
            made = _as_optimal(self._first.plan, self._problem, same, self.figures())
        else:
            settings = {CLIENTS: self._problem.clients, **self.figures()}
            made = replace(self._best.plan, strategy=NAME, settings=settings)
        if self.stopped and not self.closed:
            return replace(made, cut=cut_by(self._problem, "the search for more throughput"))
        return made


def _places(problem: PlacementProblem) -> tuple[Place, ...]:
    """Return the places that a plan may spend seconds in: no disk if memory has all tables."""
    total_bytes = sum(problem.table_bytes.values())
    memories = (
        memory
        for store in problem.stores
        for memory in (store.strength.kept_bytes, store.strength.pool_bytes)
    )
    kept = all(memory is None or memory >= total_bytes for memory in memories)
    return tuple(each for each in places(problem) if not (kept and each == DISKS))


def _as_optimal(
    plan: PlacementPlan,
    problem: PlacementProblem,
    why: str,
    figures: Mapping[str, str | int | float] = MappingProxyType({}),
) -> PlacementPlan:
    """Return the plan of `optimal` with the reason; what it proves of seconds is left to that."""
    return replace(
        plan,
        strategy=NAME,
        outcome=Outcome.FEASIBLE,
        bound_s=None,
        settings={CLIENTS: problem.clients, **figures, SAME: why},
    )
