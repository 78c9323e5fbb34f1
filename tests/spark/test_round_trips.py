"""The round trips that are priced are those that are made, driver by driver."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evaluation.federation.compiled import CompiledQuery
from evaluation.federation.portions import Ranged
from evaluation.kinds import BACKENDS
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from placement.fetching import FEW_BYTES
from placement.fragment import Fragment
from placement.fragment_work import work
from placement.transfer.link import TransferSettings
from tests.spark.runtime_queries import compiled
from tests.stores.counting_proxy import counting_proxy

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

ROWS, FETCH_SIZE, PORTIONS = 100_000, 7_000, 2
REPEATS = 3
SERIES = {
    "pg": f"SELECT x AS n FROM generate_series(1, {ROWS}) AS s(x)",
    "maria": f"SELECT seq AS n FROM seq_1_to_{ROWS}",
}
# Predicted to be too large to come at once.
WIDTH = 2 * FEW_BYTES / ROWS


@pytest.fixture(autouse=True)
def _own_logins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no connection be lent again.

    A statement that begins late would take that of one that is over, and on a busy machine more of
    them do: logins and resets have to be as many each time.
    """
    monkeypatch.setattr("evaluation.running.jdbc_options.shared_by", lambda _: {})


@pytest.mark.parametrize("store", ["pg", "maria"])
def test_what_is_priced_as_waiting_for_portions_waits_so_often(
    spark: "SparkSession", embedded: Mapping[str, Connection], store: str
):
    """PostgreSQL's driver asks for each portion, MariaDB's has them streamed."""
    query, at_once = predicted(store, WIDTH), predicted(store, 1.0)
    in_one = trips(spark, embedded[store], query, fetch_size=ROWS + 1)
    assert trips(spark, embedded[store], query) - in_one == int(priced(embedded[store], query))
    assert trips(spark, embedded[store], at_once) <= in_one
    assert priced(embedded[store], at_once) == 0


def test_portions_that_are_read_at_the_same_time_wait_as_often_together(
    spark: "SparkSession", embedded: Mapping[str, Connection]
):
    """Of each the last portion may be a part of one, so that it is at most one a statement less."""
    query = divided(predicted("pg", WIDTH))
    in_one = trips(spark, embedded["pg"], query, fetch_size=ROWS + 1)
    made = trips(spark, embedded["pg"], query) - in_one
    assert 0 <= priced(embedded["pg"], query) - made <= PORTIONS


def test_a_result_with_settings_of_its_own_waits_as_they_say(
    spark: "SparkSession", embedded: Mapping[str, Connection]
):
    """Even one that is predicted to be small enough to come at once."""
    query = predicted("pg", 1.0)
    made, (few, all_rows) = [], (3_000, ROWS)
    for rows in (few, all_rows):
        transfer = TransferSettings(fetch_rows=rows, message_bytes=16_384)
        (one,) = query.fragments
        fetched = replace(query, fragments=(replace(one, transfer=transfer),))
        waits = asked_of(embedded["pg"], query, transfer)
        made.append((trips(spark, embedded["pg"], fetched), waits))
    (often, waits), (once, none) = made
    assert none == 0
    # The driver learns that there is no further row by asking once more.
    assert often - once == int(waits) - 1


@pytest.mark.parametrize("kind", [kind for kind in BACKENDS if kind != "postgresql"])
def test_no_other_driver_is_priced_as_waiting(kind: str):
    (fragment,) = predicted("maria", WIDTH).fragments
    strength = BACKENDS[kind].strength.with_round_trip(1.0)
    assert work(fragment.fragment, strength, 1).round_trips(strength, FETCH_SIZE) == 0


def predicted(store: str, row_bytes: float) -> CompiledQuery:
    """A query of many rows, of a width as it is predicted."""
    query = compiled({store: SERIES[store]}, "SELECT sum(n) AS s FROM f0")
    (one,) = query.fragments
    estimates = replace(one.fragment.work, rows_out=float(ROWS), row_bytes_out=row_bytes)
    fragment: Fragment = replace(one.fragment, work=estimates)
    return replace(query, fragments=(replace(one, fragment=fragment),))


def divided(query: CompiledQuery) -> CompiledQuery:
    (one,) = query.fragments
    by = Ranged(column="n", low=1, high=ROWS, rows=PORTIONS * 250_000)
    return replace(query, fragments=(replace(one, ranged=by),))


def priced(connection: Connection, query: CompiledQuery) -> float:
    return asked_of(connection, query, None)


def asked_of(
    connection: Connection, query: CompiledQuery, transfer: TransferSettings | None
) -> float:
    (fragment,) = query.fragments
    strength = BACKENDS[connection.kind].strength
    return work(fragment.fragment, strength, 1).round_trips(strength, FETCH_SIZE, transfer)


def trips(
    spark: "SparkSession",
    connection: Connection,
    query: CompiledQuery,
    fetch_size: int = FETCH_SIZE,
) -> int:
    """The least round trips of one execution, with those of logging in.

    On a busy machine an answer may come between two requests that were sent at once: the least of
    several executions is without that.
    """
    BACKENDS[connection.kind].prepare(connection)
    assert connection.port is not None
    counts = []
    for _ in range(REPEATS):
        with counting_proxy(connection.port) as counted:
            behind = replace(connection, port=counted.port)
            with Federation(
                spark, {connection.store: behind}, timeout_s=60, fetch_size=fetch_size
            ) as federation:
                done = federation.run(query)
        assert done.rows[0][0] == ROWS * (ROWS + 1) // 2
        counts.append(counted.count)
    return min(counts)
