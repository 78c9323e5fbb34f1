"""In which stores tables may and must be, for all that their own limits say."""

from dataclasses import dataclass

import numpy as np

from placement.arrays.compiled import Booleans, Compiled


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Room:
    """In which stores tables may be, and must be (T by S): pins, exclusions and capacities."""

    allowed: Booleans
    required: Booleans


def room(compiled: Compiled) -> Room:
    """Return where each table may be, for all that its own limits say."""
    problem = compiled.problem
    row = {table: number for number, table in enumerate(compiled.tables)}
    column = {store: number for number, store in enumerate(compiled.stores)}
    size = np.array([problem.table_bytes[table] for table in compiled.tables])
    required = np.zeros((len(row), len(column)), dtype=bool)
    for table, stores in problem.constraints.pin.items():
        for store in stores:
            required[row[table], column[store]] = True
    allowed = np.ones_like(required)
    for number, each in enumerate(problem.stores):
        if each.capacity_bytes is not None:
            pinned = size * required[:, number]
            allowed[:, number] = pinned.sum() - pinned + size <= each.capacity_bytes
    for table, stores in problem.constraints.exclude.items():
        for store in stores:
            allowed[row[table], column[store]] = False
    return Room(allowed=allowed | required, required=required)


def runnable(compiled: Compiled, where: Room) -> Booleans:
    """Return (M by S) whether a store may hold a set's tables at once beside what it must hold."""
    sets = compiled.set_tables
    if not len(sets.items):
        return np.zeros((0, len(compiled.stores)), dtype=bool)
    able: Booleans = np.logical_and.reduceat(where.allowed[sets.items], sets.starts[:-1], axis=0)
    problem = compiled.problem
    size = np.array([problem.table_bytes[table] for table in compiled.tables], dtype=float)
    for column, store in enumerate(problem.stores):
        if store.capacity_bytes is not None:
            must = np.where(where.required[:, column], size, 0.0)
            more = np.add.reduceat((size - must)[sets.items], sets.starts[:-1])
            able[:, column] &= must.sum() + more <= store.capacity_bytes
    return able
