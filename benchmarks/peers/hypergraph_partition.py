"""Tables partitioned by Mt-KaHyPar, so that queries span few parts.

Placement by partitioning: Curino, Jones, Zhang, Madden: Schism, VLDB 2010 (a graph of tuples that
transactions use together); Quamar, Kumar, Deshpande: SWORD, EDBT 2013 (a hypergraph of them). Here
vertices are tables and hyperedges queries. The partitioner: Gottesbüren, Heuer, Maas, Sanders,
Schlag: Scalable High-Quality Hypergraph Partitioning, ACM Transactions on Algorithms 20(1), 2024.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.peers.partitioner_program import FREE, Hypergraph
from benchmarks.peers.partitioning import partition
from benchmarks.peers.parts import plan_of_parts
from placement.plan import PlacementPlan
from placement.pricing import able
from placement.problem import PlacementProblem
from placement.search.terrain import Terrain, capacities_bytes
from placement.stores import Capability
from placement.time_limit import left_s

HEAVIEST = 1_000_000
"""The weight of the heaviest hyperedge, and of all vertices: both are whole 32-bit numbers."""
PAIR = 2

Hyperedges = Mapping[tuple[int, ...], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class HypergraphPartition:
    """Partitions the hypergraph of tables and queries into a part for each store.

    Vertices weigh their bytes and a part at most its store's capacity; pinned tables are fixed.
    A query's hyperedge weighs what a further part costs it: the seconds between all of its tables
    in one store and each fetched alone, by the tables beyond the first. What is minimised is the
    sum of these weights times the parts that the queries span beyond the first. The parts go to the
    stores in the order that is predicted to cost least, and what does not fit is moved. A table is
    in one store, unless it is pinned to several.
    """

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the plan; INFEASIBLE where the parts could not be made to fit the limits."""
        terrain = Terrain(problem)
        return plan_of_parts(terrain, "hypergraph_partition", _partition(terrain))


def _partition(terrain: Terrain) -> list[int]:
    """Return the part of each unit, by number."""
    problem = terrain.problem
    scale = HEAVIEST / max(1.0, sum(unit.size_bytes for unit in terrain.units))
    weights = [round(unit.size_bytes * scale) for unit in terrain.units]
    edges = _hyperedges(terrain)
    unit_weight = HEAVIEST / (max(edges.values(), default=0.0) or 1.0)
    return partition(
        "Mt-KaHyPar",
        Hypergraph(
            weights=weights,
            edges=list(edges),
            edge_weights=[max(1, round(weight * unit_weight)) for weight in edges.values()],
            limits=_limits([capacity * scale for capacity in capacities_bytes(problem)], weights),
            fixed=[int(np.argmax(u.pinned)) if u.pinned.any() else FREE for u in terrain.units],
            seed=problem.seed,
        ),
        left_s(problem),
    )


def _limits(capacities: Sequence[float], weights: Sequence[int]) -> list[int]:
    """Return what each part may weigh: at most what all units do, and together at least that."""
    total = sum(weights)
    limits = [round(min(capacity, total)) for capacity in capacities]
    if sum(limits) >= total:
        return limits
    # Less room than tables is no partition: all parts are over, by the same share.
    return [limit * total // sum(limits) + 1 if sum(limits) else total for limit in limits]


def _hyperedges(terrain: Terrain) -> Hyperedges:
    """Return the units of queries, by number, with the seconds a period of a further part."""
    unit_of = {t: number for number, u in enumerate(terrain.units) for t in u.tables.tolist()}
    together_s = _together_s(terrain)
    found: dict[tuple[int, ...], float] = defaultdict(float)
    for number, query in enumerate(terrain.problem.queries):
        units = {unit_of[table] for table in terrain.reads.tables_of(number).tolist()}
        if len(units) < PAIR:
            continue
        gain_s = _apart_s(terrain.problem, number) - together_s[number]
        # Where it can be run in one way alone, that is no matter of seconds: it weighs nothing.
        gain_s = max(0.0, gain_s) if np.isfinite(gain_s) else 0.0
        found[tuple(sorted(units))] += query.executions * gain_s / (len(units) - 1)
    return dict(found)


def _together_s(terrain: Terrain) -> list[float]:
    """Return the seconds of one execution of each query in the cheapest single store."""
    tables, stores = len(terrain.problem.table_bytes), len(terrain.problem.stores)
    held = np.zeros((tables, stores, stores), dtype=bool)
    for store in range(stores):
        held[:, store, store] = True
    query_s, _ = terrain.reads.read(terrain.everything, held)
    return [float(each) for each in query_s.min(axis=1)]


def _apart_s(problem: PlacementProblem, number: int) -> float:
    """Return the seconds of one execution of a query whose sources are fetched one by one."""
    query = problem.queries[number]
    return sum(
        min(
            (
                problem.costs.fragment(fragment, store, len(query.sources)).total_s
                for store in problem.stores
                if able(store, fragment)
            ),
            default=float("inf"),
        )
        for fragment in query.fragments
        if fragment.kind is Capability.SCAN
        and not fragment.reduction.reducers
        and not fragment.reduction.preaggregated
    )
