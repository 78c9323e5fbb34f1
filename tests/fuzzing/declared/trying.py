"""Stage 4: statements of a declared dialect, judged by its own server."""

import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
from sqlglot import exp, parse_one

from advisor.project.project import Project
from evaluation.store_protocol.connection import Connection
from tests.fuzzing.asked import is_determined, limited, ordered_by
from tests.fuzzing.campaigns import Tried
from tests.fuzzing.comparing import Answer
from tests.fuzzing.declared.alike import difference
from tests.fuzzing.declared.dialect import Dialect
from tests.fuzzing.declared.mysql import MYSQL
from tests.fuzzing.declared.postgresql import POSTGRESQL
from tests.fuzzing.declared.servers import Ask, asking
from tests.fuzzing.declared.statements import Statements
from tests.fuzzing.outcomes import Kind, Outcome, raised, reason, refusal
from tests.fuzzing.placements import analysis_of, project
from tests.fuzzing.schemas import Database, draw_database
from workloads.catalog import Catalog
from workloads.errors import AdvisorError
from workloads.sql.translate import meant

DIALECTS = (POSTGRESQL, MYSQL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A database in a dialect's server and in DuckDB."""

    dialect: Dialect
    database: Database
    catalog: Catalog
    connection: duckdb.DuckDBPyConnection
    ask: Ask
    of: Project

    def tried(self, sql: str) -> Outcome:
        """Ask the server, then DuckDB for what `sql` means there."""
        asked = self.ask(sql)
        if asked is None:
            return Outcome(kind=Kind.NOT_ASKED)
        said = self._said(sql)
        if isinstance(said, Outcome):
            return said
        try:
            with limited(self.connection):
                found = self.connection.execute(said).fetchall()
        except (duckdb.Error, ValueError, OverflowError) as error:
            return Outcome(kind=self._failure(error), said=reason(error), how=said)
        expected = Answer(rows=asked.rows, ordered_by=ordered_by(sql, self.dialect.name))
        wrong = difference(expected, found, sql=sql, reals=asked.reals)
        if wrong is None:
            return Outcome(kind=Kind.RIGHT)
        determined = (
            not _orders_by_constants(sql, self.dialect.name)
            and is_determined(self.database, said, Answer(rows=found))
            and self._fixed(sql, expected)
        )
        kind = Kind.WRONG if determined else Kind.UNDETERMINED
        return Outcome(kind=kind, said=wrong, how=said)

    def _said(self, sql: str) -> str | Outcome:
        """Return what a statement means in DuckDB's SQL, or how it ended before."""
        try:
            analysis = analysis_of(sql, self.catalog, self.of, self.dialect.name)
            if analysis.passed_through:
                # DuckDB has no answer to compare the server's with.
                return Outcome(kind=Kind.REFUSED, said=analysis.passed_through[0].reason)
            return meant(analysis.workload.queries[0], self.catalog, self.dialect.name)
        except AdvisorError as error:
            return refusal(error)
        except Exception as error:  # noqa: BLE001 - whatever is raised is an outcome
            return Outcome(kind=Kind.CRASHED, said=raised(error))

    def _fixed(self, sql: str, expected: Answer) -> bool:
        """Tell whether the server answers the same when it groups without a temporary table.

        That has a column of so many places for a sum, to which each summand is rounded.
        """
        if self.dialect.name != "mysql":
            return True
        sorted_ = self.ask(sql.replace("SELECT ", "SELECT SQL_BIG_RESULT "))
        return sorted_ is None or difference(expected, sorted_.rows, sql=sql) is None

    def _failure(self, error: Exception) -> Kind:
        """Return FAILED; ORDER for a value that PostgreSQL, of the same ranges, did not reach."""
        is_beyond = isinstance(error, duckdb.OutOfRangeException)
        return Kind.ORDER if is_beyond and self.dialect.name == "postgres" else Kind.FAILED


def _orders_by_constants(sql: str, dialect: str) -> bool:
    """Whether an aggregate takes its rows in an order that no column decides: it has any."""
    tree = parse_one(sql, dialect=dialect)
    orders = (each for each in tree.find_all(exp.Order) if each.find_ancestor(exp.AggFunc))
    return any(not any(key.find(exp.Column) for key in each.expressions) for each in orders)


@contextmanager
def declared(
    dialect: Dialect, database: Database, stores: Mapping[str, Connection], folder: Path
) -> Iterator[Declared]:
    """Load a database into a dialect's server for the length of the block."""
    held = dialect.held(database)
    catalog = held.catalog(folder)
    with (
        asking(stores[dialect.store], catalog, "declared") as ask,
        held.connect() as connection,
    ):
        yield Declared(
            dialect=dialect,
            database=held,
            catalog=catalog,
            connection=connection,
            ask=ask,
            of=project(),
        )


def declared_statement(dialect: Dialect, seed: int, number: int, database: Database) -> str:
    """Return the statement of a number over the database of a seed, in the dialect."""
    choose = random.Random(f"{dialect.name} {seed} {number}")
    return Statements(choose, dialect, database).statement()


def tried_declared(
    seeds: Iterable[int], statements: int, folder: Path, stores: Mapping[str, Connection]
) -> Iterator[Tried]:
    """Try so many statements of each dialect over the database of each seed."""
    for seed in seeds:
        for dialect in DIALECTS:
            place = folder / f"{seed} {dialect.name}" / "data"
            with declared(dialect, draw_database(seed), stores, place) as here:
                for number in range(statements):
                    sql = declared_statement(dialect, seed, number, here.database)
                    yield Tried(seed=seed, number=number, sql=sql, outcome=here.tried(sql))
