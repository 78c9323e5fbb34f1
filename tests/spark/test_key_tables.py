"""More keys than a statement holds: in each store, read by its sessions, and gone afterwards."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from evaluation.embedded import OTHERS
from evaluation.federation.compiled import CompiledQuery
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.federation.sent_keys import MOST_SENT
from evaluation.kinds import BACKENDS, SQL_KINDS
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.running.restricting import LoadedKeys
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.key_tables import key_lines
from evaluation.store_protocol.register import STAGING
from evaluation.stores.copies import table_name
from tests.spark.runtime_queries import asked, compiled
from tests.stores.parquet_tables import write
from workloads.errors import StoreError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

ROWS = 3 * MOST_SENT
MANY = MOST_SENT + 1
FIRST_DAY = date(1600, 1, 1)
SERVERS = ["pg", "maria", "mysql8"]
FAILING = "SELECT raise_error(CAST(count(*) AS STRING)) AS n FROM f0"


def prepared(request: pytest.FixtureRequest) -> Connection:
    """The store of the parameter's name, with an empty namespace."""
    fixture = "others" if request.param in OTHERS else "embedded"
    stores: Mapping[str, Connection] = request.getfixturevalue(fixture)
    found = replace(stores[request.param], namespace="keys of 'many'")
    BACKENDS[found.kind].prepare(found)
    return found


@pytest.fixture(params=[*SERVERS, "duck"])
def store(request: pytest.FixtureRequest) -> Connection:
    """Each store that runs SQL."""
    return prepared(request)


@pytest.fixture(params=SERVERS)
def server(request: pytest.FixtureRequest) -> Connection:
    """Each store that is a server."""
    return prepared(request)


@pytest.fixture
def filled(store: Connection, tmp_path: Path) -> Iterator[Connection]:
    """A store with rows that have a number, a day, or neither."""
    table = write(
        tmp_path,
        "line",
        {"id": "INTEGER", "number": "BIGINT", "day": "DATE"},
        "SELECT i AS id, CASE WHEN i % 7 > 0 THEN i - 500 END AS number, "
        f"CASE WHEN i % 7 > 0 THEN DATE '{FIRST_DAY}' + i::INTEGER END AS day "
        f"FROM range({ROWS}) AS r(i)",
        key="id",
    )
    BACKENDS[store.kind].load(store, table)
    yield store
    BACKENDS[store.kind].drop(store, "line")


def restricted(store: Connection, column: str, combine_sql: str) -> CompiledQuery:
    """Lines whose `column` is that of every second line, of which there are many."""
    mark = "`" if store.kind == "mysql" else '"'
    name = table_name(store, "line", mark)
    query = compiled({store.store: f"SELECT id, number, day FROM {name}"}, combine_sql)
    source = KeySource(
        view="f1",
        column=column,
        store=store.store,
        sql=f"SELECT DISTINCT {column} FROM {name} WHERE id % 2 = 0",
        is_day=column == "day",
        many=True,
    )
    key = KeyFilter(column=column, quoted=f"{mark}{column}{mark}", source=source)
    (one,) = query.fragments
    fragment = replace(one, columns=("id", "number", "day"), keys=(key,), read_rows=10 * ROWS)
    return replace(query, fragments=(fragment,))


def left(store: Connection) -> list[str]:
    """The tables of keys that are in a server."""
    if store.kind == "duckdb":
        return []
    listing = f"SELECT table_name FROM information_schema.tables WHERE table_name LIKE '{STAGING}%'"
    with asked(store) as execute:
        return [str(row[0]) for row in execute(listing)]


EXPECTED = [each for each in range(0, ROWS, 2) if each % 7 > 0]


@pytest.mark.parametrize("column", ["number", "day"])
def test_many_keys_let_their_rows_through_and_leave_nothing(
    spark: "SparkSession", filled: Connection, column: str
) -> None:
    query = restricted(filled, column, "SELECT count(*) AS n, sum(id) AS total FROM f0")
    with Federation(spark, {filled.store: filled}, timeout_s=120) as federation:
        for _ in range(2):
            done = federation.run(query)
            ((count, total),) = done.rows
            assert (count, total) == (len(EXPECTED), sum(EXPECTED))
            # The rows of the answer, and the keys that were fetched for it, one of them NULL.
            assert done.moved[filled.store].rows == 2 * len(EXPECTED) + 1
            assert left(filled) == []


def test_a_query_that_fails_after_its_keys_are_loaded_leaves_nothing(
    spark: "SparkSession", filled: Connection
) -> None:
    query = restricted(filled, "number", FAILING)
    with Federation(spark, {filled.store: filled}, timeout_s=120) as federation:
        with pytest.raises(QueryFailedError, match=str(len(EXPECTED))):
            federation.run(query)
        assert left(filled) == []


def loading(server: Connection, loaded: LoadedKeys, keys: pa.Array) -> list[StoreError]:
    """Load keys, and return why that failed."""
    source = KeySource(view="f0", column="k", store=server.store)
    try:
        loaded.load(server.store, source, keys)
    except StoreError as error:
        return [error]
    return []


def test_a_load_ends_with_the_sessions_of_its_run(
    server: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Patience with a silent server ends it too, and must not be what ends it here.
    server = replace(server, silence_s=600.0)
    begun, ended = Event(), Event()

    def slowly(keys: pa.Array) -> Iterator[memoryview]:
        first, *rest = key_lines(keys)
        yield first
        begun.set()
        ended.wait(60)
        yield from rest * 50

    kind = SQL_KINDS[server.kind]
    monkeypatch.setattr(f"{type(kind.key_tables).__module__}.key_lines", slowly)
    loaded = LoadedKeys(connections={server.store: server}, run="0123456789abcdef")
    told: list[StoreError] = []
    keys = pa.array(range(4 * MANY))
    load = Thread(target=lambda: told.extend(loading(server, loaded, keys)))
    load.start()
    assert begun.wait(60)
    assert BACKENDS[server.kind].end_sessions(server, "another") == 0
    assert BACKENDS[server.kind].end_sessions(server, loaded.run) > 0
    ended.set()
    load.join(60)
    assert not load.is_alive()
    assert [each.store for each in told] == [server.store]
    loaded.drop()
    assert left(server) == []


def test_what_a_killed_run_leaves_is_dropped_with_staging_tables(server: Connection) -> None:
    loaded = LoadedKeys(connections={server.store: server}, run="0123456789abcdef")
    days = pa.array([FIRST_DAY + timedelta(days=each) for each in range(3)])
    assert loading(server, loaded, days) == []
    assert len(left(server)) == 1
    BACKENDS[server.kind].prepare(server)
    assert left(server) == []
