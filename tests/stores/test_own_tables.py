"""Stores' own tables: read where they are, as they were at one moment."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from evaluation.kinds import BACKENDS
from evaluation.load import load
from evaluation.own_rows import OwnStore, with_own_rows
from evaluation.store_protocol.connection import Connection
from placement.plan import Outcome, PlacementPlan
from tests.stores.live_servers import postgres
from tests.stores.own_shop import POSTGRESQL, SILENT, Shop, rows_of
from workloads.errors import StoreError

pytestmark = pytest.mark.stores


ROW_OF_POSTGRESQL = (
    *(1, -1, 2**63 - 1, 0.10000000149011612, 0.1, Decimal("1234567890.12"), 1.5, 'a,b"c\nd', "ab"),
    *(True, date(1500, 2, 3), datetime(2024, 1, 2, 3, 4, 5, 678901)),  # noqa: DTZ001
    *(datetime(2024, 1, 2, 1, 4, 5, tzinfo=UTC), "12:34:56.500000", "1 day 02:00:00"),
    *("00000000-0000-0000-0000-000000000001", '{"a": 1}', "{1,2}", "ok", b"\xff", 1),
)

ROW_OF_MYSQL = (
    *(1, 1, -5, Decimal(2**64 - 1), 0.10000000149011612, 0.1, Decimal("1234567890.12"), 1.5),
    *('a,b"c\nd\\', "Ü", "ü", "B", date(1500, 2, 3)),
    datetime(2024, 1, 2, 3, 4, 5, 678901),  # noqa: DTZ001
    datetime(2024, 1, 2, 3, 4, 5, 500000),  # noqa: DTZ001
    *("-12:34:56.500000", 2024, Decimal(257), '{"a": 1}', b"\xff", 1),
)


def test_every_value_is_read_as_copies_have_it(own_shop: Shop):
    found = own_shop.read()
    every = found.table("Every type")
    expected = ROW_OF_POSTGRESQL if own_shop.connection.kind == "postgresql" else ROW_OF_MYSQL
    first, second = rows_of(every)
    assert first == expected
    assert [each.name for each in every.columns][-1] in ('Odd "name', "odd`name")
    # What is empty is no NULL.
    assert "" in second
    assert second.count(None) == len(second) - (
        4 if own_shop.connection.kind == "postgresql" else 2
    )
    assert rows_of(found.table("nothing")) == []
    assert len(rows_of(found.table("part"))) == found.table("part").rows == 1000
    if own_shop.connection.kind == "postgresql":
        assert rows_of(found.table("one")) == [(None,), ("",), ("\\N",), ("\\.",)]


def test_tables_are_read_as_they_were_at_one_moment(own_shop: Shop):
    assert own_shop.own is not None
    catalog = own_shop.catalog()
    part = catalog.table("part")
    with own_shop.own.at_one_moment(own_shop.connection) as reader:
        before = reader.mark(part)
        own_shop.write("DELETE FROM own.part WHERE a < 500")
        assert sum(batch.num_rows for batch in reader.batches(part)) == 1000
        assert reader.mark(part) == before
        assert reader.mark(part, before) == before
    with own_shop.own.at_one_moment(own_shop.connection) as reader:
        assert reader.mark(part, before) != before


def test_what_was_kept_counts_in_what_may_be_read(own_shop: Shop):
    own_shop.read("part")
    with pytest.raises(StoreError, match="more than the"):
        own_shop.read("part", most_bytes=1000)


def test_equal_contents_have_one_fingerprint_and_are_not_loaded_again(
    embedded: Mapping[str, Connection], own_shop: Shop
):
    duck = replace(embedded["duck"], namespace="of_own")
    plan = PlacementPlan(
        strategy="s",
        outcome=Outcome.FEASIBLE,
        placement={"part": ("duck",), "nothing": (own_shop.connection.store,)},
        routing={},
        predicted_s=0.0,
        seed=0,
    )
    connections = {"duck": duck, own_shop.connection.store: own_shop.connection}
    first = own_shop.read("part")
    loaded = load(first, (plan,), connections, SILENT)
    assert [each.table for each in loaded.loaded] == ["part"]
    origin = first.table("part").origin
    assert origin is not None
    assert BACKENDS["duckdb"].loaded(duck)["part"].as_of == origin.as_of
    again = load(own_shop.read("part"), (plan,), connections, SILENT)
    assert {each.table for each in again.found} == {"part", "nothing"}
    own_shop.write("UPDATE own.part SET a = 8 WHERE a = 7")
    third = load(own_shop.read("part"), (plan,), connections, SILENT)
    assert [each.table for each in third.loaded] == ["part"]
    BACKENDS["duckdb"].drop(duck, "part")


def test_no_more_is_read_than_is_allowed(own_shop: Shop):
    with pytest.raises(
        StoreError, match=rf"more than the .*raise \[stores.{own_shop.connection.store}]"
    ):
        own_shop.read("part", most_bytes=1000)
    # Statistics that are older than the data do not hide how much there is.
    own_shop.write("CREATE TABLE own.grown (a int)")
    catalog = own_shop.catalog()
    own_shop.write("INSERT INTO own.grown SELECT a FROM own.part")
    store = OwnStore(connection=own_shop.connection, most_bytes=2000)
    with pytest.raises(StoreError, match=r"'grown' is larger than its statistics say.* 2 kB"):
        with_own_rows(
            catalog, ("grown",), {own_shop.connection.store: store}, own_shop._folder, SILENT
        )


def test_values_without_a_place_are_told_together(own_shop: Shop):
    is_postgresql = own_shop.connection.kind == "postgresql"
    type_, column = ("numeric(6, 2)", "DECIMAL(6,2)") if is_postgresql else ("date", "DATE")
    value = "NaN" if is_postgresql else "2024-00-10"
    for name in ("odd", "odder"):
        own_shop.write(f"CREATE TABLE own.{name} (a int, v {type_}, w {type_})")
    catalog = own_shop.catalog()
    own_shop.write(f"INSERT INTO own.odd VALUES (1, NULL, '{value}'), (2, NULL, NULL)", mode="")
    own_shop.write(f"INSERT INTO own.odder VALUES (1, '{value}', '{value}')", mode="")
    store = OwnStore(connection=own_shop.connection, most_bytes=1 << 30)
    told = ", ".join(f"{each} ({column} with {value})" for each in ("odd.w", "odder.v", "odder.w"))
    with pytest.raises(StoreError) as error:
        with_own_rows(
            catalog,
            tuple(catalog.tables),
            {own_shop.connection.store: store},
            own_shop._folder,
            SILENT,
        )
    assert f"no copy can hold values of {told}: change the values" in str(error.value)


def test_infinite_days_and_those_before_our_era_are_read(
    embedded: Mapping[str, Connection], tmp_path: Path
):
    connection = embedded["pg"]
    postgres(
        connection,
        POSTGRESQL,
        "CREATE TABLE own.ends (i int, d date, t timestamp, z timestamptz)",
        "INSERT INTO own.ends VALUES (1, 'infinity', '-infinity', 'infinity'),"
        " (2, '-infinity', 'infinity', '-infinity'), (3, NULL, NULL, NULL),"
        " (4, '0044-03-15 BC', '4713-01-01 12:00:00.000001 BC', '0001-12-31 23:59+00 BC'),"
        " (5, '1582-10-10', '1969-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999+00')",
    )
    shop = Shop(connection, tmp_path)
    try:
        ends = shop.read("ends").table("ends")
        values = "i, CAST(d AS VARCHAR), CAST(t AS VARCHAR), epoch_us(z)"
        with duckdb.connect(":memory:") as judge:
            found = judge.execute(f"SELECT {values} FROM '{ends.parquet}' ORDER BY i").fetchall()
            expected = judge.execute(
                f"SELECT {values} FROM (VALUES"
                " (1, DATE 'infinity', TIMESTAMP '-infinity', TIMESTAMPTZ 'infinity'),"
                " (2, '-infinity', 'infinity', '-infinity'), (3, NULL, NULL, NULL),"
                " (4, '0044-03-15 (BC)', '4713-01-01 (BC) 12:00:00.000001',"
                "  '0001-12-31 (BC) 23:59:00+00'),"
                " (5, '1582-10-10', '1969-12-31 23:59:59.999999',"
                "  '9999-12-31 23:59:59.999999+00')) AS t(i, d, t, z) ORDER BY i"
            ).fetchall()
        assert found == expected
        # Copies go to the stores that have such values.
        assert BACKENDS["duckdb"].holding.lacks(ends) is None
        assert "an infinite day" in str(BACKENDS["mysql"].holding.lacks(ends))
    finally:
        postgres(connection, "DROP SCHEMA own CASCADE")


@pytest.mark.parametrize("own_shop", ["maria", "mysql8"], indirect=True)
def test_columns_with_days_of_no_calendar_are_left_out(own_shop: Shop):
    own_shop.write("CREATE TABLE own.odd (a int, d date, e datetime(6), f timestamp NULL, g date)")
    own_shop.write(
        "INSERT INTO own.odd VALUES (1, '0000-00-00', '2024-00-10', NULL, '2024-02-29'),"
        " (2, '2024-10-10', NULL, '2024-10-01 00:00:00', '2000-12-31')",
        mode="",
    )
    own_shop.write("CREATE TABLE own.all_odd (d date)")
    own_shop.write("INSERT INTO own.all_odd VALUES ('2024-02-31')", mode="ALLOW_INVALID_DATES")
    found = own_shop.read()
    odd = found.table("odd")
    assert [each.name for each in odd.columns] == ["a", "f", "g"]
    assert odd.left_out == {"d": "DATE with 0000-00-00", "e": "TIMESTAMP with 2024-00-10"}
    assert [row[0] for row in rows_of(odd)] == [1, 2]
    assert found.table("all_odd").left_out == {"d": "DATE with 2024-02-31"}
    # No copy can be without columns.
    assert found.table("all_odd").parquet is None


def test_nothing_can_be_written_by_sessions_of_a_live_store(own_shop: Shop):
    backend = BACKENDS[own_shop.connection.kind]
    with pytest.raises(StoreError, match=r"(?i)read.only transaction"):
        backend.prepare(replace(own_shop.connection, namespace="own_copies"))
