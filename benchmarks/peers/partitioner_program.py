"""METIS and Mt-KaHyPar as a program: a hypergraph in, as JSON, and the part of each vertex out.

`partitioning.py` beside it starts it by its path, with the interpreter of the peers' environment:
it imports nothing of this project.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

FREE = -1
"""The part of a vertex that may be in any."""
MOST_OVER = 10_000
"""METIS may let a side weigh so much more than its share, in thousandths: eleven times of it."""
IMBALANCE = 0.03
"""Asked for of Mt-KaHyPar, and without effect: each part has a limit of its own."""
SEEDS = 2**31
"""Both libraries count seeds in 32 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypergraph:
    """A partitioning problem in whole numbers: `limits` bound the weight of each part.

    `edges` are numbers of vertices, ascending; METIS wants two of them in each, and knows no
    `fixed`: vertex → its part, or `FREE`. Mt-KaHyPar counts in 32 bits, and METIS in 64.
    """

    weights: Sequence[int]
    edges: Sequence[Sequence[int]]
    edge_weights: Sequence[int]
    limits: Sequence[int]
    fixed: Sequence[int]
    seed: int


def metis(graph: Hypergraph) -> list[int]:
    """Return the part of each vertex: bisected until each part has a limit of its own."""
    parts = [0] * len(graph.weights)
    pending = [(list(range(len(parts))), list(range(len(graph.limits))))]
    while pending:
        vertices, into = pending.pop()
        if len(into) == 1 or not vertices:
            for vertex in vertices:
                parts[vertex] = into[0]
            continue
        halves = into[: len(into) // 2], into[len(into) // 2 :]
        sizes = [max(1, sum(graph.limits[part] for part in half)) for half in halves]
        pending += zip(_bisect(graph, vertices, sizes), halves, strict=True)
    return parts


def _bisect(
    graph: Hypergraph, vertices: Sequence[int], sizes: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the vertices of each side; sides may fill up to `sizes`."""
    import pymetis

    row = {vertex: number for number, vertex in enumerate(vertices)}
    near: list[dict[int, int]] = [{} for _ in vertices]
    for (left, right), weight in zip(graph.edges, graph.edge_weights, strict=True):
        if left in row and right in row:
            near[row[left]][row[right]] = near[row[right]][row[left]] = weight
    starts = [0]
    for each in near:
        starts.append(starts[-1] + len(each))
    weights = [max(1, graph.weights[vertex]) for vertex in vertices]
    room = sum(sizes) / sum(weights)
    found = pymetis.part_graph(
        len(sizes),
        pymetis.CSRAdjacency(starts, [other for each in near for other in each]),
        vweights=weights,
        eweights=[weight for each in near for weight in each.values()] or None,
        tpwgts=[sizes[0] / sum(sizes), 1 - sizes[0] / sum(sizes)],
        options=pymetis.Options(
            seed=graph.seed % SEEDS,
            # in thousandths: what both sides may weigh over their share of what there is
            ufactor=min(MOST_OVER, max(1, int(1000 * (room - 1)))),
        ),
    )
    sides: tuple[list[int], list[int]] = ([], [])
    for vertex, side in zip(vertices, found.vertex_part, strict=True):
        sides[side].append(vertex)
    return sides


def mt_kahypar(graph: Hypergraph) -> list[int]:
    """Return the part of each vertex: the parts that edges span, by weight, are as few as can be.

    Its recursion crashes (1.7) on a range of parts that no vertex is left for, and takes vertices
    that weigh nothing for not fixed, and then crashes on their parts. So each part has a vertex of
    weight 1 fixed in it, in no edge, and may weigh 1 more.
    """
    import mtkahypar

    parts = len(graph.limits)
    library = mtkahypar.initialize(1, print_warnings=False)
    context = library.context_from_preset(mtkahypar.PresetType.DETERMINISTIC)
    context.logging = False
    context.set_partitioning_parameters(parts, IMBALANCE, mtkahypar.Objective.KM1)
    context.set_individual_target_block_weights([limit + 1 for limit in graph.limits])
    mtkahypar.set_seed(graph.seed % SEEDS)
    hypergraph = library.create_hypergraph(
        context,
        len(graph.weights) + parts,
        len(graph.edges),
        graph.edges,
        [*graph.weights, *([1] * parts)],
        graph.edge_weights,
    )
    hypergraph.add_fixed_vertices([*graph.fixed, *range(parts)], parts)
    return list(hypergraph.partition(context).get_partition())[: len(graph.weights)]


PARTITIONERS: Mapping[str, Callable[[Hypergraph], list[int]]] = MappingProxyType(
    {"METIS": metis, "Mt-KaHyPar": mt_kahypar}
)


def main() -> None:
    """Read the hypergraph from standard input and write the parts to standard output."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what the libraries have to say is no part of the answer
    asked = json.load(sys.stdin)
    parts = PARTITIONERS[asked["partitioner"]](Hypergraph(**asked["hypergraph"]))
    with os.fdopen(answers, "w") as answer:
        json.dump(parts, answer)
    os._exit(0)  # there is an answer: what the libraries do at the end cannot fail any more


if __name__ == "__main__":
    main()
