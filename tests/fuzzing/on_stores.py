"""Stage 2: statements on real stores, their rows combined as `run` combines them."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from advisor.analysis import Analysis
from advisor.problem import placement_problem
from advisor.project import Project
from benchmarks.random_plans import random_placement
from evaluation.bounded_frames import QueryFailedError
from evaluation.connection import Connection
from evaluation.engines.fragments import dialects
from evaluation.execution import Execution, Federation
from evaluation.federation.compile import Compiler
from evaluation.job import Job
from evaluation.judging.oracle import Oracle
from evaluation.judging.verdict import verdict
from evaluation.measurement import QueryOutcome
from evaluation.stores import BACKENDS
from placement.plan import RoutedFragment
from placement.pricing import able
from placement.problem import PlacementProblem
from placement.routing import route
from placement.stores import Capability
from tests.fuzzing.asked import answer, is_determined
from tests.fuzzing.comparing import Answer, wrong
from tests.fuzzing.outcomes import Kind, Outcome, raised, reason, refusal
from tests.fuzzing.placements import NAME, Routed, analysis_of, project, random_one
from tests.fuzzing.schemas import Database
from workloads.catalog import Catalog
from workloads.errors import AdvisorError, StoreError
from workloads.workload import Query

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TIMEOUT_S = 60.0
_KINDS = {
    QueryOutcome.WRONG: Kind.WRONG,
    QueryOutcome.FAILED: Kind.FAILED,
    QueryOutcome.TIMEOUT: Kind.FAILED,
    QueryOutcome.UNDETERMINED: Kind.UNDETERMINED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OnStores:
    """A database in every store that can hold it, and what is asked over it.

    `held` maps a table to the stores that have a copy; `unloaded` tells why others have none.
    """

    database: Database
    catalog: Catalog
    connection: duckdb.DuckDBPyConnection
    of: Project
    connections: Mapping[str, Connection]
    federation: Federation
    held: Mapping[str, tuple[str, ...]]
    unloaded: Sequence[str] = field(default_factory=tuple)

    def tried(self, sql: str, seed: int, covers: int = 3) -> Iterator[Outcome]:
        """Answer `sql` in several ways, and yield how each ended."""
        expected = answer(self.connection, sql)
        if expected is None:
            yield Outcome(kind=Kind.NOT_ASKED)
            return
        try:
            analysis = analysis_of(sql, self.catalog, self.of)
            ways = self._ways(analysis, seed, covers)
        except AdvisorError as error:
            yield refusal(error)
            return
        except Exception as error:  # noqa: BLE001 - whatever is raised is an outcome
            yield Outcome(kind=Kind.CRASHED, said=raised(error))
            return
        yield from self.along(analysis, ways, expected)

    def along(
        self, analysis: Analysis, ways: Sequence[Routed], expected: Answer
    ) -> Iterator[Outcome]:
        """Answer an analysed statement in each of some ways, and yield how each ended."""
        oracle = Oracle(self.catalog, "duckdb")
        try:
            for way in ways:
                yield replace(self._once(analysis, way, expected, oracle), how=way.told())
        finally:
            oracle.close()

    def _ways(self, analysis: Analysis, seed: int, covers: int) -> list[Routed]:
        """Return the statement whole in a store, the cost model's routing, and random covers.

        They take turns, so that one way of each statement is now of this kind, now of that.
        """
        problem = placement_problem(self.of, analysis)
        choose = random.Random(f"ways {seed}")
        found = []
        for number in range(covers):
            placement = {
                table: tuple(each for each in stores if each in self.held[table])
                or self.held[table][:1]
                for table, stores in random_placement(problem, seed * 100 + number).items()
            }
            kind = (seed + number) % 4
            whole = self._whole(problem, choose) if kind == 0 else None
            if whole is not None:
                found.append(whole)
            elif kind == 1:
                routing = route(problem, placement)[NAME]
                found.append(Routed(placement=placement, routing=routing))
            else:
                found.append(random_one(problem, placement, seed * 100 + number))
        return found

    def _whole(self, problem: PlacementProblem, choose: random.Random) -> Routed | None:
        query = problem.queries[0]
        wholes = [
            RoutedFragment(fragment=fragment, store=store.name, predicted_s=0.0)
            for fragment in query.fragments
            for store in problem.stores
            if fragment.kind is Capability.QUERY
            and able(store, fragment)
            and all(store.name in self.held[table] for table in fragment.tables)
        ]
        if not wholes:
            return None
        picked = choose.choice(wholes)
        return Routed(
            placement=dict.fromkeys(problem.table_bytes, (picked.store,)), routing=(picked,)
        )

    def _once(self, analysis: Analysis, way: Routed, expected: Answer, oracle: Oracle) -> Outcome:
        job = Job(
            workload=analysis.workload,
            catalog=analysis.catalog,
            connections=self.connections,
            query_timeout_s=TIMEOUT_S,
        )
        try:
            compiler = Compiler(analysis.workload, analysis.catalog, dialects(job))
            given = self.federation.run(compiler.compile(NAME, way.routing))
        except (QueryFailedError, AdvisorError) as error:
            return Outcome(kind=Kind.FAILED, said=reason(error))
        except Exception as error:  # noqa: BLE001 - whatever is raised is an outcome
            return Outcome(kind=Kind.CRASHED, said=raised(error))
        found = self._verdict(oracle, analysis.workload.query(NAME), given, expected)
        return replace(found, second_try=given.second_try)

    def _verdict(self, oracle: Oracle, query: Query, given: Execution, expected: Answer) -> Outcome:
        """Return what the judge says, and what is found wrong where it finds nothing so."""
        found = verdict(oracle, query, given.answer)
        if found.outcome is not QueryOutcome.VERIFIED:
            return Outcome(kind=_KINDS[found.outcome], said=found.message)
        said = wrong(expected, Answer(rows=[tuple(row) for row in given.rows]))
        if said is None or not is_determined(self.database, query.sql, expected):
            return Outcome(kind=Kind.RIGHT)
        return Outcome(kind=Kind.WRONG, said=f"the judge accepts it, and yet: {said}")


@contextmanager
def on_stores(
    database: Database,
    folder: Path,
    spark: "SparkSession",
    stores: Mapping[str, Connection],
    namespace: str = "fuzz",
) -> Iterator[OnStores]:
    """Load `database` into every store for the length of the block."""
    connections = {name: replace(each, namespace=namespace) for name, each in stores.items()}
    catalog = database.catalog(folder)
    held: dict[str, list[str]] = {name: [] for name in catalog.tables}
    unloaded = []
    for name, connection in connections.items():
        backend = BACKENDS[connection.kind]
        backend.prepare(connection)
        for table in catalog.tables.values():
            try:
                backend.load(connection, table)
                held[table.name].append(name)
            except StoreError as error:
                unloaded.append(str(error))
    try:
        with Federation(spark, connections, timeout_s=TIMEOUT_S) as federation:
            yield OnStores(
                database=database,
                catalog=catalog,
                connection=database.connect(),
                of=project(),
                connections=connections,
                federation=federation,
                held={name: tuple(found) for name, found in held.items()},
                unloaded=tuple(unloaded),
            )
    finally:
        for connection in connections.values():
            for table in catalog.tables:
                BACKENDS[connection.kind].drop(connection, table)
