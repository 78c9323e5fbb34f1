"""Groups of tables that the workload uses together: the colours of the picture."""

from collections import defaultdict
from collections.abc import Mapping

from workloads.access_graph import AccessGraph

MAX_GROUPS = 5
SMALLEST_SEED_SHARE = 0.03
FOLLOWS_FROM_SHARE = 2 / 3
SHARED = "several of them"
UNUSED = "not in the workload"


def groups(table_bytes: Mapping[str, int], graph: AccessGraph) -> Mapping[str, str]:
    """Return table → its group, named after the group's largest table.

    The large tables that the workload uses are seeds, but a large table that is mostly joined to
    a larger seed (returns to their sales) follows it. A smaller table follows the seed that gets
    over two thirds of its joins to seeds; where none does it is shared.
    """
    weights = _join_weights(graph)
    total = max(sum(table_bytes.values()), 1)
    by_size = sorted(table_bytes, key=lambda table: (-table_bytes[table], table))
    of_table: dict[str, str] = {}
    seeds: list[str] = []
    for table in by_size:
        if table not in graph.tables:
            of_table[table] = UNUSED
            continue
        nearest = _nearest_seed(weights[table], seeds)
        large = table_bytes[table] >= SMALLEST_SEED_SHARE * total
        unrelated = not weights[table].keys() & set(seeds)
        if large and unrelated and len(seeds) < MAX_GROUPS:
            seeds.append(table)
            of_table[table] = table
        else:
            of_table[table] = nearest or SHARED
    return of_table


def _join_weights(graph: AccessGraph) -> Mapping[str, Mapping[str, float]]:
    weights: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for edge, weight in graph.joins.items():
        left, right = edge.left.split(".")[0], edge.right.split(".")[0]
        if left != right:
            weights[left][right] += weight
            weights[right][left] += weight
    return weights


def _nearest_seed(weights: Mapping[str, float], seeds: list[str]) -> str | None:
    to_seeds = {seed: weights[seed] for seed in seeds if seed in weights}
    if not to_seeds:
        return None
    nearest = max(to_seeds, key=lambda seed: to_seeds[seed])
    return nearest if to_seeds[nearest] > FOLLOWS_FROM_SHARE * sum(to_seeds.values()) else None
