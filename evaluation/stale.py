"""Live tables that changed while they were measured: what was read there is stale, not wrong."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from evaluation.kinds import KINDS
from evaluation.measuring.left_out import left_out_alike
from evaluation.measuring.live_measurement import LiveTable
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    ClosedLoop,
    QueryMeasurement,
    QueryOutcome,
)
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Table
from workloads.errors import StoreError
from workloads.progress import Progress


def live_tables(job: Job, progress: Progress) -> tuple[LiveTable, ...]:
    """Return the live tables that were read for the job, each with whether it has changed since."""
    found: list[LiveTable] = []
    stores = {
        name: [each for each in job.catalog.tables_of(name).values() if _was_asked(each)]
        for name in job.connections
    }
    asked = {name: tables for name, tables in stores.items() if tables}
    if not asked:
        return ()
    with progress.task("Asking whether live tables changed"):
        for name, tables in asked.items():
            found += _asked(job.connections[name], tables)
    return tuple(found)


def _was_asked(table: Table) -> bool:
    """Whether its store was asked for its rows, or at least for a mark of them."""
    is_large = table.origin is not None and table.origin.is_too_large
    return table.parquet is not None or is_large


def _asked(connection: Connection, tables: Sequence[Table]) -> Iterable[LiveTable]:
    own = KINDS[connection.kind].own
    try:
        changed = {} if own is None else own.changed(connection, tables)
    except StoreError:
        # What was measured stays, also where the server is gone.
        changed = {}
    for table in tables:
        yield LiveTable(
            table=table.name,
            store=connection.store,
            as_of=table.origin.as_of if table.origin is not None else "",
            is_changed=changed.get(table.name),
            is_read=table.parquet is not None,
        )


def with_stale(
    candidates: Sequence[CandidateMeasurement],
    live: Sequence[LiveTable],
    replaced: Collection[str] = (),
) -> tuple[CandidateMeasurement, ...]:
    """Return the measurements in which nothing is wrong that was read from a table that changed.

    Of the tables that were `replaced` the Parquet is another since it was measured.

    A query that a plan answers from copies alone is judged by the rows that these were loaded with,
    unless it reads a table whose rows were not read: it is compared with what is live then.
    """
    suspect = {(each.table, each.store): each for each in live if each.is_changed is not False}
    return left_out_alike(
        [
            replace(
                candidate,
                queries=tuple(
                    _of_parquet(candidate, _judged(candidate, query, live, suspect), replaced)
                    for query in candidate.queries
                ),
                loops=tuple(
                    _of_loop(loop, _of_parquet(candidate, found, replaced))
                    for loop in candidate.loops
                    for found in [_judged(candidate, _last_query(loop), live, suspect)]
                ),
            )
            for candidate in candidates
        ]
    )


def _last_query(loop: ClosedLoop) -> QueryMeasurement:
    """Return the query that ended a loop, or was answered otherwise in it, as one of a round."""
    return QueryMeasurement(
        query=loop.query, executions=0, outcome=loop.outcome, moved={}, message=loop.message
    )


def _of_loop(loop: ClosedLoop, query: QueryMeasurement) -> ClosedLoop:
    return replace(loop, outcome=query.outcome, message=query.message)


def _of_parquet(
    candidate: CandidateMeasurement, query: QueryMeasurement, replaced: Collection[str]
) -> QueryMeasurement:
    """Return the measurement, stale if it is wrong and its answer is compared with other rows."""
    routed = candidate.plan.routing.get(query.query, ())
    found = sorted({table for each in routed for table in each.fragment.tables} & set(replaced))
    if query.outcome is not QueryOutcome.WRONG or not found:
        return query
    return replace(
        query,
        outcome=QueryOutcome.STALE,
        message=f"the Parquet of table '{found[0]}' was replaced or written to since it was "
        f"measured, and copies and answers are of different rows ({query.message})",
    )


def _judged(
    candidate: CandidateMeasurement,
    query: QueryMeasurement,
    live: Sequence[LiveTable],
    suspect: Mapping[tuple[str, str], LiveTable],
) -> QueryMeasurement:
    if query.outcome is not QueryOutcome.WRONG:
        return query
    routed = candidate.plan.routing.get(query.query, ())
    read = [(table, each.store) for each in routed for table in sorted(each.fragment.tables)]
    if {table for table, _ in read} & {each.table for each in live if not each.is_read}:
        # The placement that there is has answered it too, from all its live tables where they are.
        named = {table for table, _ in read}
        read = [(each.table, each.store) for each in live if each.table in named]
    found = [suspect[each] for each in read if each in suspect]
    if not found:
        return query
    first = found[0]
    changed = (
        "has changed" if first.is_changed else "may have changed, which its store does not say"
    )
    rows = ", when the rows were read that answers are compared with" if first.is_read else ""
    return replace(
        query,
        outcome=QueryOutcome.STALE,
        message=f"table '{first.table}' in '{first.store}' {changed} since {first.as_of}{rows} "
        f"({query.message})",
    )
