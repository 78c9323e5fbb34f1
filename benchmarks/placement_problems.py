"""Problems of placement by name: TPC-DS on several sets of stores, and seeded warehouses."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from advisor.analysis.analyze import analyze
from advisor.pipeline import prepare
from advisor.project.config import load_project
from benchmarks.placement_instances import Shape, instance
from placement.problem import PlacementProblem
from placement.stores import Capability, Store
from workloads.progress import Silent

PROJECT = Path(__file__).parents[1] / "conf" / "duckdb.toml"
TWENTY = 20
TWENTY_CAPACITY = 0.3
SPEED_STEP = 1.15
FIVE_CAPACITIES = (0.4, 0.4, 0.2, 0.4, 0.3)


@cache
def tpcds(scale_factor: float) -> PlacementProblem:
    """Return all 99 queries on PostgreSQL, MariaDB and DuckDB."""
    project = load_project(
        PROJECT, {"workload": {"queries": "all"}, "catalog": {"scale_factor": scale_factor}}
    )
    return prepare(project, analyze(project, Silent())).problem


def with_copies(problem: PlacementProblem, most: int) -> PlacementProblem:
    """Return the problem with at most `most` copies of each table."""
    return replace(problem, constraints=replace(problem.constraints, max_copies=most))


def on_five_stores(problem: PlacementProblem) -> PlacementProblem:
    """Return the problem with a slower second PostgreSQL, and a store that can only scan."""
    first, *_ = problem.stores
    slower = replace(first.strength, start_s=0.08, scan_bytes_per_s=1e9, join_rows_per_s=8e6)
    scanning = replace(
        first.strength,
        scan_bytes_per_s=3e8,
        transfer_rows_per_s=250e3,
        transfer_bytes_per_s=1e8,
    )
    stores: list[Store] = [
        *problem.stores,
        replace(first, name="pg2", strength=slower),
        replace(
            first,
            name="scanner",
            kind="accumulo",
            capabilities=frozenset({Capability.SCAN}),
            strength=scanning,
        ),
    ]
    total = sum(problem.table_bytes.values())
    return replace(
        problem,
        stores=tuple(
            replace(store, capacity_bytes=int(share * total))
            for store, share in zip(stores, FIVE_CAPACITIES, strict=True)
        ),
    )


def on_twenty_stores(problem: PlacementProblem) -> PlacementProblem:
    """Return the problem with its stores in turn, on machines of five speeds."""
    stores = []
    for number in range(TWENTY):
        like = problem.stores[number % len(problem.stores)]
        speed = SPEED_STEP ** (number % 5)
        strength = replace(
            like.strength,
            scan_bytes_per_s=like.strength.scan_bytes_per_s * speed,
            scan_rows_per_s=(like.strength.scan_rows_per_s or 0.0) * speed or None,
            scan_values_per_s=(like.strength.scan_values_per_s or 0.0) * speed or None,
            join_rows_per_s=like.strength.join_rows_per_s * speed,
            aggregate_rows_per_s=like.strength.aggregate_rows_per_s * speed,
            conditions_per_s=(like.strength.conditions_per_s or 0.0) * speed or None,
        )
        stores.append(replace(like, name=f"{like.name}{number}", strength=strength))
    total = sum(problem.table_bytes.values())
    return replace(
        problem,
        stores=tuple(
            replace(store, capacity_bytes=int(TWENTY_CAPACITY * total)) for store in stores
        ),
    )


INSTANCES: Mapping[str, Callable[[float], PlacementProblem]] = {
    "tpcds-3-stores-1-copy": lambda sf: with_copies(tpcds(sf), 1),
    "tpcds-3-stores-2-copies": lambda sf: with_copies(tpcds(sf), 2),
    "tpcds-5-stores-1-copy": lambda sf: with_copies(on_five_stores(tpcds(sf)), 1),
    "tpcds-5-stores-2-copies": lambda sf: with_copies(on_five_stores(tpcds(sf)), 2),
    "tpcds-20-stores-1-copy": lambda sf: with_copies(on_twenty_stores(tpcds(sf)), 1),
    "300x5x1500": lambda _: instance(
        Shape(tables=300, stores=5, queries=1500, max_copies=5, time_limit_s=60)
    ),
    "300x5x1500-1-copy": lambda _: instance(
        Shape(tables=300, stores=5, queries=1500, max_copies=1, time_limit_s=60)
    ),
    "1000x10x10000": lambda _: instance(
        Shape(tables=1000, stores=10, queries=10_000, max_copies=10, time_limit_s=600)
    ),
}
