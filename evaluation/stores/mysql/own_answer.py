"""Statements as their users write them, run by PyMySQL in sessions that write nothing."""

from collections.abc import Sequence
from time import perf_counter

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.own_answer import OwnAnswer
from evaluation.stores.mysql.passed_through import odd_days, with_own_names, with_texts
from evaluation.stores.mysql.servers import reading_settings, time_limit
from evaluation.stores.mysql.sessions import session

_READ_ONLY = "SET SESSION TRANSACTION READ ONLY"


def own_answer(connection: Connection, sql: str, *, timeout_s: float) -> OwnAnswer:
    """Run `sql` once; days that no calendar has are text.

    Raises:
        StoreError: It fails, or takes longer.
    """
    with session(connection, "its own answer cannot be had") as execute:
        execute(reading_settings(timeout_s))
        execute(_READ_ONLY)
        rows = execute(sql)
        sent = with_own_names(sql, execute.names())
        odd = odd_days(rows, execute.days())
        if odd:
            sent = with_texts(sql, len(execute.names()), odd)
            rows = execute(sent)
        return OwnAnswer(sql=sent, types={}, rows=rows)


def own_seconds(
    connection: Connection, sql: str, *, rounds: int, timeout_s: float
) -> Sequence[float]:
    """Run `sql` so often, in the server's own SQL mode; StoreError as `own_answer`."""
    seconds = []
    work = "it cannot be run as it is written"
    with session(connection, work, servers_mode=True) as execute:
        execute(time_limit(timeout_s))
        execute(_READ_ONLY)
        for _ in range(rounds):
            started = perf_counter()
            execute(sql)
            seconds.append(perf_counter() - started)
    return seconds
