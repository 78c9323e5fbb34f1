"""Quantities that several constraints bound, of placements and of models."""

from collections.abc import Iterable, Mapping

import numpy as np

from placement.constraints.breach import Booleans
from placement.constraints.constraint import Placement
from placement.problem import PlacementProblem, QueryProblem
from placement.programs.solver import Variable
from placement.programs.variables import FragmentModel


def ordered(problem: PlacementProblem, tables: frozenset[str]) -> tuple[str, ...]:
    """Return tables in the problem's order."""
    return tuple(table for table in problem.table_bytes if table in tables)


def pairs(
    problem: PlacementProblem, stores_of: Mapping[str, frozenset[str]]
) -> list[tuple[str, str]]:
    """Return the (table, store) of a mapping, in the problem's order."""
    return [
        (table, store.name)
        for table in problem.table_bytes
        for store in problem.stores
        if store.name in stores_of.get(table, frozenset())
    ]


def stored_bytes(problem: PlacementProblem, placement: Placement) -> dict[str, int]:
    """Return store → bytes of the tables in it, with the indexes that are chosen for them."""
    return {
        store.name: sum(
            problem.held_bytes(table, store)
            for table in problem.table_bytes
            if store.name in placement.get(table, ())
        )
        for store in problem.stores
    }


def index_bytes(
    model: FragmentModel, problem: PlacementProblem, store: str | None = None
) -> list[tuple[Variable, int]]:
    """Return the bytes of the indexes that a model may choose, in one store or in all."""
    return [
        (variable, problem.index_bytes[index])
        for (index, where), variable in model.indexed.items()
        if store in (None, where)
    ]


def copies(model: FragmentModel, problem: PlacementProblem, table: str) -> list[Variable]:
    """Return the variables of a table's copies."""
    return [model.held[table, store.name] for store in problem.stores]


def moves(problem: PlacementProblem, placement: Placement) -> list[tuple[str, str]]:
    """Return the (table, store) of the copies that the current placement lacks."""
    return [
        (table, store)
        for table in problem.table_bytes
        for store in placement.get(table, ())
        if problem.is_move(table, store)
    ]


def move_variables(model: FragmentModel, problem: PlacementProblem) -> list[tuple[str, Variable]]:
    """Return the (table, variable) of the copies that would be moves."""
    return [
        (table, variable)
        for (table, store), variable in model.held.items()
        if problem.is_move(table, store)
    ]


def move_mask(problem: PlacementProblem) -> Booleans:
    """Return (T by S): whether a copy would be a move."""
    rows = [
        [problem.is_move(table, store.name) for store in problem.stores]
        for table in problem.table_bytes
    ]
    return np.array(rows, dtype=bool).reshape(len(problem.table_bytes), len(problem.stores))


def tables_or_tag(problem: PlacementProblem, tables: Iterable[str]) -> str:
    """Return tables' names, or the tag that stands for them."""
    names = tuple(tables)
    for tag, tagged in problem.constraints.tags.items():
        if tagged == frozenset(names):
            return f"tag '{tag}'"
    return ", ".join(names)


def dearest_cover(query: QueryProblem, priced: Iterable[tuple[tuple[str, ...], float]]) -> float:
    """Return a price that no exact cover of the query exceeds: the dearest share a source.

    `priced` are the sources of fragments with their prices.
    """
    most = dict.fromkeys(query.sources, 0.0)
    for sources, price in priced:
        for source in sources:
            most[source] = max(most[source], price / len(sources))
    return sum(most.values())
