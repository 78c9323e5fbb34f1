"""Stores of a run as the engine reads them, and the names by which their errors are known."""

from collections.abc import Mapping
from functools import partial

from evaluation.kinds import JDBC, SCANNED, SQL_KINDS
from evaluation.running.bounded_frames import vendor
from evaluation.running.jdbc_options import mark_of
from evaluation.running.relations import JdbcSource, ScannedSource, Source, no_memory
from evaluation.store_protocol.connection import Connection


def source_of(
    connection: Connection,
    options: Mapping[str, str],
    views: dict[int, str],
    *,
    run: str,
    timeout_s: float,
    fetch_size: int,
) -> Source:
    """Return how the engine reads a store: by JDBC with Spark's `options`, or by a scan.

    `views` takes the numbers of scanned tables with the views that read them.
    """
    if connection.kind in JDBC:
        memory = SQL_KINDS[connection.kind].memory
        return JdbcSource(
            options=options,
            carried=JDBC[connection.kind].carried,
            mark=mark_of(connection, run),
            few_rows=JDBC[connection.kind].few_rows,
            transfer_options=JDBC[connection.kind].transfer_options,
            more_memory=no_memory if memory is None else memory.options,
        )
    return ScannedSource(
        namespace=connection.namespace,
        scan=partial(
            SCANNED[connection.kind].scan, connection, timeout_s=timeout_s, fetch_size=fetch_size
        ),
        views=views,
        keeps_filters=SCANNED[connection.kind].keeps_filters,
    )


def origin_of(connection: Connection, options: Mapping[str, str]) -> str:
    """Return how the classes are called whose exceptions tell of a store."""
    if connection.kind in JDBC:
        return vendor(options["driver"])
    return SCANNED[connection.kind].origin
