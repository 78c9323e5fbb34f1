"""A rule of proximity by size, for any workload: tables used together are in one store.

It follows section III-B of Sideris, Papadopoulos, Paranomos: Distributed Execution of SQL Queries
Using Trino. There a channel's sales and returns and what only they use go together; which store
each channel gets is chosen by measured queries; then inventory and its tables go to the emptiest
store, and common tables by size. Two things differ here. No store is chosen for its strength:
groups go to the emptiest store, the largest first. Inventory is a group among the others, in its
place by size. The rule as the paper states it is `proximity_by_strength`.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from placement.limits.packing import Packing
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for
from workloads.access_graph import AccessGraph

Weights = Mapping[tuple[str, str], float]
FEWEST_REFERENCES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """One or two fact tables, `facts`, and all the `tables` of their group, themselves included."""

    facts: tuple[str, ...]
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proximity:
    """Puts each channel into a store of its own as far as there are stores, the largest first.

    A channel is one or two fact tables and what only they use.
    """

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the plan; INFEASIBLE where a table found no store with room."""
        return plan_for(problem, "proximity", close(problem))


def close(problem: PlacementProblem) -> Mapping[str, tuple[str, ...]]:
    """Return table → stores, packed by channels."""
    packing = Packing(problem=problem)
    found = channels(problem.graph, problem.table_bytes)
    for channel in sorted(
        found, key=lambda tables: -sum(problem.table_bytes[table] for table in tables)
    ):
        packing.put_together(channel)
    packing.put_by_size(problem.table_bytes)
    return packing.placement


def channels(graph: AccessGraph, table_bytes: Mapping[str, int]) -> tuple[tuple[str, ...], ...]:
    """Return the tables of each group of `grouped`."""
    return tuple(each.tables for each in grouped(graph, table_bytes))


def grouped(graph: AccessGraph, table_bytes: Mapping[str, int]) -> tuple[Channel, ...]:
    """Return the facts' groups, each with the tables that are joined with no other group's facts.

    Tables without a channel are common to several, or none's.
    """
    references = _references(graph, table_bytes)
    facts = _facts(references, table_bytes)
    groups = _pairs(facts, references)
    home = {fact: index for index, group in enumerate(groups) for fact in group}
    neighbours: dict[str, set[str]] = defaultdict(set)
    for left, right in references:
        neighbours[left].add(right)
        neighbours[right].add(left)
    users = {
        table: {home[other] for other in neighbours[table] if other in home}
        for table in table_bytes
        if table not in home
    }
    for table, direct in users.items():
        # What is joined with dimensions alone (an income band) is used by whoever uses those.
        used = direct or set[int]().union(*(users.get(other, set()) for other in neighbours[table]))
        if len(used) == 1:
            (home[table],) = used
    return tuple(
        Channel(
            facts=facts_of,
            tables=tuple(table for table in table_bytes if home.get(table) == index),
        )
        for index, facts_of in enumerate(groups)
    )


def _references(graph: AccessGraph, table_bytes: Mapping[str, int]) -> Weights:
    """Return (referencing table, referenced table) → weight of their joins.

    The referenced end is a key: the column that is joined with more different columns, of the
    smaller table where they are equal.
    """
    partners: dict[str, set[str]] = defaultdict(set)
    for edge in graph.joins:
        partners[edge.left].add(edge.right)
        partners[edge.right].add(edge.left)
    weights: dict[tuple[str, str], float] = defaultdict(float)
    for edge, weight in graph.joins.items():
        ends = sorted(
            (edge.left, edge.right),
            key=lambda end: (len(partners[end]), -table_bytes.get(_table(end), 0), end),
        )
        referencing, referenced = (_table(end) for end in ends)
        if referencing != referenced and {referencing, referenced} <= table_bytes.keys():
            weights[referencing, referenced] += weight
    return dict(weights)


def _facts(references: Weights, table_bytes: Mapping[str, int]) -> tuple[str, ...]:
    """Return the tables that refer to several others, and to more than refer to them."""
    to: dict[str, set[str]] = defaultdict(set)
    by: dict[str, set[str]] = defaultdict(set)
    for referencing, referenced in references:
        to[referencing].add(referenced)
        by[referenced].add(referencing)
    return tuple(
        table
        for table in table_bytes
        if len(to[table]) >= FEWEST_REFERENCES and len(to[table]) > len(by[table])
    )


def _pairs(facts: Collection[str], references: Weights) -> tuple[tuple[str, ...], ...]:
    """Return the facts in pairs, those with the heaviest joins first (sales with their returns).

    A fact whose partners all have heavier ones stays alone.
    """
    weights: dict[tuple[str, str], float] = defaultdict(float)
    for (left, right), weight in references.items():
        if left in facts and right in facts:
            weights[min(left, right), max(left, right)] += weight
    paired: set[str] = set()
    groups: list[tuple[str, ...]] = []
    for pair in sorted(weights, key=lambda pair: (-weights[pair], pair)):
        if paired.isdisjoint(pair):
            paired.update(pair)
            groups.append(pair)
    return (*groups, *((fact,) for fact in facts if fact not in paired))


def _table(column: str) -> str:
    return column.rpartition(".")[0]
