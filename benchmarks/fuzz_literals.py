"""TPC-DS and TPC-H with every literal drawn anew, on random placements over real stores."""

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from advisor.pipeline import prepare
from benchmarks.random_plans import random_placement
from evaluation.installation.artifacts import cache_folder
from evaluation.kinds import BACKENDS
from evaluation.store_protocol.connection import Connection
from placement.problem import PlacementProblem
from placement.routing.routing import route
from tests.fuzzing.asked import answer
from tests.fuzzing.campaigns import Tried
from tests.fuzzing.literals import Redrawing
from tests.fuzzing.on_stores import OnStores, federations_of
from tests.fuzzing.outcomes import Kind, Outcome, refusal
from tests.fuzzing.placements import COMBINE, NAME, Routed, analysis_of, project, random_one
from tests.fuzzing.schemas import Database
from workloads.benchmarks import tpcds, tpch
from workloads.catalog import Catalog
from workloads.duck import literal, quoted
from workloads.errors import AdvisorError
from workloads.progress import Silent
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCALE_FACTOR = 0.01


def tried_literals(
    spark: "SparkSession",
    stores: Mapping[str, Connection],
    seeds: Iterable[int],
    draws: int,
) -> Iterator[Tried]:
    """Run so many draws of each query, each on a placement of every seed, and yield the ends."""
    for benchmark in (tpcds, tpch):
        catalog = benchmark.generate(SCALE_FACTOR, Path(cache_folder()), Silent())
        yield from _tried(
            spark,
            stores,
            catalog=catalog,
            workload=benchmark.queries("all"),
            seeds=list(seeds),
            draws=draws,
        )


def _tried(
    spark: "SparkSession",
    stores: Mapping[str, Connection],
    *,
    catalog: Catalog,
    workload: Workload,
    seeds: list[int],
    draws: int,
) -> Iterator[Tried]:
    connections = {
        name: replace(each, namespace=f"fuzz_{workload.name}") for name, each in stores.items()
    }
    for connection in connections.values():
        backend = BACKENDS[connection.kind]
        backend.prepare(connection)
        for table in catalog.tables.values():
            backend.load(connection, table)
    with federations_of(spark, connections) as federations:
        there = OnStores(
            database=Database(tables=()),
            catalog=catalog,
            connection=_over_parquet(catalog),
            of=project(),
            connections=connections,
            federations=federations,
            held={name: tuple(connections) for name in catalog.tables},
        )
        redrawing = Redrawing(catalog=catalog, connection=there.connection)
        for query in workload.queries:
            for draw in range(draws):
                sql, _ = redrawing.redrawn(query.sql, random.Random(f"{query.name} {draw}"))
                number = int(query.name.removeprefix("q")) * 100 + draw
                for seed, outcome in _on_placements(there, sql, seeds, number):
                    yield Tried(seed=seed, number=number, sql=sql, outcome=outcome)


def _on_placements(
    there: OnStores, sql: str, seeds: list[int], number: int
) -> Iterator[tuple[int, Outcome]]:
    """Yield how a statement ends on each seed's placement, routed by the model or at random."""
    expected = answer(there.connection, sql)
    if expected is None:
        yield seeds[0], Outcome(kind=Kind.NOT_ASKED)
        return
    try:
        analysis = analysis_of(sql, there.catalog, there.of)
        problem = prepare(there.of, analysis).problem
    except AdvisorError as error:
        yield seeds[0], refusal(error)
        return
    ways = [_way(problem, seed, number) for seed in seeds]
    yield from zip(seeds, there.along(analysis, ways, expected), strict=True)


def _way(problem: PlacementProblem, seed: int, number: int) -> Routed:
    placement, combine = random_placement(problem, seed), COMBINE[number % 2]
    if (seed + number) % 2:
        return replace(random_one(problem, placement, number), combine=combine)
    routing = route(problem, placement)[NAME]
    return Routed(placement=placement, routing=routing, combine=combine)


def _over_parquet(catalog: Catalog) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    for table in catalog.tables.values():
        connection.execute(
            f"CREATE VIEW {quoted(table.name)} AS FROM read_parquet({literal(str(table.parquet))})"
        )
    return connection
