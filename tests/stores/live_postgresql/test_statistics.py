"""Statistics of a PostgreSQL's tables: its own, and samples where it has none."""

import time
from dataclasses import replace

import pytest

from evaluation.store_protocol.connection import Connection
from tests.stores.live_postgresql.catalogs import ORDERS, read
from tests.stores.live_servers import days, known, postgres
from workloads.catalog import ColumnStatistics

pytestmark = pytest.mark.stores


def test_what_analyze_found_becomes_statistics(pg: Connection) -> None:
    postgres(pg, *ORDERS, "ANALYZE")
    found = read(pg)
    orders = found.table("orders")
    assert orders.rows == 20_000
    assert {c.name: c.type for c in orders.columns} == {
        "id": "BIGINT", "customer": "INTEGER", "day": "DATE", "total": "DECIMAL(9,2)",
        "state": "VARCHAR", "note": "VARCHAR",
    }  # fmt: skip
    assert known(found, "orders", "id").distinct == 20_000
    assert (known(found, "orders", "id").minimum, known(found, "orders", "id").maximum) == (
        1,
        20_000,
    )
    assert len(known(found, "orders", "id").histogram) == 101
    day = known(found, "orders", "day")
    assert (day.minimum, day.maximum) == (days(2020, 1, 1), days(2021, 5, 14))
    state = known(found, "orders", "state")
    assert state.null_share == pytest.approx(0.1, abs=0.01)
    assert dict(state.common) == {"done": pytest.approx(0.7), "open": pytest.approx(0.2)}
    assert (state.minimum, state.maximum) == (None, None)
    # Four letters nine times of ten.
    assert orders.column("state").width_bytes == pytest.approx(3.6, abs=0.1)
    assert found.table("customer").column("name").width_bytes == 10


def test_a_table_that_was_never_analysed_is_counted_and_sampled(pg: Connection) -> None:
    postgres(pg, *(statement for statement in ORDERS if "ANALYZE" not in statement))
    found = read(pg)
    assert found.table("orders").rows == 20_000
    assert known(found, "orders", "id").distinct == 20_000
    assert known(found, "orders", "day").maximum == days(2021, 5, 14)
    assert known(found, "orders", "state").null_share == pytest.approx(0.1)
    assert found.table("customer").column("name").width_bytes == 10


def test_distinct_values_of_a_large_sampled_table_are_extrapolated(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE TABLE wide AS SELECT g AS key, g % 1000 AS thousand, 'x' AS one"
        " FROM generate_series(1, 300000) g",
    )
    found = read(pg)
    assert found.table("wide").rows == 300_000
    assert known(found, "wide", "key").distinct == pytest.approx(300_000, rel=0.02)
    assert known(found, "wide", "thousand").distinct == pytest.approx(1000, rel=0.02)
    assert known(found, "wide", "one").distinct == 1


def test_empty_tables_and_columns_of_nulls_are_known_as_such(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE TABLE nothing (a int, b text)",
        "CREATE TABLE nulls AS SELECT g AS id, NULL::int AS n, NULL::text AS t"
        " FROM generate_series(1, 50) g",
        "CREATE TABLE bare ()",
        "ANALYZE nulls",
    )
    found = read(pg)
    assert found.table("nothing").rows == 0
    assert known(found, "nothing", "a") == ColumnStatistics(distinct=0, null_share=0.0)
    assert known(found, "nulls", "n") == ColumnStatistics(distinct=0, null_share=1.0)
    assert known(found, "nulls", "t").null_share == 1.0
    assert found.table("bare").columns == ()


def test_types_are_called_as_duckdb_does_and_unknown_ones_are_text(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE TYPE mood AS ENUM ('sad', 'glad')",
        "CREATE DOMAIN price AS numeric(7, 3)",
        "CREATE DOMAIN tax AS price",
        "CREATE TABLE t (a smallint, b real, c double precision, d numeric, e numeric(50, 2),"
        " f varchar(9), g char(3), h bool, i timestamp, j timestamptz, k time, l uuid, m bytea,"
        " n json, o jsonb, p int[], q mood, r tax, s interval, u inet, v numeric(5, -2))",
        "INSERT INTO t (a, n, p, q, i, j, m) VALUES (1, '{\"x\": 1}', '{1,2}', 'glad',"
        " 'infinity', '2024-01-02 03:00+02', '\\x00ff')",
        "INSERT INTO t (a, p, i, j) VALUES (2, '{3}', '4713-01-01 BC', '2024-01-02 01:00Z')",
    )
    for _ in range(2):
        found = read(pg)
        assert [c.type for c in found.table("t").columns] == [
            "SMALLINT", "FLOAT", "DOUBLE", "DOUBLE", "DOUBLE", "VARCHAR", "VARCHAR", "BOOLEAN",
            "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIME", "UUID", "BLOB", "VARCHAR", "VARCHAR",
            "VARCHAR", "VARCHAR", "DECIMAL(7,3)", "INTERVAL", "VARCHAR", "DOUBLE",
        ]  # fmt: skip
        assert known(found, "t", "i").minimum is None
        moment = days(2024, 1, 2) + 1 / 24
        assert known(found, "t", "j").minimum == pytest.approx(moment)
        assert known(found, "t", "n").null_share == 0.5
        postgres(pg, "ANALYZE")


def test_rows_follow_the_size_of_a_table_that_has_grown(pg: Connection) -> None:
    postgres(
        pg,
        "CREATE TABLE grown (a int) WITH (autovacuum_enabled = false)",
        "INSERT INTO grown SELECT generate_series(1, 10000)",
        "ANALYZE grown",
    )
    before = read(pg).table("grown")
    postgres(pg, "INSERT INTO grown SELECT generate_series(1, 30000)")
    after = read(pg).table("grown")
    assert before.rows == 10_000
    assert after.rows == pytest.approx(40_000, rel=0.02)
    assert after.fingerprint != before.fingerprint
    assert read(pg).table("grown").fingerprint == after.fingerprint


def test_a_table_that_may_not_be_read_is_there_without_statistics(pg: Connection) -> None:
    postgres(
        pg,
        *ORDERS,
        "ANALYZE orders",
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN PASSWORD 'reads'",
        "CREATE TABLE other (a int)",
        "INSERT INTO other SELECT generate_series(1, 3)",
        "GRANT SELECT ON other TO reader",
    )
    try:
        reader = replace(pg, user="reader", password="reads")
        found = read(reader)
        assert found.table("orders").rows == 20_000
        assert all(column.statistics is None for column in found.table("orders").columns)
        assert found.table("customer").rows == pytest.approx(100, rel=0.9)
        assert known(found, "other", "a").distinct == 3
        postgres(pg, "REVOKE SELECT ON pg_catalog.pg_stats FROM public", "ANALYZE other")
        again = read(reader)
        assert again.table("orders").rows == 20_000
        assert again.table("other").rows == 3
    finally:
        postgres(
            pg, "GRANT SELECT ON pg_catalog.pg_stats TO public", "DROP OWNED BY reader",
            "DROP ROLE reader",
        )  # fmt: skip


def test_two_hundred_tables_are_read_in_seconds(pg: Connection) -> None:
    columns = ", ".join(f"c{index} int" for index in range(12))
    postgres(pg, *(f"CREATE TABLE t{number} ({columns}, s text)" for number in range(200)))
    fill = ", ".join("g" for _ in range(12))
    postgres(
        pg,
        *(
            f"INSERT INTO t{number} SELECT {fill}, 'text' FROM generate_series(1, 100) g"
            for number in range(200)
        ),
    )
    # In seconds of a core, and generously: a core that others share is several times slower.
    started = time.process_time()
    sampled = read(pg)
    sampled_s = time.process_time() - started
    postgres(pg, "ANALYZE")
    started = time.process_time()
    analysed = read(pg)
    analysed_s = time.process_time() - started
    assert len(sampled.tables) == len(analysed.tables) == 200
    assert known(sampled, "t199", "c3").distinct == known(analysed, "t199", "c3").distinct == 100
    assert analysed_s < 10
    assert sampled_s < 60
