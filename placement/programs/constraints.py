"""Constraints of a placement, one function and one sentence each."""

from collections.abc import Callable, Mapping
from math import inf

from placement.problem import LIMIT_TOLERANCE, PlacementProblem
from placement.programs.solver import SOLVER_TOLERANCE, Variable
from placement.programs.variables import FragmentModel, Kind, Limit, Row, Terms


def add_placed(model: FragmentModel, problem: PlacementProblem) -> None:
    """Every table is in at least one store, also one that no query reads."""
    for table in problem.table_bytes:
        model.program.row([(copy, 1.0) for copy in _copies(model, problem, table)], at_least=1.0)


def add_capacity(model: FragmentModel, problem: PlacementProblem) -> None:
    """The copies in a store fit its capacity (bytes)."""
    for store in problem.stores:
        capacity = store.capacity_bytes
        if capacity is not None:
            limit = Limit(kind=Kind.CAPACITY, subject=(store.name,))
            sizes = [(model.held[t, store.name], size) for t, size in problem.table_bytes.items()]
            model.row(Row(limit=limit, terms=sizes, at_most=capacity, unit=max(1, capacity)))


def add_pins(model: FragmentModel, problem: PlacementProblem) -> None:
    """A pinned table is in every store that it is pinned to."""
    for table, store in _pairs(problem, problem.constraints.pin):
        limit = Limit(kind=Kind.PIN, subject=(table, store))
        model.row(Row(limit=limit, terms=[(model.held[table, store], 1)], at_least=1))


def add_exclusions(model: FragmentModel, problem: PlacementProblem) -> None:
    """An excluded table is in none of the stores that it is excluded from."""
    for table, store in _pairs(problem, problem.constraints.exclude):
        limit = Limit(kind=Kind.EXCLUDE, subject=(table, store))
        model.row(Row(limit=limit, terms=[(model.held[table, store], 1)], at_most=0))


def add_together(model: FragmentModel, problem: PlacementProblem) -> None:
    """Tables that belong together are in the same stores."""
    for tables in problem.constraints.together:
        first, *others = _ordered(problem, tables)
        limit = Limit(kind=Kind.TOGETHER, subject=(first, *others))
        for store in problem.stores:
            held = model.held[first, store.name]
            for other in others:
                terms = [(model.held[other, store.name], 1), (held, -1)]
                model.row(Row(limit=limit, terms=terms, at_least=0, at_most=0))


def add_apart(model: FragmentModel, problem: PlacementProblem) -> None:
    """Of tables that belong apart no two are in the same store."""
    for tables in problem.constraints.apart:
        ordered = _ordered(problem, tables)
        limit = Limit(kind=Kind.APART, subject=ordered)
        for store in problem.stores:
            terms = [(model.held[table, store.name], 1) for table in ordered]
            model.row(Row(limit=limit, terms=terms, at_most=1))


def add_balance(model: FragmentModel, problem: PlacementProblem) -> None:
    """The bytes in a store are within a share of the mean over all stores, copies counted."""
    most = problem.constraints.balance
    if most is None:
        return
    stores = len(problem.stores)
    unit = max(1.0, float(sum(problem.table_bytes.values())))
    # What may be passed is of the bytes held, copies counted: it is in the coefficients.
    passed = most + LIMIT_TOLERANCE - SOLVER_TOLERANCE
    for store in problem.stores:
        # Bytes here times the number of stores, less what the mean allows of all bytes held.
        for share, at_least, at_most in ((1.0 - passed, 0.0, inf), (1.0 + passed, -inf, 0.0)):
            terms: Terms = [
                (variable, problem.table_bytes[table] * (stores * (name == store.name) - share))
                for (table, name), variable in model.held.items()
            ]
            model.row(
                Row(
                    limit=Limit(kind=Kind.BALANCE),
                    terms=terms,
                    at_least=at_least,
                    at_most=at_most,
                    unit=unit,
                    tolerance=SOLVER_TOLERANCE * unit,
                )
            )


def add_copies(model: FragmentModel, problem: PlacementProblem) -> None:
    """A table is in at most `max_copies` stores."""
    limit = Limit(kind=Kind.MAX_COPIES)
    for table in problem.table_bytes:
        terms = [(copy, 1) for copy in _copies(model, problem, table)]
        model.row(Row(limit=limit, terms=terms, at_most=problem.constraints.max_copies))


def add_copy_bytes(model: FragmentModel, problem: PlacementProblem) -> None:
    """The copies beyond the first of each table have at most `max_copy_bytes` in all."""
    most = problem.constraints.max_copy_bytes
    if most is not None:
        sizes = problem.table_bytes
        terms = [(variable, sizes[table]) for (table, _), variable in model.held.items()]
        first = sum(sizes.values())
        limit = Limit(kind=Kind.MAX_COPY_BYTES)
        model.row(Row(limit=limit, terms=terms, at_most=first + most, unit=max(1, first + most)))


def add_moves(model: FragmentModel, problem: PlacementProblem) -> None:
    """At most `max_moves` copies are new to the current placement."""
    most = problem.constraints.max_moves
    if most is not None:
        terms = [(variable, 1) for _, variable in _moves(model, problem)]
        model.row(Row(limit=Limit(kind=Kind.MAX_MOVES), terms=terms, at_most=most))


def add_move_bytes(model: FragmentModel, problem: PlacementProblem) -> None:
    """The copies that are new to the current placement have at most `max_move_bytes` in all."""
    most = problem.constraints.max_move_bytes
    if most is not None:
        terms = [(each, problem.table_bytes[table]) for table, each in _moves(model, problem)]
        limit = Limit(kind=Kind.MAX_MOVE_BYTES)
        model.row(Row(limit=limit, terms=terms, at_most=most, unit=max(1, most)))


PLACEMENT_CONSTRAINTS: tuple[Callable[[FragmentModel, PlacementProblem], None], ...] = (
    add_placed,
    add_capacity,
    add_pins,
    add_exclusions,
    add_together,
    add_apart,
    add_balance,
    add_copies,
    add_copy_bytes,
    add_moves,
    add_move_bytes,
)


def _copies(model: FragmentModel, problem: PlacementProblem, table: str) -> list[Variable]:
    return [model.held[table, store.name] for store in problem.stores]


def _pairs(
    problem: PlacementProblem, stores_of: Mapping[str, frozenset[str]]
) -> list[tuple[str, str]]:
    """Return (table, store) in the problem's order."""
    return [
        (table, store.name)
        for table in problem.table_bytes
        for store in problem.stores
        if store.name in stores_of.get(table, frozenset())
    ]


def _ordered(problem: PlacementProblem, tables: frozenset[str]) -> tuple[str, ...]:
    return tuple(table for table in problem.table_bytes if table in tables)


def _moves(model: FragmentModel, problem: PlacementProblem) -> list[tuple[str, Variable]]:
    """Return (table, variable) of the copies that would be moves."""
    return [
        (table, variable)
        for (table, store), variable in model.held.items()
        if problem.is_move(table, store)
    ]
