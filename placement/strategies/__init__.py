"""Placement strategies and their registry."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Protocol

from placement.canonical_order import as_given, in_order
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.strategies.beam_search import BeamSearch
from placement.strategies.graph_partition import GraphPartition
from placement.strategies.greedy import Greedy
from placement.strategies.hypergraph_partition import HypergraphPartition
from placement.strategies.naive import Naive
from placement.strategies.optimal import Optimal
from placement.strategies.paper_partition import PaperPartition
from placement.strategies.proximity import Proximity
from placement.strategies.single_store import SingleStore
from workloads.errors import ConfigurationError


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
        "paper_partition_1": lambda _: (PaperPartition(number=1),),
        "paper_partition_2": lambda _: (PaperPartition(number=2),),
        "greedy": lambda _: (Greedy(),),
        "graph_partition": lambda _: (GraphPartition(),),
        "hypergraph_partition": lambda _: (HypergraphPartition(),),
        "beam_search": lambda _: (BeamSearch(),),
        "optimal": lambda _: (Optimal(),),
    }
)
"""Name in ``[place].strategies`` → the strategies it stands for on a problem."""


def candidates(problem: PlacementProblem, names: Iterable[str]) -> tuple[PlacementPlan, ...]:
    """Return a plan of every strategy named, in the order of the names.

    The order of the problem's tables, stores and queries changes no plan's cost: every strategy
    sees them in the same one.

    Raises:
        ConfigurationError: A name is unknown, or a strategy does not suit the problem.
        InfeasibleError: No placement fits the hard limits.
    """
    ordered = in_order(problem)
    return tuple(
        as_given(problem, strategy(ordered))
        for name in names
        for strategy in _strategies(problem, name)
    )


def _strategies(problem: PlacementProblem, name: str) -> Sequence[Strategy]:
    if name not in STRATEGIES:
        near = get_close_matches(name, STRATEGIES, n=1, cutoff=0.4)
        hint = f"the nearest is '{near[0]}'" if near else f"there are {', '.join(STRATEGIES)}"
        raise ConfigurationError(f"'{name}' is no strategy: {hint}.")
    return STRATEGIES[name](problem)
