"""Placement strategies of others, which `benchmarks/placements.py` compares ours with."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from benchmarks.peers.beam_search import BeamSearch
from benchmarks.peers.graph_partition import GraphPartition
from benchmarks.peers.hypergraph_partition import HypergraphPartition
from placement.limits.canonical_order import as_given, in_order
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.strategies import Strategy
from placement.time_limit import ends_of

PEERS: Mapping[str, Strategy] = MappingProxyType(
    {
        "graph_partition": GraphPartition(),
        "hypergraph_partition": HypergraphPartition(),
        "beam_search": BeamSearch(),
    }
)


def plan_of(problem: PlacementProblem, peer: str) -> PlacementPlan:
    """Return the plan that a peer makes within the problem's time limit, as strategies are asked.

    Raises:
        InfeasibleError: No placement fits the hard limits.
        RuntimeError: A partitioner failed.
    """
    ordered = replace(in_order(problem), ends=ends_of(problem))
    return as_given(problem, PEERS[peer](ordered))
