"""The throughput that is predicted for several clients at once, before anything is measured."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from placement.demands import queries_per_s
from placement.machines import Place
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.strategies.throughput import BOUND, NAME, SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class AtOnce:
    """The queries a second that `clients` have together, of each candidate that has any.

    No plan within the limits has more than `bound_per_s`, None where that is not known.
    `plan_of_optimal` says why the candidate `throughput` is the plan of `optimal`; None where it is
    another, or was not made. `untold` are the machines of stores and engine whose cores nobody
    told.
    """

    clients: int
    queries_per_s: Mapping[str, float]
    bound_per_s: float | None
    plan_of_optimal: str | None
    untold: tuple[str, ...] = ()


def at_once(problem: PlacementProblem, plans: Iterable[PlacementPlan]) -> AtOnce | None:
    """Return what is predicted; None where machines are not known, or no plan has a throughput."""
    machines = problem.machines
    if machines is None:
        return None
    made = {plan.strategy: plan for plan in plans}
    rates = {name: queries_per_s(problem, plan) for name, plan in made.items()}
    known = {name: rate for name, rate in rates.items() if rate is not None}
    if not known:
        return None
    settings = made[NAME].settings if NAME in made else {}
    bound, same = settings.get(BOUND), settings.get(SAME)
    return AtOnce(
        clients=problem.clients,
        queries_per_s=known,
        bound_per_s=None if bound is None else float(bound),
        plan_of_optimal=None if same is None else str(same),
        untold=tuple(
            name
            for name in machines.names(Place("store", store.name) for store in problem.stores)
            if name not in machines.cores
        ),
    )
