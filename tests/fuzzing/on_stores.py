"""Stage 2: statements on real stores, their rows combined as `run` combines them."""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from advisor.analysis.analysis import Analysis
from advisor.pipeline import prepare
from advisor.project.project import Project
from benchmarks.random_plans import random_placement
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.judging.oracle import Oracle
from evaluation.judging.verdict import verdict
from evaluation.kinds import BACKENDS
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.executed import Execution
from evaluation.running.execution import Federation
from evaluation.running.job import Job
from evaluation.spark.combining import Combine
from evaluation.store_protocol.connection import Connection
from placement.plan import RoutedFragment
from placement.pricing import able
from placement.problem import PlacementProblem
from placement.routing.routing import route
from placement.stores import Capability
from tests.fuzzing.asked import answer, is_determined
from tests.fuzzing.comparing import Answer, wrong
from tests.fuzzing.outcomes import Kind, Outcome, raised, reason, refusal
from tests.fuzzing.placements import (
    COMBINE,
    NAME,
    Routed,
    analysis_of,
    analysis_of_all,
    project,
    random_one,
)
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
    `federations` are by who combines.
    """

    database: Database
    catalog: Catalog
    connection: duckdb.DuckDBPyConnection
    of: Project
    connections: Mapping[str, Connection]
    federations: Mapping[Combine, Federation]
    held: Mapping[str, tuple[str, ...]]
    unloaded: Sequence[str] = field(default_factory=tuple)

    def tried(
        self, statements: Mapping[int, str], covers: int = 3
    ) -> Iterator[tuple[int, Outcome]]:
        """Answer statements in several ways each, and yield their numbers and how each ended.

        They are one workload, as a user's are. A number decides the ways of its statement.
        """
        expected = {number: answer(self.connection, sql) for number, sql in statements.items()}
        names = {f"q{number}": number for number, known in expected.items() if known is not None}
        for number in statements.keys() - names.values():
            yield number, Outcome(kind=Kind.NOT_ASKED)
        if not names:
            return
        try:
            analysis = analysis_of_all(
                {name: statements[number] for name, number in names.items()}, self.catalog, self.of
            )
            problem = prepare(self.of, analysis).problem
        except Exception as error:  # noqa: BLE001 - whatever is raised is an outcome
            yield from self._one_by_one(statements, names.values(), covers, error)
            return
        offered = {query.name: query for query in problem.queries}
        refused = [number for name, number in names.items() if name not in offered]
        yield from self._one_by_one(statements, refused, covers)
        compiler = self._compiler(analysis)
        with closing(Oracle(self.catalog, "duckdb")) as oracle:
            for name, query in offered.items():
                known = expected[names[name]]
                assert known is not None
                alone = replace(problem, queries=(query,))
                for way in self._ways(alone, names[name], covers):
                    written = analysis.workload.query(name)
                    found = self._once(compiler, written, way, known, oracle)
                    yield names[name], replace(found, how=way.told())

    def _one_by_one(
        self,
        statements: Mapping[int, str],
        numbers: Collection[int],
        covers: int,
        error: Exception | None = None,
    ) -> Iterator[tuple[int, Outcome]]:
        """Try statements each alone: of several nobody knows at which one `error` was raised."""
        for number in numbers:
            if error is None or len(numbers) == 1:
                yield number, self._refusal(statements[number])
            else:
                yield from self.tried({number: statements[number]}, covers)

    def _refusal(self, sql: str) -> Outcome:
        """Return why a statement is not taken."""
        try:
            analysis_of(sql, self.catalog, project())
        except AdvisorError as error:
            return refusal(error)
        except Exception as error:  # noqa: BLE001 - whatever is raised is an outcome
            return Outcome(kind=Kind.CRASHED, said=raised(error))
        return Outcome(kind=Kind.CRASHED, said="refused beside others alone")

    def along(
        self, analysis: Analysis, ways: Sequence[Routed], expected: Answer
    ) -> Iterator[Outcome]:
        """Answer an analysed statement in each of some ways, and yield how each ended."""
        compiler, query = self._compiler(analysis), analysis.workload.query(NAME)
        with closing(Oracle(self.catalog, "duckdb")) as oracle:
            for way in ways:
                found = self._once(compiler, query, way, expected, oracle)
                yield replace(found, how=way.told())

    def _compiler(self, analysis: Analysis) -> Compiler:
        job = Job(
            workload=analysis.workload,
            catalog=analysis.catalog,
            connections=self.connections,
            query_timeout_s=TIMEOUT_S,
        )
        return Compiler(analysis.workload, analysis.catalog, dialects(job))

    def _ways(self, problem: PlacementProblem, seed: int, covers: int) -> list[Routed]:
        """Return the statement whole in a store, the cost model's routing, and random covers.

        They take turns, so that one way of each statement is now of this kind, now of that.
        """
        name = problem.queries[0].name
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
                routing = route(problem, placement)[name]
                found.append(Routed(placement=placement, routing=routing))
            else:
                found.append(random_one(problem, placement, seed * 100 + number))
        return [
            replace(way, combine=COMBINE[(seed // 4 + number) % 2])
            for number, way in enumerate(found)
        ]

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

    def _once(
        self, compiler: Compiler, query: Query, way: Routed, expected: Answer, oracle: Oracle
    ) -> Outcome:
        try:
            given = self.federations[way.combine].run(compiler.compile(query.name, way.routing))
        except (QueryFailedError, AdvisorError) as error:
            # A sum overflows, or not, by the order of its rows: in DuckDB too.
            determined = is_determined(self.database, query.sql, expected)
            kind = Kind.FAILED if determined else Kind.UNDETERMINED
            return Outcome(kind=kind, said=reason(error))
        except Exception as error:  # noqa: BLE001 - whatever is raised is an outcome
            return Outcome(kind=Kind.CRASHED, said=raised(error))
        found = self._verdict(oracle, query, given, expected)
        return replace(found, second_try=given.second_try or given.by_spark)

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
def federations_of(
    spark: "SparkSession", connections: Mapping[str, Connection]
) -> Iterator[Mapping[Combine, Federation]]:
    """Open two for the length of the block: DuckDB combines for one, Spark for the other."""
    with ExitStack() as opened:
        yield {
            combine: opened.enter_context(
                Federation(spark, connections, timeout_s=TIMEOUT_S, combine=combine)
            )
            for combine in COMBINE
        }


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
        with federations_of(spark, connections) as federations:
            yield OnStores(
                database=database,
                catalog=catalog,
                connection=database.connect(),
                of=project(skip_invalid=True),
                connections=connections,
                federations=federations,
                held={name: tuple(found) for name, found in held.items()},
                unloaded=tuple(unloaded),
            )
    finally:
        for connection in connections.values():
            for table in catalog.tables:
                BACKENDS[connection.kind].drop(connection, table)
