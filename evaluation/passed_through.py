"""Runs the statements that are passed through, each whole in its store, and checks the answers.

The engine only fetches the rows. What they are compared with is the server's own answer to the
same text, by its own driver: DuckDB has no answer to such a statement.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.judging.answer import Answer, AnswerColumn
from evaluation.judging.comparison import rows_difference
from evaluation.kinds import JDBC
from evaluation.measuring.measurement import PassedThrough, QueryOutcome
from evaluation.running.bounded_frames import BoundedFrames, QueryFailedError, vendor
from evaluation.running.jdbc_options import jdbc_options, mark_of
from evaluation.running.job import HostedStatement, Job
from evaluation.running.relations import JdbcSource
from evaluation.spark.pool import pool_of
from evaluation.store_protocol.own_answer import (
    AnswersItself,
    IndexesText,
    OwnAnswer,
    UnlikeCopyError,
)
from placement.plan import PlacementPlan
from workloads.errors import AdvisorError
from workloads.progress import Progress
from workloads.sql.full_text import full_text_columns
from workloads.sql.passing_through import text_over

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ALIAS = "passed_through"


def run_passed_through(
    spark: "SparkSession", job: Job, plans: Sequence[PlacementPlan], progress: Progress
) -> tuple[PassedThrough, ...]:
    """Run each of the job's passed-through statements: one warm-up, then `job.repeats` rounds.

    One that fails, is late or has other rows than its server's own answer has no seconds, nor has
    one that is not run, as its answer could not be compared.
    """
    if not job.passed_through:
        return ()
    held = {
        (table, store)
        for plan in plans
        for table, stores in plan.placement.items()
        for store in stores
    }
    with progress.task("Running what is passed through", len(job.passed_through)) as task:
        found = []
        for statement in job.passed_through:
            found.append(_measured(spark, job, statement, held))
            task.advance()
    return tuple(found)


def _measured(
    spark: "SparkSession", job: Job, statement: HostedStatement, held: set[tuple[str, str]]
) -> PassedThrough:
    missing = [table for table in statement.tables if (table, statement.store) not in held]
    outcome, message, seconds = QueryOutcome.VERIFIED, "", list[float]()
    try:
        if statement.incomparable:
            message = f"whole in its own server: {statement.incomparable}"
            outcome = QueryOutcome.KEPT
        elif missing:
            message = f"no candidate has a copy of {', '.join(missing)} in '{statement.store}'"
            outcome = QueryOutcome.FAILED
        else:
            for execution_s, wrong in _rounds(spark, job, statement):
                if wrong is not None:
                    outcome, message = wrong
                    break
                seconds.append(execution_s)
    except UnlikeCopyError as error:
        outcome, message = QueryOutcome.KEPT, f"whole in its own server: {error}"
    except QueryFailedError as error:
        outcome = QueryOutcome.TIMEOUT if error.timeout else QueryOutcome.FAILED
        message = str(error)
    except AdvisorError as error:
        outcome, message = QueryOutcome.FAILED, str(error)
    return PassedThrough(
        query=statement.query.name,
        executions=statement.query.executions,
        store=statement.store,
        outcome=outcome,
        seconds=tuple(seconds[1:]) if outcome is QueryOutcome.VERIFIED else (),
        message=message,
    )


def _rounds(
    spark: "SparkSession", job: Job, statement: HostedStatement
) -> Iterator[tuple[float, tuple[QueryOutcome, str] | None]]:
    """Yield the seconds of each round, the warm-up first, and what is wrong with its rows."""
    connection = job.connections[statement.store]
    backend = JDBC[connection.kind]
    if not isinstance(backend, AnswersItself):
        raise QueryFailedError(
            f"Store '{statement.store}' takes no statement as it is written.", timeout=False
        )
    sql = _over_copies(job, statement, backend)
    own = backend.own_answer(connection, sql, timeout_s=job.query_timeout_s)
    run = secrets.token_hex(8)
    options = jdbc_options(
        connection, run=run, timeout_s=job.query_timeout_s, fetch_size=job.fetch_size
    )
    reading = _Reading(
        source=JdbcSource(options=options, carried=backend.carried, mark=mark_of(connection, run)),
        sql=own.sql,
        types=own.types,
    )
    frames = BoundedFrames(
        spark,
        {statement.store: connection},
        run=run,
        origins={statement.store: vendor(options["driver"])},
        timeout_s=job.query_timeout_s,
    )
    with pool_of(spark, run):
        for _ in range(1 + job.repeats):
            done = frames.collect(
                lambda: reading.frame(spark), [statement.store], list(own.types.values())
            )
            wrong = _difference(own, done.answer)
            if wrong is None:
                yield done.seconds, None
                continue
            again = backend.own_answer(connection, sql, timeout_s=job.query_timeout_s)
            yield done.seconds, _judged(own, again, wrong)


def _over_copies(job: Job, statement: HostedStatement, backend: AnswersItself) -> str:
    """Return a statement's text over copies, which get the indexes that it needs.

    Live tables have those of their users.
    """
    connection = job.connections[statement.store]
    tables = {table: job.catalog.tables[table] for table in statement.tables}
    if isinstance(backend, IndexesText) and not connection.read_only:
        for name, columns in sorted(full_text_columns(statement.query, tables, job.catalog)):
            backend.index_text(connection, name, columns)
    copies = {name: backend.as_users_have_it(connection, table) for name, table in tables.items()}
    return text_over(statement.query, statement.dialect, job.catalog, copies)


def _judged(own: OwnAnswer, again: OwnAnswer, wrong: str) -> tuple[QueryOutcome, str]:
    """Tell rows that are wrong from those that the server itself changes from run to run."""
    if sorted(map(repr, again.rows)) == sorted(map(repr, own.rows)):
        return QueryOutcome.WRONG, wrong
    changed = "not determined: its server itself gives other rows the next time"
    return QueryOutcome.UNDETERMINED, changed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A statement as the engine reads it."""

    source: JdbcSource
    sql: str
    types: Mapping[str, str]

    def frame(self, spark: "SparkSession") -> "DataFrame":
        return self.source.relation(spark, self.sql, _ALIAS, {}, self.types)


def _difference(own: OwnAnswer, actual: Answer) -> str | None:
    """Say how rows differ from the server's own, as multisets: equal rows may be in any order."""
    types = list(own.types.values()) or [column.type for column in actual.columns]
    columns = tuple(
        AnswerColumn(name=column.name, type=type_)
        for column, type_ in zip(actual.columns, types, strict=True)
    )
    return rows_difference(Answer(columns=columns, rows=own.rows), actual, None)
