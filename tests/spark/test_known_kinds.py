"""Each case that was answered wrongly, or not at all, is right wherever its tables are."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import TYPE_CHECKING

import pytest

from advisor.analysis.analysis import Analysis
from advisor.pipeline import prepare
from advisor.project.project import Project
from benchmarks.random_plans import random_placement
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.judging.oracle import Oracle
from evaluation.kinds import BACKENDS
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from evaluation.spark.combining import Combine
from evaluation.store_protocol.connection import Connection
from placement.plan import RoutedFragment
from placement.pricing import able
from placement.problem import PlacementProblem
from placement.stores import Capability
from tests.answers import refused
from tests.fuzzing.on_stores import federations_of
from tests.fuzzing.placements import COMBINE, NAME, analysis_of, project, random_one
from tests.known_kinds import cases, catalog
from workloads.catalog import Catalog
from workloads.errors import AdvisorError
from workloads.workload import Query

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

CASES = cases()
STORES = ("pg", "maria", "duck", "acc", "mem")
SCANS, COVERS = 2, 2
"""How many assignments of the sources, and covers, of the first statement of a case; then one."""
ORDER_OF_EVALUATION = {"W16", "W18", "F14"}
"""Cases of errors in the data, of which DuckDB in the driver may give the answer."""
Routing = tuple[RoutedFragment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The tables in every store, open for queries, and DuckDB's answers over the same."""

    tables: Catalog
    of: Project
    connections: Mapping[str, Connection]
    federations: Mapping[Combine, Federation]
    oracle: Oracle


@pytest.fixture(scope="module")
def stage(
    spark: "SparkSession",
    every_kind: Mapping[str, Connection],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    tables = catalog(tmp_path_factory.mktemp("known"))
    connections = {name: replace(each, namespace="known") for name, each in every_kind.items()}
    for connection in connections.values():
        backend = BACKENDS[connection.kind]
        backend.prepare(connection)
        for table in tables.tables.values():
            backend.load(connection, table)
    oracle = Oracle(tables)
    with federations_of(spark, connections) as federations:
        yield Stage(
            tables=tables,
            of=project(),
            connections=connections,
            federations=federations,
            oracle=oracle,
        )
    oracle.close()
    for connection in connections.values():
        for table in tables.tables:
            BACKENDS[connection.kind].drop(connection, table)


def wholes(problem: PlacementProblem) -> Iterator[Routing]:
    """The statement as one fragment, in each store that can run it."""
    for fragment in problem.queries[0].fragments:
        for store in problem.stores:
            if fragment.kind is Capability.QUERY and able(store, fragment):
                yield (RoutedFragment(fragment=fragment, store=store.name, predicted_s=0.0),)


def scans(problem: PlacementProblem, first: int, count: int) -> Iterator[Routing]:
    """Every source read alone, each from the store after the last one's, in some assignments."""
    sources = [each for each in problem.queries[0].fragments if each.kind is Capability.SCAN]
    for start in range(first, first + count * 2, 2):
        stores = islice(cycle(STORES), start % len(STORES), None)
        yield tuple(
            RoutedFragment(fragment=each, store=store, predicted_s=0.0)
            for each, store in zip(sources, stores, strict=False)
        )


def covers(problem: PlacementProblem, seed: int, count: int) -> Iterator[Routing]:
    """Random fragments of random placements with copies."""
    for number in range(seed * COVERS, seed * COVERS + count):
        yield random_one(problem, random_placement(problem, number), number).routing


def routings(analysis: Analysis, of: Project, seed: int, *, is_first: bool) -> list[Routing]:
    """Ways to run a statement, each once."""
    problem = prepare(of, analysis).problem
    found = [
        *wholes(problem),
        *scans(problem, seed, SCANS if is_first else 1),
        *covers(problem, seed, COVERS if is_first else 1),
    ]
    return list({_told(routing): routing for routing in found}.values())


def _told(routing: Routing) -> str:
    parts = (f"{each.fragment.kind.value} {each.fragment.name} in {each.store}" for each in routing)
    return ", ".join(sorted(parts))


def said(stage: Stage, analysis: Analysis, routing: Routing, *, may_err: bool) -> str | None:
    """What is wrong with an answer; None if it is DuckDB's, at the first try."""
    job = Job(
        workload=analysis.workload,
        catalog=analysis.catalog,
        connections=stage.connections,
        query_timeout_s=60,
    )
    compiler = Compiler(analysis.workload, analysis.catalog, dialects(job))
    try:
        # As good as drawn, and the same each time: half of all are combined by Spark.
        combine = COMBINE[len(_told(routing)) % 2]
        given = stage.federations[combine].run(compiler.compile(NAME, routing))
    except (QueryFailedError, AdvisorError) as error:
        return str(error)
    if (given.second_try or given.by_spark) and not may_err:
        return f"a second try after: {given.second_try or given.by_spark}"
    return refused(stage.oracle, _named(analysis), given.answer)


def _named(analysis: Analysis) -> Query:
    """The statement by a name of its own, by which the oracle remembers its answer."""
    query = analysis.workload.query(NAME)
    return replace(query, name=query.sql)


@pytest.mark.parametrize("case", list(CASES))
def test_a_known_case_is_right_wherever_its_tables_are(stage: Stage, case: str):
    wrong, seed = [], list(CASES).index(case)
    for number, sql in enumerate(CASES[case]):
        analysis = analysis_of(sql, stage.tables, stage.of)
        assert stage.oracle.answer(_named(analysis)).rows
        ways = routings(analysis, stage.of, seed + number, is_first=number == 0)
        assert len(ways) >= 2
        for routing in ways:
            found = said(stage, analysis, routing, may_err=case in ORDER_OF_EVALUATION)
            if found is not None:
                wrong.append(f"{sql}\n  {_told(routing)}\n  {found}")
    assert not wrong, "\n".join(wrong)
