"""Binding constraints of a plan: the limits on bytes and counts that it uses up."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.reasons.breakdown import breakdown

FULL = 0.99
"""The share of a limit from which it is called used up: tables come in lumps."""


class Unit(StrEnum):
    """The unit of a limit."""

    BYTES = "bytes"
    SECONDS = "s"
    COPIES = "copies"
    MOVES = "moves"
    MONEY = "a month"
    SHARE = "share"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How much of a limit a plan uses. `key` is the limit's in the project file.

    `subject` says of what, where the key does not: a query, or the number of tables.
    """

    key: str
    used: float
    most: float
    unit: Unit
    subject: str = ""

    @property
    def binds(self) -> bool:
        """Whether the limit is used up, or exceeded."""
        return self.used >= FULL * self.most


def binding(problem: PlacementProblem, plan: PlacementPlan) -> tuple[Usage, ...]:
    """Return the limits that the plan uses up, to one per cent.

    Pins, exclusions, together and apart are not among them: what they cost shows when they are
    taken away.

    Raises:
        KeyError: The plan is of other queries, tables or stores than the problem.
    """
    return tuple(usage for usage in usages(problem, plan) if usage.binds)


def usages(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
    """Yield every limit that has a size, with how much of it the plan uses."""
    yield from _capacities(problem, plan)
    yield from _copies(problem, plan)
    yield from _moves(problem, plan)
    yield from _balance(problem, plan)
    limits = problem.constraints
    if limits.max_money is not None:
        used = breakdown(problem, plan).money
        yield Usage(
            key="[constraints].max_money", used=used, most=limits.max_money, unit=Unit.MONEY
        )
    for query, ceiling_s in limits.latency_s.items():
        yield Usage(
            key="[constraints].latency_s",
            subject=query,
            used=plan.query_s(query),
            most=ceiling_s,
            unit=Unit.SECONDS,
        )


def held_bytes(problem: PlacementProblem, plan: PlacementPlan, store: str) -> int:
    """Return the bytes of all copies in a store."""
    return sum(problem.table_bytes[t] for t, held in plan.placement.items() if store in held)


def _capacities(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
    for store in problem.stores:
        if store.capacity_bytes is not None:
            yield Usage(
                key=f"[stores.{store.name}].capacity",
                used=held_bytes(problem, plan, store.name),
                most=store.capacity_bytes,
                unit=Unit.BYTES,
            )


def _copies(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
    limits = problem.constraints
    # One copy of each table is no choice; only where more are allowed can there be too few.
    full = [t for t, held in plan.placement.items() if len(held) >= limits.max_copies]
    if 1 < limits.max_copies < len(problem.stores):
        yield Usage(
            key="[place].max_copies",
            subject=f"{len(full)} tables" if len(full) != 1 else full[0],
            used=max((len(held) for held in plan.placement.values()), default=0),
            most=limits.max_copies,
            unit=Unit.COPIES,
        )
    if limits.max_copy_bytes is not None:
        used = sum(
            (len(held) - 1) * problem.table_bytes[table] for table, held in plan.placement.items()
        )
        yield Usage(
            key="[constraints].max_copy_bytes",
            used=used,
            most=limits.max_copy_bytes,
            unit=Unit.BYTES,
        )


def _moves(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
    limits = problem.constraints
    moved = [
        table
        for table, held in plan.placement.items()
        for store in held
        if problem.is_move(table, store)
    ]
    if limits.max_moves is not None:
        yield Usage(
            key="[constraints].max_moves",
            used=len(moved),
            most=limits.max_moves,
            unit=Unit.MOVES,
        )
    if limits.max_move_bytes is not None:
        yield Usage(
            key="[constraints].max_move_bytes",
            used=sum(problem.table_bytes[table] for table in moved),
            most=limits.max_move_bytes,
            unit=Unit.BYTES,
        )


def _balance(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[Usage]:
    most = problem.constraints.balance
    loads = [held_bytes(problem, plan, store.name) for store in problem.stores]
    mean = sum(loads) / len(loads)
    if most is not None and mean > 0:
        used = max(abs(load - mean) for load in loads) / mean
        yield Usage(key="[constraints].balance", used=used, most=most, unit=Unit.SHARE)
