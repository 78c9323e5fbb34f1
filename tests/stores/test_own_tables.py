"""Stores' own tables: read where they are, as they were at one moment, and told to change."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from evaluation.kinds import BACKENDS, KINDS
from evaluation.load import load
from evaluation.own_rows import OwnStore, with_own_rows
from evaluation.store_protocol.connection import Connection
from placement.plan import Outcome, PlacementPlan
from tests.stores.each_store import named
from tests.stores.live_servers import maria, postgres
from tests.stores.test_embedded_servers import postgres as postgres_session
from workloads.catalog import Catalog, Table
from workloads.errors import StoreError
from workloads.progress import Silent

pytestmark = [pytest.mark.stores, pytest.mark.timeout(300)]

SILENT = Silent()
POSTGRESQL = r"""
DROP SCHEMA IF EXISTS own CASCADE; CREATE SCHEMA own;
CREATE TYPE own.mood AS ENUM ('sad', 'ok');
CREATE TABLE own."Every type" (id int PRIMARY KEY, small smallint, big bigint, f real,
  d double precision, n numeric(12, 2), free numeric, t text, c char(6), b boolean, day date,
  ts timestamp, tz timestamptz, tm time, iv interval, u uuid, js jsonb, ar int[], m own.mood,
  by bytea, "Odd ""name" int);
INSERT INTO own."Every type" VALUES
  (1, -1, 9223372036854775807, 0.1, 0.1, 1234567890.12, 1.5, E'a,b"c\nd', 'ab ', true, '1500-02-03',
   '2024-01-02 03:04:05.678901', '2024-01-02 03:04:05+02', '12:34:56.5', '1 day 02:00',
   '00000000-0000-0000-0000-000000000001', '{"a": 1}', '{1,2}', 'ok', '\xff', 1),
  (2, NULL, NULL, 'infinity', 'NaN', NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL, NULL, NULL, NULL);
CREATE TABLE own.nothing (a int, b text);
CREATE TABLE own.one (a text); INSERT INTO own.one VALUES (NULL), (''), (E'\\N'), ('\.');
CREATE TABLE own.part (a int, k int) PARTITION BY RANGE (k);
CREATE TABLE own.part1 PARTITION OF own.part FOR VALUES FROM (0) TO (10);
CREATE TABLE own.part2 PARTITION OF own.part FOR VALUES FROM (10) TO (20);
INSERT INTO own.part SELECT i, i % 20 FROM generate_series(1, 1000) i;
"""
MYSQL = (
    "DROP DATABASE IF EXISTS own",
    "CREATE DATABASE own CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    (
        "CREATE TABLE own.`Every type` (id int unsigned PRIMARY KEY, flag tinyint(1), "
        "tiny tinyint, ub bigint unsigned, f float, d double, n decimal(12, 2), "
        "wide decimal(50, 2), t text, v varchar(20) COLLATE utf8mb4_bin, "
        "l varchar(20) CHARACTER SET latin1, "
        "e enum('a', 'B'), day date, dt datetime(6), ts timestamp(6) NULL, tm time(3), y year, "
        "bi bit(9), js json, bl blob, `odd``name` int)"
    ),
    (
        "INSERT INTO own.`Every type` VALUES (1, 1, -5, 18446744073709551615, 0.1, 0.1, "
        "1234567890.12, 1.5, 'a,b\"c\nd\\\\', 'Ü', 'ü', 'B', '1500-02-03', "
        "'2024-01-02 03:04:05.678901', '2024-01-02 03:04:05.5', '-12:34:56.5', 2024, "
        "b'100000001', '{\"a\": 1}', x'ff', 1), (2" + ", NULL" * 7 + ", ''" + ", NULL" * 12 + ")"
    ),
    "CREATE TABLE own.nothing (a int, b text)",
    "CREATE TABLE own.part (a int, k int)",
    "INSERT INTO own.part VALUES " + ", ".join(f"({i}, {i % 20})" for i in range(1000)),
)
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


class Shop:
    """The tables on one server."""

    def __init__(self, connection: Connection, folder: Path) -> None:
        self.connection = replace(connection, read_only=True, password=connection.password)
        self._writer = connection
        self._folder = folder
        self.own = KINDS[connection.kind].own
        assert self.own is not None

    def write(self, sql: str, mode: str | None = None) -> None:
        """Run a statement; of MySQL with other rules for values, if `mode` names some."""
        if self.connection.kind == "postgresql":
            postgres(self._writer, sql)
        elif mode is None:
            maria(self._writer, sql)
        else:
            maria(self._writer, f"SET SESSION sql_mode = '{mode}'", sql)

    def catalog(self) -> Catalog:
        live = KINDS[self.connection.kind].live
        assert live is not None
        assert self.own is not None
        found = live.catalog(self.connection, SILENT, schemas=("own",))
        return self.own.as_read(self.connection, found, SILENT)

    def read(self, *names: str, most_bytes: int = 1 << 30) -> Catalog:
        catalog = self.catalog()
        store = OwnStore(connection=self.connection, most_bytes=most_bytes)
        asked = names or tuple(catalog.tables)
        stores = {self.connection.store: store}
        return with_own_rows(catalog, asked, stores, self._folder, SILENT)

    def changed(self, catalog: Catalog) -> tuple[str, ...]:
        assert self.own is not None
        tables = [table for table in catalog.tables.values() if table.parquet is not None]
        told = self.own.changed(self.connection, tables)
        return tuple(name for name, is_changed in told.items() if is_changed)


@pytest.fixture(params=["pg", "maria", "mysql8"])
def shop(
    request: pytest.FixtureRequest, embedded: Mapping[str, Connection], tmp_path: Path
) -> Iterator[Shop]:
    name = request.param
    connection = embedded[name] if name in embedded else named(request, name)
    found = Shop(connection, tmp_path / "rows")
    for sql in (POSTGRESQL,) if name == "pg" else MYSQL:
        found.write(sql)
    yield found
    found.write("DROP SCHEMA own CASCADE" if name == "pg" else "DROP DATABASE own")


def rows_of(table: Table) -> list[tuple[object, ...]]:
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.execute(f"FROM '{table.parquet}'").fetchall()


def test_every_value_is_read_as_copies_have_it(shop: Shop):
    found = shop.read()
    every = found.table("Every type")
    expected = ROW_OF_POSTGRESQL if shop.connection.kind == "postgresql" else ROW_OF_MYSQL
    first, second = rows_of(every)
    assert first == expected
    assert [each.name for each in every.columns][-1] in ('Odd "name', "odd`name")
    # What is empty is no NULL.
    assert "" in second
    assert second.count(None) == len(second) - (4 if shop.connection.kind == "postgresql" else 2)
    assert rows_of(found.table("nothing")) == []
    assert len(rows_of(found.table("part"))) == found.table("part").rows == 1000
    if shop.connection.kind == "postgresql":
        assert rows_of(found.table("one")) == [(None,), ("",), ("\\N",), ("\\.",)]


def test_tables_are_read_as_they_were_at_one_moment(shop: Shop):
    assert shop.own is not None
    catalog = shop.catalog()
    part = catalog.table("part")
    with shop.own.at_one_moment(shop.connection) as reader:
        before = reader.mark(part)
        shop.write("DELETE FROM own.part WHERE a < 500")
        assert sum(batch.num_rows for batch in reader.batches(part)) == 1000
        assert reader.mark(part) == before
        assert reader.mark(part, before) == before
    with shop.own.at_one_moment(shop.connection) as reader:
        assert reader.mark(part, before) != before


CHANGES = (
    "INSERT INTO own.part VALUES (1, 1)",
    "DELETE FROM own.part WHERE a = 7",
    "UPDATE own.part SET a = 8 WHERE a = 7",
)


def files(catalog: Catalog) -> dict[str, tuple[Path | None, int]]:
    """The Parquet of each table, with when it was written."""
    return {
        name: (table.parquet, table.parquet.stat().st_mtime_ns)
        for name, table in catalog.tables.items()
        if table.parquet is not None
    }


def test_only_what_has_changed_is_read_again(shop: Shop):
    first = shop.read()
    written = files(first)
    assert files(shop.read()) == written
    more = "ALTER TABLE own.part ADD COLUMN more int DEFAULT 3"
    for sql in (*CHANGES[:2], "UPDATE own.part SET a = 9 WHERE a = 8", more):
        shop.write(sql)
        again = shop.read()
        assert {name for name, file in files(again).items() if file != written[name]} == {"part"}
        assert len(rows_of(again.table("part"))) == again.table("part").rows
        assert len(rows_of(again.table("part"))[0]) == len(again.table("part").columns)
        # Its fingerprint tells the stores that have a copy.
        told = {name: each.fingerprint for name, each in again.tables.items()}
        assert {n for n, each in first.tables.items() if each.fingerprint != told[n]} == {"part"}
        first, written = again, files(again)
        assert files(shop.read()) == written
        assert shop.changed(again) == ()


def test_what_was_kept_counts_in_what_may_be_read(shop: Shop):
    shop.read("part")
    with pytest.raises(StoreError, match="more than the"):
        shop.read("part", most_bytes=1000)


def test_a_change_of_one_value_is_told(shop: Shop):
    is_postgresql = shop.connection.kind == "postgresql"
    table = '"Every type"' if is_postgresql else "`Every type`"
    following = "c" if is_postgresql else "v"
    shop.write(f"UPDATE own.{table} SET t = 'a,bx', {following} = 'y' WHERE id = 1")
    changes = (
        *("t = 'c,bx'", "t = 'a,bx'", "f = 0.5", "d = 0.2", "n = NULL", "day = '1500-02-04'"),
        # What one text ends with is what the next begins with, and nothing else changes.
        f"t = 'a,b', {following} = 'xy'",
    )
    for change in changes:
        found = shop.read("Every type")
        written = files(found)
        shop.write(f"UPDATE own.{table} SET {change} WHERE id = 1")
        assert shop.changed(found) == ("Every type",), change
        assert files(shop.read("Every type")) != written, change


def test_labels_of_an_enumeration_are_read_again(shop: Shop):
    written = files(shop.read("Every type"))
    if shop.connection.kind == "postgresql":
        shop.write("ALTER TYPE own.mood RENAME VALUE 'ok' TO 'glad'")
    else:
        shop.write("ALTER TABLE own.`Every type` MODIFY e enum('a', 'C', 'B')")
    again = shop.read("Every type")
    assert files(again) != written
    assert ("glad" if shop.connection.kind == "postgresql" else "B") in rows_of(
        again.table("Every type")
    )[0]


FORMS = (
    "CREATE TYPE own.pair AS (a int, b text); CREATE TYPE own.pairs AS (one own.pair);"
    "CREATE DOMAIN own.paired AS own.pairs[];"
    "CREATE TABLE own.odd (p own.paired, m money, i int, v int GENERATED ALWAYS AS (i + 1));"
    """INSERT INTO own.odd VALUES ('{"(\\"(1,x)\\")"}', 12.5, 1);"""
    "CREATE TABLE own.named (r regclass[]); INSERT INTO own.named VALUES ('{own.one}')"
)
"""Values whose text other things than their rows decide."""


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TYPE own.pair ADD ATTRIBUTE c int",
        "ALTER TABLE own.odd ALTER COLUMN v SET EXPRESSION AS (i + 2)",
        "ALTER DATABASE postgres SET lc_monetary = 'C.UTF-8'",
    ],
)
def test_a_change_of_what_values_mean_is_told(
    embedded: Mapping[str, Connection], tmp_path: Path, change: str
):
    postgres(embedded["pg"], POSTGRESQL, FORMS)
    shop = Shop(embedded["pg"], tmp_path)
    try:
        found = shop.read("odd", "part")
        assert shop.changed(found) == ()
        shop.write(change)
        assert shop.changed(found) == ("odd",)
    finally:
        postgres(embedded["pg"], "ALTER DATABASE postgres RESET lc_monetary")
        postgres(embedded["pg"], "DROP SCHEMA own CASCADE")


def test_of_values_that_are_names_of_other_things_nothing_is_told(
    embedded: Mapping[str, Connection], tmp_path: Path
):
    postgres(embedded["pg"], POSTGRESQL, FORMS)
    shop = Shop(embedded["pg"], tmp_path)
    try:
        found = shop.read("named")
        postgres(embedded["pg"], "ALTER TABLE own.one RENAME TO first")
        assert shop.own is not None
        assert shop.own.changed(shop.connection, [found.table("named")]) == {"named": None}
        assert rows_of(found.table("named")) != rows_of(shop.read("named").table("named"))
    finally:
        postgres(embedded["pg"], "DROP SCHEMA own CASCADE")


def test_of_rows_that_are_elsewhere_or_hidden_nothing_is_told(
    embedded: Mapping[str, Connection], tmp_path: Path
):
    postgres(
        embedded["pg"],
        POSTGRESQL,
        "ALTER TABLE own.one ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE own.one FORCE ROW LEVEL SECURITY",
        "CREATE POLICY all_rows ON own.one USING (true)",
        "CREATE ROLE one_reader LOGIN PASSWORD 'one'",
        "GRANT USAGE ON SCHEMA own TO one_reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA own TO one_reader",
    )
    shop = Shop(replace(embedded["pg"], user="one_reader", password="one"), tmp_path)
    try:
        found = shop.read("one", "part")
        assert shop.own is not None
        read = [found.table(each) for each in ("one", "part")]
        assert shop.own.changed(shop.connection, read) == {"one": None, "part": False}
        written = files(found)
        again = files(shop.read("one", "part"))
        assert again["one"] != written["one"]
        assert again["part"] == written["part"]
    finally:
        postgres(embedded["pg"], "DROP SCHEMA own CASCADE", "DROP ROLE one_reader")


@pytest.mark.parametrize("sql", CHANGES)
def test_a_change_of_any_row_is_told(shop: Shop, sql: str):
    found = shop.read()
    assert shop.changed(found) == ()
    shop.write(sql)
    assert shop.changed(found) == ("part",)


def test_a_change_that_was_under_way_when_the_rows_were_read_is_told(
    embedded: Mapping[str, Connection], tmp_path: Path
):
    postgres(embedded["pg"], POSTGRESQL)
    shop = Shop(embedded["pg"], tmp_path)
    with postgres_session(embedded["pg"], autocommit=False) as session:
        # In a subtransaction, whose number a snapshot does not list.
        session.execute("SAVEPOINT s")
        session.execute("UPDATE own.part SET a = 0 WHERE a = 7")
        session.execute("INSERT INTO own.one VALUES ('y')")
        postgres(embedded["pg"], "INSERT INTO own.nothing VALUES (1, 'later')")
        found = shop.read()
        assert shop.changed(found) == ()
        session.commit()
    assert shop.changed(found) == ("one", "part")


def test_equal_contents_have_one_fingerprint_and_are_not_loaded_again(
    embedded: Mapping[str, Connection], shop: Shop
):
    duck = replace(embedded["duck"], namespace="of_own")
    plan = PlacementPlan(
        strategy="s",
        outcome=Outcome.FEASIBLE,
        placement={"part": ("duck",), "nothing": (shop.connection.store,)},
        routing={},
        predicted_s=0.0,
        seed=0,
    )
    connections = {"duck": duck, shop.connection.store: shop.connection}
    first = shop.read("part")
    loaded = load(first, (plan,), connections, SILENT)
    assert [each.table for each in loaded.loaded] == ["part"]
    origin = first.table("part").origin
    assert origin is not None
    assert BACKENDS["duckdb"].loaded(duck)["part"].as_of == origin.as_of
    again = load(shop.read("part"), (plan,), connections, SILENT)
    assert {each.table for each in again.found} == {"part", "nothing"}
    shop.write("UPDATE own.part SET a = 8 WHERE a = 7")
    third = load(shop.read("part"), (plan,), connections, SILENT)
    assert [each.table for each in third.loaded] == ["part"]
    BACKENDS["duckdb"].drop(duck, "part")


def test_no_more_is_read_than_is_allowed(shop: Shop):
    with pytest.raises(
        StoreError, match=rf"more than the .*raise \[stores.{shop.connection.store}]"
    ):
        shop.read("part", most_bytes=1000)
    # Statistics that are older than the data do not hide how much there is.
    shop.write("CREATE TABLE own.grown (a int)")
    catalog = shop.catalog()
    shop.write("INSERT INTO own.grown SELECT a FROM own.part")
    store = OwnStore(connection=shop.connection, most_bytes=2000)
    with pytest.raises(StoreError, match=r"'grown' is larger than its statistics say.* 2 kB"):
        with_own_rows(catalog, ("grown",), {shop.connection.store: store}, shop._folder, SILENT)


def test_values_without_a_place_are_told_together(shop: Shop):
    is_postgresql = shop.connection.kind == "postgresql"
    type_, column = ("numeric(6, 2)", "DECIMAL(6,2)") if is_postgresql else ("date", "DATE")
    value = "NaN" if is_postgresql else "2024-00-10"
    for name in ("odd", "odder"):
        shop.write(f"CREATE TABLE own.{name} (a int, v {type_}, w {type_})")
    catalog = shop.catalog()
    shop.write(f"INSERT INTO own.odd VALUES (1, NULL, '{value}'), (2, NULL, NULL)", mode="")
    shop.write(f"INSERT INTO own.odder VALUES (1, '{value}', '{value}')", mode="")
    store = OwnStore(connection=shop.connection, most_bytes=1 << 30)
    told = ", ".join(f"{each} ({column} with {value})" for each in ("odd.w", "odder.v", "odder.w"))
    with pytest.raises(StoreError) as error:
        with_own_rows(
            catalog, tuple(catalog.tables), {shop.connection.store: store}, shop._folder, SILENT
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


@pytest.mark.parametrize("shop", ["maria", "mysql8"], indirect=True)
def test_columns_with_days_of_no_calendar_are_left_out(shop: Shop):
    shop.write("CREATE TABLE own.odd (a int, d date, e datetime(6), f timestamp NULL, g date)")
    shop.write(
        "INSERT INTO own.odd VALUES (1, '0000-00-00', '2024-00-10', NULL, '2024-02-29'),"
        " (2, '2024-10-10', NULL, '2024-10-01 00:00:00', '2000-12-31')",
        mode="",
    )
    shop.write("CREATE TABLE own.all_odd (d date)")
    shop.write("INSERT INTO own.all_odd VALUES ('2024-02-31')", mode="ALLOW_INVALID_DATES")
    found = shop.read()
    odd = found.table("odd")
    assert [each.name for each in odd.columns] == ["a", "f", "g"]
    assert odd.left_out == {"d": "DATE with 0000-00-00", "e": "TIMESTAMP with 2024-00-10"}
    assert [row[0] for row in rows_of(odd)] == [1, 2]
    assert found.table("all_odd").left_out == {"d": "DATE with 2024-02-31"}
    # No copy can be without columns.
    assert found.table("all_odd").parquet is None


def test_nothing_can_be_written_by_sessions_of_a_live_store(shop: Shop):
    backend = BACKENDS[shop.connection.kind]
    with pytest.raises(StoreError, match=r"(?i)read.only transaction"):
        backend.prepare(replace(shop.connection, namespace="own_copies"))
