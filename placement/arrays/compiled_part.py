"""Some of the queries of a compiled problem: what a changed table makes of those that read it."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from placement.arrays.compiled import Booleans, Compiled, Integers, Ragged
from placement.arrays.states import Level, States


def part(compiled: Compiled, queries: Integers) -> Compiled:
    """Return the compiled problem with `queries` alone, given by number, ascending.

    Tables, stores and the numbers of sources stay as they are.
    """
    kept = np.zeros(len(compiled.executions), dtype=bool)
    kept[queries] = True
    sets = kept[compiled.set_query]
    query_number = np.cumsum(kept) - 1
    return replace(
        compiled,
        executions=compiled.executions[queries],
        set_query=query_number[compiled.set_query[sets]],
        set_sources=_lists(compiled.set_sources, sets),
        set_tables=_lists(compiled.set_tables, sets),
        cost_s=compiled.cost_s[sets],
        fragment=compiled.fragment[sets],
        states=_states(compiled.states, compiled.set_query, kept, queries),
    )


def readers(compiled: Compiled) -> Mapping[int, Integers]:
    """Return table → the queries that read it, both by number, ascending."""
    query = compiled.set_query[compiled.set_tables.owners]
    pairs = np.unique(np.stack([compiled.set_tables.items, query], axis=1), axis=0)
    return {table: pairs[pairs[:, 0] == table, 1] for table in range(len(compiled.tables))}


def _lists(ragged: Ragged, kept: Booleans) -> Ragged:
    lengths = np.diff(ragged.starts)
    return Ragged(
        starts=np.concatenate(([0], np.cumsum(lengths[kept]))),
        items=ragged.items[np.repeat(kept, lengths)],
    )


def _states(states: States, set_query: Integers, kept: Booleans, queries: Integers) -> States:
    """Return the states of the kept queries; each but the empty one is of a single query."""
    alive = np.zeros(states.count, dtype=bool)
    alive[0] = True
    for level in states.levels:
        alive[level.states] = kept[set_query[level.sets[level.starts]]]
    number = np.cumsum(alive) - 1
    set_number = np.cumsum(kept[set_query]) - 1
    levels = []
    for level in states.levels:
        there = alive[level.states]
        if not there.any():
            continue
        lengths = np.diff(np.append(level.starts, len(level.sets)))
        steps = np.repeat(there, lengths)
        levels.append(
            Level(
                first=int(number[level.first + int(np.argmax(there))]),
                starts=np.concatenate(([0], np.cumsum(lengths[there])))[:-1],
                sets=set_number[level.sets[steps]],
                rest=number[level.rest[steps]],
            )
        )
    whole = states.whole[queries]
    return States(
        count=int(alive.sum()),
        levels=tuple(levels),
        whole=np.where(whole >= 0, number[np.maximum(whole, 0)], -1),
    )
