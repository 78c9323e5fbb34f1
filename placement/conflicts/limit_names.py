"""Limits as messages write them: by their key in a project file, with their value."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from placement.problem import PlacementProblem
from placement.programs.variables import Kind, Limit, Number
from placement.sizes import human_bytes, human_bytes_up

DIGITS = 6
"""Significant digits of seconds, money and shares."""


def names(problem: PlacementProblem, limits: Sequence[Limit]) -> str:
    """Return the limits in a list, with ``and`` before the last."""
    written = [name(problem, limit) for limit in limits]
    if len(written) == 1:
        return written[0]
    return f"{', '.join(written[:-1])} and {written[-1]}"


def name(problem: PlacementProblem, limit: Limit) -> str:
    """Return the limit's key, with what it is about and its value."""
    subject = limit.subject
    if limit.kind is Kind.QUERY:
        return f"query '{subject[0]}', which needs stores that can run it"
    key = _key(limit)
    if limit.kind is Kind.PIN:
        return f"{key} of '{subject[0]}' to '{subject[1]}'"
    if limit.kind is Kind.EXCLUDE:
        return _exclusion(problem, *subject)
    if limit.kind in (Kind.TOGETHER, Kind.APART):
        return f"{key} of {_tables(problem, subject)}"
    value = _written(limit.kind, _value(problem, limit))
    if limit.kind is Kind.LATENCY:
        return f"{key} of '{subject[0]}', {value}"
    return f"{key} of {value}"


def _exclusion(problem: PlacementProblem, table: str, store: str) -> str:
    if why := problem.constraints.unheld.get(table, {}).get(store):
        return f"that store '{store}' cannot hold table '{table}' ({why})"
    return f"[constraints].exclude of '{table}' from '{store}'"


def raised(problem: PlacementProblem, limit: Limit, excess: Number) -> str:
    """Return what to raise the limit's key to, rounded up."""
    value = _value(problem, limit) + excess
    about = f" of '{limit.subject[0]}'" if limit.kind is Kind.LATENCY else ""
    return f"raise {_key(limit)}{about} to {_written(limit.kind, value, up=True)}"


def _key(limit: Limit) -> str:
    if limit.kind is Kind.CAPACITY:
        return f"[stores.{limit.subject[0]}].capacity"
    section = "place" if limit.kind is Kind.MAX_COPIES else "constraints"
    return f"[{section}].{limit.kind}"


def _value(problem: PlacementProblem, limit: Limit) -> Number:
    constraints = problem.constraints
    if limit.kind is Kind.CAPACITY:
        return problem.store(limit.subject[0]).capacity_bytes or 0
    if limit.kind is Kind.LATENCY:
        return constraints.latency_s[limit.subject[0]]
    values: Mapping[Kind, Number | None] = {
        Kind.BALANCE: constraints.balance,
        Kind.MAX_COPIES: constraints.max_copies,
        Kind.MAX_COPY_BYTES: constraints.max_copy_bytes,
        Kind.MAX_MOVES: constraints.max_moves,
        Kind.MAX_MOVE_BYTES: constraints.max_move_bytes,
        Kind.MAX_MONEY: constraints.max_money,
    }
    return values[limit.kind] or 0


def _written(kind: Kind, value: Number, *, up: bool = False) -> str:
    if kind in (Kind.CAPACITY, Kind.MAX_COPY_BYTES, Kind.MAX_MOVE_BYTES):
        return human_bytes_up(value) if up else human_bytes(value)
    if kind in (Kind.MAX_COPIES, Kind.MAX_MOVES):
        return str(round(value))
    unit = " s" if kind is Kind.LATENCY else ""
    return f"{_up(value) if up else f'{value:.{DIGITS}g}'}{unit}"


def _up(value: float) -> str:
    """Return a number with six significant digits, rounded up."""
    if value <= 0:
        return "0"
    step = 10.0 ** (floor(log10(value)) - DIGITS + 1)
    return f"{ceil(value / step) * step:.{DIGITS}g}"


def _tables(problem: PlacementProblem, tables: Sequence[str]) -> str:
    """Return the tables' names, or the tag that stands for them."""
    for tag, tagged in problem.constraints.tags.items():
        if tagged == frozenset(tables):
            return f"tag '{tag}'"
    return ", ".join(tables)
