"""Tables partitioned by METIS, so that little is transferred between the parts.

Karypis, Kumar: A Fast and High Quality Multilevel Scheme for Partitioning Irregular Graphs, SIAM
Journal on Scientific Computing 20(1), 1998: multilevel recursive bisection. A query of k tables
that are not joined counts 1/(k - 1) for each pair (the clique expansion of its hyperedge).
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from benchmarks.peers.partitioner_program import FREE, Hypergraph
from benchmarks.peers.partitioning import partition
from benchmarks.peers.parts import plan_of_parts
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem, QueryProblem
from placement.search.terrain import Terrain, capacities_bytes
from placement.stores import Capability
from placement.time_limit import left_s

PAIR = 2
HEAVIEST = 1_000_000_000
"""The weight of the heaviest edge: METIS counts in whole numbers."""

Edges = Mapping[tuple[int, int], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPartition:
    """Bisects the graph of tables, until there is a part for each store that fits its capacity.

    Vertices weigh their bytes. An edge weighs the bytes that a period transfers if it is cut: of
    two joined tables one has to leave its store, at best the one of which less is read. The parts
    go to the stores in the order that is predicted to cost least, and what does not fit is moved.
    A table is in one store, unless it is pinned to several.
    """

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the plan; INFEASIBLE where the parts could not be made to fit the limits."""
        terrain = Terrain(problem)
        edges = _edges(terrain)
        unit_weight = HEAVIEST / (max(edges.values(), default=0.0) or 1.0)
        graph = Hypergraph(
            weights=[round(unit.size_bytes) for unit in terrain.units],
            edges=list(edges),
            edge_weights=[max(1, round(weight * unit_weight)) for weight in edges.values()],
            limits=capacities_bytes(problem),
            fixed=[FREE] * len(terrain.units),
            seed=problem.seed,
        )
        parts = partition("METIS", graph, left_s(problem))
        return plan_of_parts(terrain, "graph_partition", parts)


def _edges(terrain: Terrain) -> Edges:
    """Return pairs of units, by number, with the bytes a period that cutting them transfers."""
    unit_of = {
        terrain.reads.compiled.tables[table]: number
        for number, unit in enumerate(terrain.units)
        for table in unit.tables.tolist()
    }
    edges: dict[tuple[int, int], float] = defaultdict(float)
    for query in terrain.problem.queries:
        for (left, right), transferred in _cuts(query).items():
            ends = sorted((unit_of[left], unit_of[right]))
            if ends[0] != ends[1]:
                edges[ends[0], ends[1]] += transferred
    return dict(edges)


def _cuts(query: QueryProblem) -> Mapping[tuple[str, str], float]:
    """Return pairs of the query's tables with the bytes that all executions transfer if cut."""
    out_bytes: dict[str, float] = defaultdict(float)
    joined: set[frozenset[str]] = set()
    for fragment in query.fragments:
        if fragment.reduction.reducers or fragment.reduction.preaggregated:
            continue
        if len(fragment.sources) == 1 and fragment.kind is Capability.SCAN:
            (table,) = fragment.tables
            out_bytes[table] += fragment.work.bytes_out
        elif len(fragment.tables) == PAIR and fragment.kind is Capability.JOIN:
            joined.add(fragment.tables)
    return {
        (left, right): query.executions
        * min(out_bytes[left], out_bytes[right])
        * (1.0 if frozenset((left, right)) in joined else 1 / (len(out_bytes) - 1))
        for left, right in combinations(sorted(out_bytes), PAIR)
    }
