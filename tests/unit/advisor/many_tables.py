"""Graphs of many tables that are used together."""

import random

from tests.catalogs import table
from workloads.access_graph import AccessGraph, JoinEdge
from workloads.catalog import Catalog


def many(tables: int, groups: int, joins: int) -> tuple[AccessGraph, Catalog]:
    """Tables that are used within their group, and now and then with another."""
    chance = random.Random(3)
    names = [f"area{index % groups}_table{index}" for index in range(tables)]
    pairs, edges = {}, {}
    for _ in range(joins):
        left = chance.choice(names)
        near = [name for name in names if name.split("_")[0] == left.split("_")[0]]
        right = chance.choice(near if chance.random() < 0.9 else names)
        if left != right:
            left, right = sorted((left, right))
            kind = chance.choice(["inner", "left", "semi"])
            weight = chance.randint(1, 10_000)
            edges[JoinEdge(left=f"{left}.a", right=f"{right}.b", kind=kind)] = weight
            pairs[left, right] = pairs.get((left, right), 0) + weight
    reads = {name: float(1 + sum(w for p, w in pairs.items() if name in p)) for name in names}
    catalog = Catalog(
        name="many",
        tables={n: table(n, 10 ** chance.randint(1, 7), {"a": "INTEGER"}) for n in names},
    )
    queries = {"q": frozenset(names)}
    return AccessGraph(queries=queries, tables=reads, co_access=pairs, joins=edges), catalog
