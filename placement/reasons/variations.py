"""A placement problem with one thing changed: a store, a capacity, a price, a rate."""

from collections.abc import Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

from placement.problem import PlacementProblem
from placement.stores import Engine, Prices, Store, Strength

ENGINE = "engine"
"""The engine's name among the stores' names."""
ROUND_TRIP = "round_trip_s"
STORE_RATES = (
    *(each.name for each in fields(Strength) if each.name.endswith(("_s", "_per_s"))),
    ROUND_TRIP,
)
ENGINE_RATES = tuple(each.name for each in fields(Engine) if each.name.endswith(("_s", "_per_s")))
PRICES = tuple(each.name for each in fields(Prices))


def without_store(problem: PlacementProblem, name: str) -> PlacementProblem:
    """Leave a store out, with what is pinned to it, excluded from it, or there now."""
    constraints = problem.constraints
    return replace(
        problem,
        stores=tuple(store for store in problem.stores if store.name != name),
        constraints=replace(
            constraints,
            pin={t: stores - {name} for t, stores in constraints.pin.items() if stores - {name}},
            exclude={
                t: stores - {name} for t, stores in constraints.exclude.items() if stores - {name}
            },
            unheld={
                t: {s: why for s, why in stores.items() if s != name}
                for t, stores in constraints.unheld.items()
                if stores.keys() - {name}
            },
        ),
        current={t: tuple(s for s in held if s != name) for t, held in problem.current.items()},
    )


def with_store(
    problem: PlacementProblem, store: Store, unheld: Mapping[str, str] = MappingProxyType({})
) -> PlacementProblem:
    """Add a store, the last in order; nothing is pinned to it.

    Of `unheld`, table → why the store cannot hold it, the tables alone are excluded from it.
    """
    constraints = problem.constraints
    exclude = {t: constraints.exclude.get(t, frozenset()) | {store.name} for t in unheld}
    reasons = {t: {**constraints.unheld.get(t, {}), store.name: why} for t, why in unheld.items()}
    return replace(
        problem,
        stores=(*problem.stores, store),
        constraints=replace(
            constraints,
            exclude={**constraints.exclude, **exclude},
            unheld={**constraints.unheld, **reasons},
        ),
    )


def with_capacity(
    problem: PlacementProblem, name: str, capacity_bytes: int | None
) -> PlacementProblem:
    """Give a store another capacity; None is unlimited."""
    return _with(problem, replace(problem.store(name), capacity_bytes=capacity_bytes))


def with_price(problem: PlacementProblem, name: str, price: str, value: float) -> PlacementProblem:
    """Give a store another price, one of `PRICES`."""
    store = problem.store(name)
    return _with(problem, replace(store, prices=replace(store.prices, **{price: value})))


def with_rate(problem: PlacementProblem, name: str, rate: str, value: float) -> PlacementProblem:
    """Give a store another rate, one of `STORE_RATES`; `ENGINE` has `ENGINE_RATES`."""
    changed: dict[str, Any] = {rate: value}
    if name == ENGINE:
        engine = replace(problem.costs.engine, **changed)
        return replace(problem, costs=replace(problem.costs, engine=engine))
    store = problem.store(name)
    if rate == ROUND_TRIP:
        return _with(problem, replace(store, strength=store.strength.with_round_trip(value)))
    return _with(problem, replace(store, strength=replace(store.strength, **changed)))


def rate_of(problem: PlacementProblem, name: str, rate: str) -> float | None:
    """Return a rate of a store, or of `ENGINE`; None where the store does no such work."""
    rates = problem.costs.engine if name == ENGINE else problem.store(name).strength
    found = getattr(rates, rate)
    return None if found is None else float(found)


def with_max_copies(problem: PlacementProblem, most: int) -> PlacementProblem:
    """Let a table be in at most `most` stores."""
    return replace(problem, constraints=replace(problem.constraints, max_copies=most))


def _with(problem: PlacementProblem, changed: Store) -> PlacementProblem:
    stores = tuple(changed if each.name == changed.name else each for each in problem.stores)
    return replace(problem, stores=stores)
