"""The rule of proximity as the paper states it: each channel where its own queries are fastest.

Section III-B of Sideris, Papadopoulos, Paranomos: Distributed Execution of SQL Queries Using Trino:
a channel's sales and returns and what only they use are in one store, which is chosen by how fast
it is in the baseline. Then inventory and its tables go to the store with the least data, and the
tables that are common to all go by size. Here the baseline is predicted: each query's seconds with
all tables in one store. A fact table without another that belongs to it is treated as inventory,
unless no fact table has one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from placement.limits.packing import Packing
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for
from placement.strategies.proximity import Channel, grouped
from placement.strategies.single_store import alone
from workloads.errors import InfeasibleError

NAME = "proximity_by_strength"
_MOST_ASSIGNMENTS = 6
"""Up to so many channels and stores all assignments are compared; else one channel at a time."""
Costs = Mapping[tuple[Channel, str], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProximityByStrength:
    """Puts each channel into the store that is best at its queries, one a store while there are."""

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the plan; INFEASIBLE where a table found no store with room."""
        return plan_for(problem, NAME, strongest(problem))


def strongest(problem: PlacementProblem) -> Mapping[str, tuple[str, ...]]:
    """Return table → stores: channels by strength, other facts where there is room, the rest."""
    found = grouped(problem.graph, problem.table_bytes)
    pairs = [each for each in found if len(each.facts) > 1]
    channels = pairs or list(found)
    packing = Packing(problem=problem)
    costs = _costs(problem, channels)
    waiting = sorted(channels, key=lambda each: -_bytes(problem, each))
    while waiting:
        stores = [store.name for store in problem.stores]
        round_, waiting = waiting[: len(stores)], waiting[len(stores) :]
        for channel, store in _assigned(round_, stores, costs, packing):
            if store is not None:
                packing.put_into(store, channel.tables)
            packing.put_together(channel.tables)
    for group in found:
        packing.put_together(group.tables)
    packing.put_by_size(problem.table_bytes)
    return packing.placement


def _bytes(problem: PlacementProblem, channel: Channel) -> int:
    return sum(problem.table_bytes[table] for table in channel.tables)


def _costs(problem: PlacementProblem, channels: Sequence[Channel]) -> Costs:
    """Return (channel, store) → the seconds of the channel's own queries in that store alone.

    A query is a channel's own if it reads its facts, and no facts of another. A store in which a
    query of the workload cannot be run is left out.
    """
    facts = {fact for each in channels for fact in each.facts}
    read = {
        query.name: {table for each in query.fragments for table in each.tables} & facts
        for query in problem.queries
    }
    found: dict[tuple[Channel, str], float] = {}
    for store in problem.stores:
        try:
            baseline = plan_for(problem, NAME, alone(problem, store.name))
        except InfeasibleError:
            continue
        for channel in channels:
            found[channel, store.name] = sum(
                query.executions * baseline.query_s(query.name)
                for query in problem.queries
                if read[query.name] and read[query.name] <= set(channel.facts)
            )
    return found


def _assigned(
    channels: Sequence[Channel], stores: Sequence[str], costs: Costs, packing: Packing
) -> list[tuple[Channel, str | None]]:
    """Return each channel with a store of its own; None where it fits in none that is left."""
    able = {
        channel: [
            store
            for store in stores
            if (channel, store) in costs and packing.takes(store, channel.tables)
        ]
        for channel in channels
    }
    if max(len(channels), len(stores)) <= _MOST_ASSIGNMENTS:
        whole = [
            list(zip(channels, chosen, strict=True))
            for chosen in permutations(stores, len(channels))
            if all(store in able[each] for each, store in zip(channels, chosen, strict=True))
        ]
        if whole:
            best = min(whole, key=lambda pairs: sum(costs[pair] for pair in pairs))
            return [*best]
    left = list(stores)
    found: list[tuple[Channel, str | None]] = []
    # Those come first that lose most in the wrong store.
    for channel in sorted(channels, key=lambda each: -_at_stake(each, able[each], costs)):
        store = min(
            (each for each in left if each in able[channel]),
            key=lambda each: costs[channel, each],
            default=None,
        )
        if store is not None:
            left.remove(store)
        found.append((channel, store))
    return found


def _at_stake(channel: Channel, able: Sequence[str], costs: Costs) -> float:
    """Return by how many seconds the stores that a channel fits in differ for its queries."""
    seconds = [costs[channel, store] for store in able]
    return max(seconds) - min(seconds) if seconds else 0.0
