"""Placement strategies and their registry."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import inf
from types import MappingProxyType
from typing import Protocol

from placement.arrays.states import TooManyStatesError
from placement.limits.canonical_order import as_given, in_order
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.strategies.greedy import Greedy
from placement.strategies.naive import Naive
from placement.strategies.optimal import Optimal
from placement.strategies.paper_partition import PaperPartition
from placement.strategies.proximity import Proximity
from placement.strategies.proximity_by_strength import ProximityByStrength
from placement.strategies.single_store import SingleStore
from placement.strategies.throughput import Throughput
from placement.time_limit import OutOfTimeError, cut_by, ends_of
from workloads.errors import ConfigurationError, InfeasibleError


class Strategy(Protocol):
    """Makes one plan of a problem: a frozen dataclass of its parameters."""

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the plan."""
        ...


STRATEGIES: Mapping[str, Callable[[PlacementProblem], Sequence[Strategy]]] = MappingProxyType(
    {
        "single_store": lambda problem: [SingleStore(store=s.name) for s in problem.stores],
        "naive": lambda _: (Naive(),),
        "proximity": lambda _: (Proximity(),),
        "proximity_by_strength": lambda _: (ProximityByStrength(),),
        "paper_partition_1": lambda _: (PaperPartition(number=1),),
        "paper_partition_2": lambda _: (PaperPartition(number=2),),
        "greedy": lambda _: (Greedy(),),
        "optimal": lambda _: (Optimal(),),
        "throughput": lambda _: (Throughput(),),
    }
)
"""Name in ``[place].strategies`` → the strategies it stands for on a problem."""
NEEDED = "optimal"
LAST = frozenset({NEEDED, "throughput"})
"""Strategies that search for as long as there is time; one of them is asked even without any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The plans made, in the order of the strategies, and why others were not: name → reason."""

    plans: tuple[PlacementPlan, ...]
    unmade: Mapping[str, str]


def candidates(problem: PlacementProblem, names: Iterable[str]) -> tuple[PlacementPlan, ...]:
    """Return the plans of `make`."""
    return make(problem, names).plans


def make(problem: PlacementProblem, names: Iterable[str]) -> Candidates:
    """Make a plan of every strategy named, all of them within the problem's time limit.

    Each has an even share of the time that is left. `optimal` and `throughput`, which use all that
    they have, come last. A plan says what the time cut of it; a strategy that had none is left out.
    The order of the problem's tables, stores and queries changes no plan's cost: strategies see
    them in one.

    Raises:
        ConfigurationError: A name is unknown, or a strategy does not suit the problem.
        InfeasibleError: No placement fits the hard limits, or none was found in time.
    """
    ordered, ends = in_order(problem), ends_of(problem)
    asked = [(name, strategy) for name in names for strategy in _strategies(problem, name)]
    turns = sorted(range(len(asked)), key=lambda turn: asked[turn][0] in LAST)
    made: dict[int, PlacementPlan] = {}
    unmade: dict[str, str] = {}
    for done, turn in enumerate(turns):
        name, strategy = asked[turn]
        now = time.monotonic()
        share_s = inf if ends == inf else (ends - now) / (len(turns) - done)
        if share_s <= 0 and name != NEEDED:
            unmade[name] = cut_by(problem, "it")
            continue
        try:
            made[turn] = as_given(problem, strategy(replace(ordered, ends=now + share_s)))
        except (OutOfTimeError, TooManyStatesError) as reason:
            unmade[name] = str(reason)
    if asked and not made:
        raise InfeasibleError(f"No candidate was made: {next(iter(unmade.values()))}")
    return Candidates(plans=tuple(made[turn] for turn in sorted(made)), unmade=unmade)


def _strategies(problem: PlacementProblem, name: str) -> Sequence[Strategy]:
    if name not in STRATEGIES:
        near = get_close_matches(name, STRATEGIES, n=1, cutoff=0.4)
        hint = f"the nearest is '{near[0]}'" if near else f"there are {', '.join(STRATEGIES)}"
        raise ConfigurationError(f"'{name}' is no strategy: {hint}.")
    return STRATEGIES[name](problem)


def stands_for(strategy: str, candidate: str) -> bool:
    """Tell whether a strategy of the registry makes the candidate of this name."""
    return candidate == strategy or candidate.startswith(f"{strategy}:")
