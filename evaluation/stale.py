"""Live tables that changed while they were measured: what was read there is stale, not wrong."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from evaluation.kinds import KINDS
from evaluation.measuring.live_measurement import LiveTable
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    QueryMeasurement,
    QueryOutcome,
    left_out_alike,
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
        name: [each for each in job.catalog.tables_of(name).values() if each.parquet is not None]
        for name in job.connections
    }
    asked = {name: tables for name, tables in stores.items() if tables}
    if not asked:
        return ()
    with progress.task("Asking whether live tables changed"):
        for name, tables in asked.items():
            found += _asked(job.connections[name], tables)
    return tuple(found)


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
        )


def with_stale(
    candidates: Sequence[CandidateMeasurement], live: Sequence[LiveTable]
) -> tuple[CandidateMeasurement, ...]:
    """Return the measurements in which nothing is wrong that was read from a table that changed.

    A query that a plan answers from copies alone is judged by the rows that these were loaded with.
    """
    suspect = {(each.table, each.store): each for each in live if each.is_changed is not False}
    return left_out_alike(
        [
            replace(
                candidate,
                queries=tuple(_judged(candidate, query, suspect) for query in candidate.queries),
            )
            for candidate in candidates
        ]
    )


def _judged(
    candidate: CandidateMeasurement,
    query: QueryMeasurement,
    suspect: Mapping[tuple[str, str], LiveTable],
) -> QueryMeasurement:
    if query.outcome is not QueryOutcome.WRONG:
        return query
    read = [
        suspect[table, each.store]
        for each in candidate.plan.routing.get(query.query, ())
        for table in sorted(each.fragment.tables)
        if (table, each.store) in suspect
    ]
    if not read:
        return query
    first = read[0]
    changed = (
        "has changed" if first.is_changed else "may have changed, which its store does not say"
    )
    return replace(
        query,
        outcome=QueryOutcome.STALE,
        message=f"table '{first.table}' in '{first.store}' {changed} since {first.as_of}, when the "
        f"rows were read that answers are compared with ({query.message})",
    )
