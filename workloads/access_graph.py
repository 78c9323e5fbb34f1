"""Which tables are used together and joined, weighted by executions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from workloads.footprint import Block, Footprint, Join


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinEdge:
    """A join between columns of base tables: `left` and `right` are ``table.column``."""

    left: str
    right: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessGraph:
    """Weights are executions: of queries that read a table, a pair, or perform a join.

    `queries` maps each query to its tables. Pairs and join ends are in alphabetical order.
    """

    queries: Mapping[str, frozenset[str]]
    tables: Mapping[str, float]
    co_access: Mapping[tuple[str, str], float]
    joins: Mapping[JoinEdge, float]


def access_graph(footprints: Iterable[Footprint]) -> AccessGraph:
    """Fold footprints into one access graph."""
    queries: dict[str, frozenset[str]] = {}
    tables: dict[str, float] = defaultdict(float)
    co_access: dict[tuple[str, str], float] = defaultdict(float)
    joins: dict[JoinEdge, float] = defaultdict(float)
    for footprint in footprints:
        queries[footprint.query] = footprint.tables
        ordered = sorted(footprint.tables)
        weight = footprint.executions
        for table in ordered:
            tables[table] += weight
        for left, right in combinations(ordered, 2):
            co_access[left, right] += weight
        for block in footprint.blocks:
            for join in block.joins:
                edge = _base_edge(block, join)
                if edge is not None:
                    joins[edge] += weight
    return AccessGraph(
        queries=queries, tables=dict(tables), co_access=dict(co_access), joins=dict(joins)
    )


def _base_edge(block: Block, join: Join) -> JoinEdge | None:
    table_of = {source.alias: source.table for source in block.sources}
    (left_alias, left_column), (right_alias, right_column) = join.left, join.right
    if left_alias not in table_of or right_alias not in table_of:
        return None
    ends = sorted(
        (f"{table_of[left_alias]}.{left_column}", f"{table_of[right_alias]}.{right_column}")
    )
    return JoinEdge(left=ends[0], right=ends[1], kind=join.kind)
