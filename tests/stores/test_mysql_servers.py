"""A server of the user's is what it says, whatever the project file calls it."""

import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from advisor.problem.rates import strength_of
from advisor.project.store_settings import StoreSettings
from evaluation.kinds import BACKENDS, KINDS
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql.backend import MySQL
from evaluation.stores.mysql.servers import MARIADB, MYSQL, asked_server
from tests.stores.each_store import answer, named
from tests.stores.parquet_tables import UNPLEASANT_TEXT, write
from tests.stores.test_embedded_servers import execute, maria
from workloads.duck import literal
from workloads.errors import StoreError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.stores

SERVERS = {"mysql": MARIADB, "mysql8": MYSQL}


@pytest.mark.parametrize("name", SERVERS)
def test_a_servers_rates_are_those_of_what_it_says_it_is(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    connection = named(request, name)
    monkeypatch.setenv("SHOP_PASSWORD", str(connection.password))
    settings = StoreSettings(
        name="shop",
        kind="mysql",
        host=connection.host,
        port=connection.port,
        user=connection.user,
        password_env="SHOP_PASSWORD",
    )
    assert strength_of(settings) == SERVERS[name].strength
    assert asked_server(connection) is SERVERS[name]
    trino = {"mysql": "mariadb", "mysql8": "mysql"}
    assert KINDS["mysql"].answering(connection).trino == trino[name]


@pytest.mark.parametrize("name", SERVERS)
def test_reading_sessions_mean_the_same_on_a_server_of_any_mode(
    request: pytest.FixtureRequest, name: str
) -> None:
    connection = named(request, name)
    options = BACKENDS["mysql"].jdbc(connection, timeout_s=7, fetch_size=10)
    limit = {"mysql": "@@max_statement_time", "mysql8": "@@max_execution_time / 1000"}[name]
    with maria(connection) as session:
        execute(session, "SET sql_mode = 'ANSI,ONLY_FULL_GROUP_BY,NO_BACKSLASH_ESCAPES'")
        execute(session, options["initSql"])
        found = execute(session, f"SELECT @@sql_mode, @@collation_connection, {limit}")
    assert found[0][:2] == ("", SERVERS[name].collation)
    assert float(found[0][2]) == 7


@pytest.mark.parametrize("name", SERVERS)
@pytest.mark.parametrize(("given", "taken"), [(262_144, 64 << 20), (128 << 20, 128 << 20)])
def test_reading_sessions_have_memory_for_hash_joins_whatever_the_server_gives(
    request: pytest.FixtureRequest, name: str, given: int, taken: int
) -> None:
    connection = named(request, name)
    options = BACKENDS["mysql"].jdbc(connection, timeout_s=7, fetch_size=10)
    with maria(connection) as session:
        execute(session, f"SET join_buffer_size = {given}")
        if SERVERS[name] is MARIADB:
            execute(session, "SET join_cache_level = 2, join_buffer_space_limit = 2097152")
        execute(session, options["initSql"])
        assert execute(session, "SELECT @@join_buffer_size") == ((taken,),)
        if SERVERS[name] is MARIADB:
            levels = execute(session, "SELECT @@join_cache_level, @@join_buffer_space_limit")
            assert levels == ((8, 4 * taken),)


@pytest.mark.parametrize("name", SERVERS)
def test_a_session_of_a_run_is_marked_limited_and_ended(
    request: pytest.FixtureRequest, name: str
) -> None:
    connection = named(request, name)
    backend = BACKENDS["mysql"]
    with maria(connection) as session:
        execute(session, backend.session_options({}, "0123456789abcdef", silence_s=9)["initSql"])
        assert backend.end_sessions(connection, "another") == 0
        assert backend.end_sessions(connection, "0123456789abcdef") == 1
    # The server lists a session until its thread has seen that it is to end.
    ends = time.monotonic() + 5
    while backend.end_sessions(connection, "0123456789abcdef"):
        assert time.monotonic() < ends


def test_passwords_are_kept_as_mysql_8_keeps_them_by_default(others: Mapping[str, Connection]):
    with maria(others["mysql8"]) as session:
        found = execute(
            session, "SELECT user, host, plugin FROM mysql.user WHERE user NOT LIKE 'm%'"
        )
    assert list(found) == [("advisor", "127.0.0.1", "caching_sha2_password")]


@pytest.mark.parametrize("name", SERVERS)
def test_a_copy_is_searched_by_an_index_that_it_gets_once(
    request: pytest.FixtureRequest, name: str
) -> None:
    connection = replace(named(request, name), namespace="full_text")
    backend = BACKENDS["mysql"]
    assert isinstance(backend, MySQL)
    search = (
        "SELECT a.id, b.id FROM full_text.note a JOIN full_text.note b ON a.id = b.id "
        "WHERE MATCH (a.text) AGAINST ('seven')"
    )
    backend.prepare(connection)
    with maria(connection) as session:
        execute(session, "CREATE TABLE full_text.note (id INT, text VARCHAR(20))")
        execute(session, "INSERT INTO full_text.note VALUES (1, 'seven'), (2, 'other words')")
    try:
        with pytest.raises(StoreError, match="FULLTEXT"):
            backend.own_answer(connection, search, timeout_s=60)
        for _ in range(2):
            backend.index_text(connection, "note", ("text",))
        found = backend.own_answer(connection, search, timeout_s=60)
        assert found.rows == ((1, 1),)
        # What an engine reads as a derived table may not have two columns of one name.
        derived = f"SELECT c1, c2 FROM ({found.sql}) derived"
        assert backend.own_answer(connection, derived, timeout_s=60).rows == found.rows
    finally:
        with maria(connection) as session:
            execute(session, "DROP DATABASE full_text")


@pytest.mark.parametrize("name", ["mysql", "mysql8"])
def test_days_that_no_calendar_has_are_text_on_both_ways(
    spark: "SparkSession", request: pytest.FixtureRequest, name: str
) -> None:
    connection = replace(named(request, name), namespace="odd_days")
    backend = BACKENDS["mysql"]
    assert isinstance(backend, MySQL)
    with maria(connection) as session:
        execute(session, "CREATE DATABASE odd_days")
        execute(session, "SET SESSION sql_mode = 'ALLOW_INVALID_DATES'")
        execute(session, "CREATE TABLE odd_days.born (id INT, day DATE, moment DATETIME)")
        execute(
            session,
            "INSERT INTO odd_days.born VALUES (1, '0000-00-00', '2024-02-03 04:05:06'), "
            "(2, '2024-02-30', NULL), (3, '2024-02-03', '2024-02-03 00:00:00')",
        )
    try:
        sql = "SELECT id, day, moment FROM odd_days.born ORDER BY id"
        found = backend.own_answer(connection, sql, timeout_s=60)
        assert [row[1] for row in found.rows] == ["0000-00-00", "2024-02-30", "2024-02-03"]
        assert found.rows[0][2] == datetime(2024, 2, 3, 4, 5, 6)  # noqa: DTZ001
        read = answer(spark, connection, found.sql).collect()
        assert sorted(row[1] for row in read) == sorted(row[1] for row in found.rows)
    finally:
        with maria(connection) as session:
            execute(session, "DROP DATABASE odd_days")


@pytest.mark.parametrize("name", SERVERS)
def test_copies_are_right_and_rights_are_read_on_a_server_of_another_mode(
    request: pytest.FixtureRequest, tmp_path: Path, name: str
) -> None:
    """There backslashes escape nothing, names are between double quotes, and || is no OR."""
    connection = replace(named(request, name), namespace="other_mode")
    backend = BACKENDS["mysql"]
    rows = [*UNPLEASANT_TEXT, None]
    texts = ", ".join("NULL" if each is None else literal(each) for each in rows)
    query = f"SELECT unnest([{texts}]) AS said, unnest(range({len(rows)})) AS id"
    table = write(tmp_path, "texts", {"said": "VARCHAR", "id": "BIGINT"}, query)
    with maria(connection) as session:
        ((before,),) = execute(session, "SELECT @@global.sql_mode")
        execute(session, "SET GLOBAL sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES'")
        try:
            backend.prepare(connection)
            backend.load(connection, table)
            assert backend.refusals(connection) == ()
        finally:
            execute(session, f"SET GLOBAL sql_mode = '{before}'")
        found = execute(session, "SELECT said FROM other_mode.texts ORDER BY id")
        execute(session, "DROP DATABASE other_mode")
    assert [each for (each,) in found] == rows
