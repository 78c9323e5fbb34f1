"""The access graph: tables used together, joined and written, weighted by executions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from workloads.footprint import Footprint
from workloads.query_access import JoinEdge, query_access

__all__ = ["AccessGraph", "JoinEdge", "access_graph"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessGraph:
    """Weights are executions: of queries that read a table, a pair, or perform a join.

    `queries` maps each query to the tables that it reads, `writes` each table to the executions
    of statements that write it. Pairs are in alphabetical order; a table that a query reads
    twice is no pair, but may have a join edge to itself. However many blocks of a query perform
    a join, the query counts once.
    """

    queries: Mapping[str, frozenset[str]]
    tables: Mapping[str, float]
    co_access: Mapping[tuple[str, str], float]
    joins: Mapping[JoinEdge, float]
    writes: Mapping[str, float] = field(default_factory=dict)


def access_graph(footprints: Iterable[Footprint]) -> AccessGraph:
    """Fold footprints into one access graph."""
    queries: dict[str, frozenset[str]] = {}
    tables: dict[str, float] = defaultdict(float)
    co_access: dict[tuple[str, str], float] = defaultdict(float)
    joins: dict[JoinEdge, float] = defaultdict(float)
    writes: dict[str, float] = defaultdict(float)
    for footprint in footprints:
        weight = footprint.executions
        if footprint.blocks:
            queries[footprint.query] = footprint.tables
        ordered = sorted(footprint.tables)
        for table in ordered:
            tables[table] += weight
        for pair in combinations(ordered, 2):
            co_access[pair] += weight
        for edge in sorted(query_access(footprint).joins):
            joins[edge] += weight
        for table in sorted(footprint.writes):
            writes[table] += weight
    return AccessGraph(
        queries=queries,
        tables=dict(tables),
        co_access=dict(co_access),
        joins=dict(joins),
        writes=dict(writes),
    )
