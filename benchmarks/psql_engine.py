"""PostgreSQL alone as a client of its own sees it: our whole-query SQL through libpq."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import psycopg

from benchmarks.logins import postgresql_login
from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.federation.row_order import HIDDEN
from evaluation.judging.answer import AnswerColumn
from evaluation.judging.types import TypeRule
from evaluation.kinds import JDBC
from evaluation.measuring.measurement import Moved
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.executed import Execution
from evaluation.running.failover import SecondTry
from evaluation.running.job import Job
from placement.plan import PlacementPlan
from placement.stores import Capability
from workloads.errors import SqlError

_TYPES = {
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "numeric": "DECIMAL",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "text": "VARCHAR",
    "bpchar": "VARCHAR",
    "bool": "BOOLEAN",
    "bytea": "BLOB",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
}
"""PostgreSQL's name of a type → DuckDB's; the others have one name in both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One query as a statement of PostgreSQL; all rows are taken at once, as psql does.

    Outputs that rows are ordered by and that the query has not, behind its own, are left out.
    """

    sql: str
    store: str
    session: "psycopg.Connection[tuple[Any, ...]]"

    def run(self, *, counted: bool = True) -> Execution:  # noqa: ARG002
        started = perf_counter()
        try:
            cursor = self.session.execute(self.sql.encode())
            rows = cursor.fetchall()
        except psycopg.errors.QueryCanceled as error:
            raise QueryFailedError(str(error), timeout=True) from error
        except psycopg.Error as error:
            raise QueryFailedError(str(error), timeout=False) from error
        seconds = perf_counter() - started
        columns = [each for each in cursor.description or () if not each.name.startswith(HIDDEN)]
        return Execution(
            columns=tuple(map(_column, columns)),
            rows=[row[: len(columns)] for row in rows],
            seconds=seconds,
            moved={self.store: Moved(rows=len(rows), bytes=0)},
        )

    def again(self, error: QueryFailedError) -> SecondTry | None:  # noqa: ARG002
        return None


def _column(found: psycopg.Column) -> AnswerColumn:
    known = psycopg.adapters.types.get(found.type_code)
    name = _TYPES.get(known.name, known.name.upper()) if known else "UNKNOWN"
    if name == "DECIMAL" and found.precision is not None:
        name = f"DECIMAL({found.precision},{found.scale})"
    return AnswerColumn(name=found.name, type=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Psql:
    """A session; `whole` routes to PostgreSQL as one fragment what it can run so."""

    types: ClassVar[TypeRule] = TypeRule.FAMILY

    compiler: Compiler
    whole: PlacementPlan
    session: "psycopg.Connection[tuple[Any, ...]]"

    def prepare(self, query: str, plan: PlacementPlan) -> Statement:  # noqa: ARG002
        routing = self.whole.routing[query]
        if len(routing) != 1 or routing[0].fragment.kind is not Capability.QUERY:
            raise SqlError("PostgreSQL is not sent it as one statement", origin=query)
        sql = self.compiler.fragment_sql(query, routing[0])
        return Statement(sql=sql, store=routing[0].store, session=self.session)


@contextmanager
def open_psql(job: Job, store: str, whole: PlacementPlan) -> Iterator[Psql]:
    """Log in with the settings that our own sessions have."""
    connection = job.connections[store]
    options = JDBC[connection.kind].jdbc(
        connection, timeout_s=job.query_timeout_s, fetch_size=job.fetch_size
    )
    login = postgresql_login(connection)
    with psycopg.connect(**login, options=options["options"]) as session:
        session.execute(f"SET search_path = {options['currentSchema']}".encode())
        compiler = Compiler(job.workload, job.catalog, dialects(job))
        yield Psql(compiler=compiler, whole=whole, session=session)
