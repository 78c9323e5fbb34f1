"""The tables of a DuckDB file in use: read where they are, compared by code point, not changed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

import duckdb
import pytest

from evaluation.kinds import BACKENDS, JDBC, KINDS
from evaluation.load import load
from evaluation.own_rows import OwnStore, with_own_rows
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.own_answer import AnswersItself
from placement.plan import Outcome, PlacementPlan
from tests.stores.own_shop import SILENT, files, rows_of
from workloads.catalog import Catalog
from workloads.errors import StoreError

pytestmark = pytest.mark.stores

EVERY = """
CREATE TABLE own."Every ""type" (id INTEGER PRIMARY KEY, u UBIGINT, f FLOAT, d DOUBLE,
  n DECIMAL(12, 2), t VARCHAR COLLATE NOCASE, b BOOLEAN, day DATE, s TIMESTAMP_S, ns TIMESTAMP_NS,
  ns2 TIMESTAMP_NS, tz TIMESTAMPTZ, tm TIME, iv INTERVAL, uid UUID, h HUGEINT, h2 HUGEINT,
  ar INTEGER[], st STRUCT(a INTEGER), m ENUM ('sad', 'ok'), js JSON, bl BLOB, lost BLOB[]);
INSERT INTO own."Every ""type" VALUES
  (1, 18446744073709551615, 0.1, 'nan', 1234567890.12, 'a,b"c' || chr(10), true, '1500-02-03',
   '1969-12-31 23:59:59', '2024-02-29 01:02:03.123456', '2024-02-29 01:02:03.123456789',
   '2024-01-02 03:04:05+02', '12:34:56.5', INTERVAL '1 day 2 hours',
   '00000000-0000-0000-0000-000000000001', 7, 170141183460469231731687303715884105727, [1, NULL],
   {'a': 1}, 'ok', '{"a": 1}', '\\xFF', ['\\xFF'::BLOB]);
INSERT INTO own."Every ""type" (id, t) VALUES (2, '');
CREATE TABLE own.part AS SELECT range::INTEGER AS a, (range % 20)::INTEGER AS k FROM range(1000);
CREATE TABLE own.nothing (a INTEGER, b VARCHAR);
"""
FIRST = (
    *(1, 2**64 - 1, 0.10000000149011612, "nan", Decimal("1234567890.12"), 'a,b"c\n', True),
    *(date(1500, 2, 3), datetime(1969, 12, 31, 23, 59, 59)),  # noqa: DTZ001
    *(datetime(2024, 2, 29, 1, 2, 3, 123456), "2024-02-29 01:02:03.123456789"),  # noqa: DTZ001
    *(datetime(2024, 1, 2, 1, 4, 5, tzinfo=UTC), "12:34:56.500000", "1 day 02:00:00"),
    *("00000000-0000-0000-0000-000000000001", Decimal(7), str(2**127 - 1), "[1,null]", '{"a":1}'),
    *("ok", '{"a": 1}', b"\xff"),
)


class File:
    """The file of a user, and the folder that its rows are read to."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "a 'user'.duckdb"
        self.folder = folder / "rows"
        self.connection = Connection(store="mine", kind="duckdb", path=self.path, read_only=True)
        self.write("CREATE SCHEMA own", EVERY)

    def write(self, *statements: str) -> None:
        with duckdb.connect(str(self.path)) as session:
            for each in statements:
                session.execute(each)

    def catalog(self) -> Catalog:
        kind = KINDS["duckdb"]
        assert kind.live is not None
        assert kind.own is not None
        return kind.own.as_read(self.connection, kind.live.catalog(self.connection, SILENT), SILENT)

    def read(self, catalog: Catalog | None = None, most_bytes: int = 1 << 30) -> Catalog:
        found = catalog or self.catalog()
        stores = {"mine": OwnStore(connection=self.connection, most_bytes=most_bytes)}
        return with_own_rows(found, tuple(found.tables), stores, self.folder, SILENT)

    def changed(self, catalog: Catalog) -> Sequence[str]:
        own = KINDS["duckdb"].own
        assert own is not None
        told = own.changed(self.connection, tuple(catalog.tables.values()))
        return [name for name, is_changed in told.items() if is_changed]

    def digest(self) -> str:
        return sha256(self.path.read_bytes()).hexdigest()


@pytest.fixture
def file(tmp_path: Path) -> File:
    return File(tmp_path)


def test_every_value_is_read_as_copies_have_it_and_the_file_stays_as_it_is(file: File):
    before = file.digest()
    found = file.read()
    every = found.table('Every "type')
    first, second = rows_of(every)
    assert ("nan" if first[3] != first[3] else first[3]) == FIRST[3]
    assert (*first[:3], "nan", *first[4:]) == FIRST
    assert second == (2, *[None] * 4, "", *[None] * 16)
    # JSON has no form for bytes: they would not come back.
    assert every.left_out == {"lost": "BLOB[]"}
    assert {each.name: each.own_type for each in every.columns if each.own_type} == {
        "s": "TIMESTAMP_S",
        "ns": "TIMESTAMP_NS",
        "ns2": "TIMESTAMP_NS",
        "tm": "TIME",
        "iv": "INTERVAL",
        "uid": "UUID",
        "h": "HUGEINT",
        "h2": "HUGEINT",
        "ar": "INTEGER[]",
        "st": "STRUCT(a INTEGER)",
        "m": "ENUM('sad', 'ok')",
        "js": "JSON",
    }
    assert len(rows_of(found.table("part"))) == found.table("part").rows == 1000
    assert rows_of(found.table("nothing")) == []
    assert file.digest() == before


def test_texts_with_a_collation_are_read_by_code_point(file: File):
    file.write("CREATE TABLE own.plain (t VARCHAR)")
    found = file.catalog()
    assert found.table("plain").column("t").read_as == ""
    read_as = found.table('Every "type').column("t").read_as
    name = 'own."Every ""type"'
    with duckdb.connect(str(file.path), read_only=True) as session:
        for value, rows in (("t", 1), (read_as.replace("{}", "t"), 0)):
            sql = f"SELECT count(*) FROM (SELECT {value} AS t FROM {name}) WHERE t LIKE 'A,%'"
            assert session.execute(sql).fetchone() == (rows,)


def test_only_what_has_changed_is_read_again_and_told(file: File):
    first = file.read()
    written = files(first)
    assert files(file.read()) == written
    assert file.changed(first) == []
    for sql in (
        "INSERT INTO own.part VALUES (1, 1)",
        "DELETE FROM own.part WHERE a = 7",
        "UPDATE own.part SET a = 9 WHERE a = 8",
        "ALTER TABLE own.part ADD COLUMN more INTEGER DEFAULT 3",
    ):
        file.write(sql)
        assert file.changed(first) == ["part"]
        first = file.read()
        assert {name for name, each in files(first).items() if each != written[name]} == {"part"}
        written = files(first)
        assert len(rows_of(first.table("part"))) == first.table("part").rows
    file.write("DROP TABLE own.part", "CREATE TABLE own.part AS FROM range(3)")
    assert file.changed(first) == ["part"]


def test_equal_contents_are_not_loaded_again(file: File, embedded: Mapping[str, Connection]):
    duck = replace(embedded["duck"], namespace="of_a_file")
    plan = PlacementPlan(
        strategy="s",
        outcome=Outcome.FEASIBLE,
        placement={"part": ("duck",), "nothing": ("mine",)},
        routing={},
        predicted_s=0.0,
        seed=0,
    )
    connections = {"duck": duck, "mine": file.connection}
    assert [each.table for each in load(file.read(), (plan,), connections, SILENT).loaded] == [
        "part"
    ]
    file.write("CHECKPOINT")
    assert load(file.read(), (plan,), connections, SILENT).loaded == ()
    BACKENDS["duckdb"].drop(duck, "part")


def test_values_that_came_since_and_have_no_place_are_told(file: File):
    known = file.catalog()
    file.write(
        'INSERT INTO own."Every ""type" (id, h, ns) VALUES '
        f"(3, {2**127 - 1}, '2024-01-01 00:00:00.000000001')"
    )
    with pytest.raises(StoreError) as error:
        file.read(known)
    told = 'Every "type.ns (TIMESTAMP_NS), Every "type.h (HUGEINT)'
    assert f"no copy can hold values of {told}: change the values" in str(error.value)
    # As text there is a place for both.
    assert rows_of(file.read().table('Every "type'))[2][9] == "2024-01-01 00:00:00.000000001"


def test_no_more_is_read_than_is_allowed(file: File):
    with pytest.raises(StoreError, match=r"more than the .*raise \[stores.mine].snapshot"):
        file.read(most_bytes=1000)


def test_infinite_days_and_those_before_our_era_are_read(file: File):
    days = "('infinity', '-infinity', 'infinity'), ('-infinity', 'infinity', '-infinity')"
    file.write(
        "CREATE TABLE own.ends (d DATE, t TIMESTAMP, z TIMESTAMPTZ)",
        f"INSERT INTO own.ends VALUES {days}, ('0044-03-15 (BC)', '0044-03-15 (BC)', NULL)",
    )
    parquet = file.read().table("ends").parquet
    shown = "CAST(d AS VARCHAR), CAST(t AS VARCHAR), CAST(z AS VARCHAR)"
    assert duckdb.sql(f"SELECT {shown} FROM '{parquet}'").fetchall() == [
        ("infinity", "-infinity", "infinity"),
        ("-infinity", "infinity", "-infinity"),
        ("0044-03-15 (BC)", "0044-03-15 (BC) 00:00:00", None),
    ]


def test_a_file_that_is_open_elsewhere_is_told(file: File):
    with (
        duckdb.connect(str(file.path)),
        pytest.raises(StoreError, match="that no other process has open"),
    ):
        file.read()


def test_it_answers_itself_and_writes_nothing(file: File):
    backend = JDBC["duckdb"]
    assert isinstance(backend, AnswersItself)
    table = file.catalog().table('Every "type')
    name = backend.as_users_have_it(file.connection, table)
    assert name == '"own"."Every ""type"'
    answer = backend.own_answer(
        file.connection, f"SELECT id, ar, h2 FROM {name} ORDER BY id", timeout_s=60
    )
    assert answer.types == {"c1": "INTEGER", "c2": "VARCHAR", "c3": "VARCHAR"}
    assert answer.rows == [(1, "[1, NULL]", str(2**127 - 1)), (2, None, None)]
    taken = backend.own_seconds(file.connection, f"FROM {name}", rounds=3, timeout_s=60)
    assert len(taken) == 3
    with pytest.raises(StoreError, match="read-only"):
        backend.own_seconds(file.connection, "DROP TABLE own.part", rounds=1, timeout_s=60)
    slow = "SELECT count(*) AS n FROM range(10000000) a(x), range(10000000) b(y) WHERE x + y = 7"
    for run in (
        lambda: backend.own_answer(file.connection, slow, timeout_s=0.5),
        lambda: backend.own_seconds(file.connection, slow, rounds=1, timeout_s=0.5),
    ):
        with pytest.raises(StoreError, match=r"not done after 0\.5 s"):
            run()
