"""Queries as they are run today: those that one live server answers alone, sent there directly."""

from collections.abc import Iterator, Sequence

from evaluation.kinds import JDBC
from evaluation.measuring.live_measurement import DirectMeasurement
from evaluation.running.job import Job
from evaluation.store_protocol.own_answer import AnswersItself
from placement.plan import PlacementPlan
from workloads.errors import AdvisorError
from workloads.progress import Progress
from workloads.sql.parsing.as_checked import NO_VALUES, has_parameters
from workloads.sql.passing_through import text_over
from workloads.workload import Query


def run_directly(
    job: Job, plans: Sequence[PlacementPlan], progress: Progress
) -> tuple[DirectMeasurement, ...]:
    """Run each query whose tables one live store has, and whose SQL is that store's own.

    It is sent as it is written, by the store's own driver: one warm-up, then `job.repeats` rounds.
    One that fails or is late has no seconds.
    """
    found = [
        (query, store) for query in job.workload.queries for store in _alone(job, plans, query)
    ]
    if not found:
        return ()
    with progress.task("Running queries directly", len(found)) as task:
        measured = []
        for query, store in found:
            measured.append(_measured(job, query, store))
            task.advance()
    return tuple(measured)


def _alone(job: Job, plans: Sequence[PlacementPlan], query: Query) -> Iterator[str]:
    """Yield the live store that has all tables of a query and its SQL, if there is one."""
    tables = {
        table
        for plan in plans
        for routed in plan.routing.get(query.name, ())
        for table in routed.fragment.tables
    }
    origins = {job.catalog.table(table).origin for table in tables}
    stores = {None if origin is None else origin.store for origin in origins}
    if len(stores) != 1 or (store := stores.pop()) is None or store not in job.connections:
        return
    backend = JDBC[job.connections[store].kind]
    spoken = query.dialect or job.workload.dialect
    if backend.dialect == spoken and isinstance(backend, AnswersItself):
        yield store


def _measured(job: Job, query: Query, store: str) -> DirectMeasurement:
    connection = job.connections[store]
    backend = JDBC[connection.kind]
    dialect = backend.dialect
    seconds: tuple[float, ...] = ()
    message = ""
    try:
        if has_parameters(query, dialect):
            message = NO_VALUES
        elif isinstance(backend, AnswersItself):
            names = {
                name: backend.as_users_have_it(connection, table)
                for name, table in job.catalog.tables_of(store).items()
            }
            _, *seconds_each = backend.own_seconds(
                connection,
                text_over(query, dialect, job.catalog, names),
                rounds=1 + job.repeats,
                timeout_s=job.query_timeout_s,
            )
            seconds = tuple(seconds_each)
    except AdvisorError as error:
        message = str(error)
    return DirectMeasurement(
        query=query.name,
        executions=query.executions,
        store=store,
        seconds=seconds,
        message=message,
    )
