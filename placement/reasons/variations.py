"""A placement problem with one thing changed: a store, a capacity, a price, a rate."""

from dataclasses import fields, replace
from typing import Any

from placement.problem import PlacementProblem
from placement.stores import Engine, Prices, Store, Strength

ENGINE = "engine"
"""What stands for the engine where a store is named."""
STORE_RATES = tuple(each.name for each in fields(Strength) if each.name.endswith(("_s", "_per_s")))
ENGINE_RATES = tuple(each.name for each in fields(Engine) if each.name != "source")
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
        ),
        current={t: tuple(s for s in held if s != name) for t, held in problem.current.items()},
    )


def with_store(problem: PlacementProblem, store: Store) -> PlacementProblem:
    """Add a store, the last in order; nothing is pinned to it or excluded from it."""
    return replace(problem, stores=(*problem.stores, store))


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
    return _with(problem, replace(store, strength=replace(store.strength, **changed)))


def rate_of(problem: PlacementProblem, name: str, rate: str) -> float:
    """Return a rate of a store, or of `ENGINE`."""
    rates = problem.costs.engine if name == ENGINE else problem.store(name).strength
    return float(getattr(rates, rate))


def with_max_copies(problem: PlacementProblem, most: int) -> PlacementProblem:
    """Let a table be in at most `most` stores."""
    return replace(problem, constraints=replace(problem.constraints, max_copies=most))


def _with(problem: PlacementProblem, changed: Store) -> PlacementProblem:
    stores = tuple(changed if each.name == changed.name else each for each in problem.stores)
    return replace(problem, stores=stores)
