"""Tables partitioned by METIS, so that little is transferred between the parts.

Karypis, Kumar: A Fast and High Quality Multilevel Scheme for Partitioning Irregular Graphs, SIAM
Journal on Scientific Computing 20(1), 1998: multilevel recursive bisection. A query of k tables
that are not joined counts 1/(k - 1) for each pair (the clique expansion of its hyperedge).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from placement.parts import plan_of_parts
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem, QueryProblem
from placement.search.terrain import Terrain, capacities_bytes
from placement.stores import Capability

PAIR = 2
HEAVIEST = 1_000_000_000
"""What the heaviest edge weighs: METIS counts in whole numbers."""
MOST_OVER = 10_000
"""How far METIS may let a side weigh more than its share, in thousandths: eleven times of it."""

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
        part_of: dict[int, int] = {}
        capacity = capacities_bytes(problem)
        pending = [(list(range(len(terrain.units))), list(range(len(capacity))))]
        while pending:
            units, stores = pending.pop()
            if len(stores) == 1 or not units:
                part_of.update(dict.fromkeys(units, stores[0]))
                continue
            halves = stores[: len(stores) // 2], stores[len(stores) // 2 :]
            sizes = [max(1, sum(capacity[store] for store in half)) for half in halves]
            sides = _bisect(terrain, edges, units, sizes)
            pending += zip(sides, halves, strict=True)
        parts = [part_of[unit] for unit in range(len(terrain.units))]
        return plan_of_parts(terrain, "graph_partition", parts)


def _bisect(
    terrain: Terrain, edges: Edges, units: Sequence[int], sizes_bytes: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the units of each side; sides may fill up to `sizes_bytes`."""
    import pymetis

    row = {unit: number for number, unit in enumerate(units)}
    near: list[dict[int, int]] = [{} for _ in units]
    unit_weight = HEAVIEST / (max(edges.values(), default=0.0) or 1.0)
    for (left, right), weight in edges.items():
        if left in row and right in row:
            whole = max(1, round(weight * unit_weight))
            near[row[left]][row[right]] = near[row[right]][row[left]] = whole
    starts = [0]
    for each in near:
        starts.append(starts[-1] + len(each))
    weights = [max(1, round(terrain.units[unit].size_bytes)) for unit in units]
    room = sum(sizes_bytes) / sum(weights)
    found = pymetis.part_graph(
        len(sizes_bytes),
        pymetis.CSRAdjacency(starts, [other for each in near for other in each]),
        vweights=weights,
        eweights=[weight for each in near for weight in each.values()] or None,
        tpwgts=[sizes_bytes[0] / sum(sizes_bytes), 1 - sizes_bytes[0] / sum(sizes_bytes)],
        options=pymetis.Options(
            seed=terrain.problem.seed,
            # in thousandths: what both sides may weigh over their share of what there is
            ufactor=min(MOST_OVER, max(1, int(1000 * (room - 1)))),
        ),
    )
    sides: tuple[list[int], list[int]] = ([], [])
    for unit, side in zip(units, found.vertex_part, strict=True):
        sides[side].append(unit)
    return sides


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
        if len(fragment.sources) == 1 and fragment.kind is Capability.SCAN:
            (table,) = fragment.tables
            out_bytes[table] += fragment.bytes_out
        elif len(fragment.tables) == PAIR and fragment.kind is Capability.JOIN:
            joined.add(fragment.tables)
    return {
        (left, right): query.executions
        * min(out_bytes[left], out_bytes[right])
        * (1.0 if frozenset((left, right)) in joined else 1 / (len(out_bytes) - 1))
        for left, right in combinations(sorted(out_bytes), PAIR)
    }
