"""Reading of several stores side by side."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluation import own_rows
from evaluation.live.csv_rows import UnplacedValueError, rows_of_csv
from evaluation.live.own_tables import arrow_schema, without
from evaluation.own_rows import OwnStore, too_large, with_own_rows, with_too_large
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from workloads.catalog import Catalog, Column, Origin, Table
from workloads.copied_indexes import copied_indexes
from workloads.errors import StoreError
from workloads.indexes import Index
from workloads.progress import Silent


class Endless:
    """A store with a table that has no end; one that `fails` says so after its first rows."""

    def __init__(self, *, fails: bool) -> None:
        self._fails = fails
        self.is_closed = False

    @contextmanager
    def at_one_moment(self, connection: Connection) -> Iterator["Endless"]:
        self._store = connection.store
        try:
            yield self
        finally:
            self.is_closed = True

    def mark(self, table: Table, since: str = "") -> str:
        return ""

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        while True:
            yield pa.record_batch({table.columns[0].name: pa.array([1], pa.int32())})
            if self._fails:
                raise StoreError(self._store, "it is lost.")


@pytest.mark.timeout(120)
def test_when_one_store_fails_the_others_are_not_read_to_their_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    kinds = {"sound": Endless(fails=False), "lost": Endless(fails=True)}
    known = {name: SimpleNamespace(own=own) for name, own in kinds.items()}
    monkeypatch.setattr(own_rows, "KINDS", known)
    table = Table(
        name="t",
        columns=(Column(name="a", type="INTEGER", width_bytes=4),),
        rows=1,
        fingerprint="f",
    )
    catalog = Catalog(
        name="c",
        tables={
            name: replace(table, name=name, schema=name, origin=Origin(store=name))
            for name in kinds
        },
    )
    stores = {
        name: OwnStore(connection=Connection(store=name, kind=name), most_bytes=1 << 60)
        for name in kinds
    }
    with pytest.raises(StoreError, match="Store 'lost': it is lost"):
        with_own_rows(catalog, tuple(kinds), stores, tmp_path, Silent())
    assert all(each.is_closed for each in kinds.values())
    assert not list(tmp_path.rglob("*.parquet"))


DAYS = Table(
    name="days",
    columns=(
        Column(name="d", type="DATE", width_bytes=4),
        Column(name="t", type="TIMESTAMP", width_bytes=8),
        Column(name="b", type="BLOB", width_bytes=8),
    ),
    rows=2,
    fingerprint="f",
)
FAILURES = Failures(connection=Connection(store="odd", kind="odd"))


def test_days_that_are_counted_need_no_digits_of_a_calendar():
    rows = b'2147483647,-9223372036854775807,"00ff"\n,,\n'
    (batch,) = rows_of_csv(FAILURES, DAYS, arrow_schema(DAYS), iter([rows]), counts_days=True)
    assert batch.schema == arrow_schema(DAYS)
    assert batch["d"].cast(pa.int32()).to_pylist() == [2**31 - 1, None]
    assert batch["t"].cast(pa.int64()).to_pylist() == [1 - 2**63, None]
    assert batch["b"].to_pylist() == [b"\x00\xff", None]


class Odd:
    """A store with `broken` columns of tables, at which reading ends; it is asked for all then."""

    def __init__(self, broken: dict[str, dict[str, str]]) -> None:
        self._broken = broken

    @contextmanager
    def at_one_moment(self, connection: Connection) -> Iterator["Odd"]:
        yield self

    def mark(self, table: Table, since: str = "") -> str:
        return ""

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        return rows_of_csv(FAILURES, table, arrow_schema(table), iter([b"0000-00-00,,\n"]))

    def unplaced(self, connection: Connection, table: Table) -> dict[str, str]:
        return self._broken.get(table.name, {})


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (
            {
                "a": {"d": "DATE with 0000-00-00"},
                "c": {"d": "DATE with 1", "t": "TIMESTAMP with 2"},
            },
            "values of a.d (DATE with 0000-00-00), c.d (DATE with 1), c.t (TIMESTAMP with 2): ",
        ),
        # The value has gone since.
        ({}, "table 'a' cannot be read"),
    ],
)
def test_all_columns_without_a_place_for_a_value_are_named_in_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: dict[str, dict[str, str]], said: str
):
    monkeypatch.setattr(own_rows, "KINDS", {"odd": SimpleNamespace(own=Odd(broken))})
    tables = {n: replace(DAYS, name=n, schema="s", origin=Origin(store="odd")) for n in "abc"}
    catalog = Catalog(name="c", tables=tables)
    store = OwnStore(connection=Connection(store="odd", kind="odd"), most_bytes=1 << 60)
    with pytest.raises(StoreError) as error:
        with_own_rows(catalog, "abc", {"odd": store}, tmp_path, Silent())
    assert said in str(error.value)
    assert isinstance(error.value, UnplacedValueError) is (not broken)


class Changing:
    """A store without transactions: its one value grows whenever it has been read."""

    def __init__(self) -> None:
        self.value = 5
        self.readings = 0

    @contextmanager
    def at_one_moment(self, connection: Connection) -> Iterator["Changing"]:
        yield self

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        self.readings += 1
        yield pa.record_batch({table.columns[0].name: pa.array([self.value], pa.int32())})
        self.value = min(9, self.value + 2)

    def mark(self, table: Table, since: str = "") -> str:
        return str(self.value)


def test_rows_that_change_while_they_are_read_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    own = Changing()
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(own_rows, "KINDS", {"own": SimpleNamespace(own=own)})
    column = Column(name="a", type="INTEGER", width_bytes=4)
    table = Table(name="t", columns=(column,), rows=1, fingerprint="f", origin=Origin(store="own"))
    catalog = Catalog(name="c", tables={"t": table})
    store = OwnStore(connection=Connection(store="own", kind="own"), most_bytes=1 << 60)
    for readings, value in ((1, 5), (2, 7), (3, 9), (3, 9)):
        found = with_own_rows(catalog, "t", {"own": store}, tmp_path, Silent()).table("t")
        assert found.parquet is not None
        read = pq.read_table(found.parquet)
        assert (own.readings, read.column("a").to_pylist()) == (readings, [value])
        assert found.parquet.parent.stat().st_mode & 0o077 == 0


def test_an_index_over_a_column_that_is_left_out_is_on_no_copy():
    days = replace(
        DAYS,
        primary_key=("d",),
        indexes=(Index(columns=("d",)), Index(columns=("t",))),
    )
    found = without(days, {"d": "DATE with 0000-00-00"})
    assert found.primary_key == ()
    assert [bool(each.obstacle) for each in found.indexes] == [True, False]
    assert copied_indexes(found) == (Index(columns=("t",)),)


def test_the_largest_tables_are_left_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    own = Changing()
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(own_rows, "KINDS", {"own": SimpleNamespace(own=own)})
    column = Column(name="a", type="INTEGER", width_bytes=4)
    table = Table(name="t", columns=(column,), rows=1, fingerprint="f", origin=Origin(store="own"))
    rows = {"large": 1000, "small": 10, "unread": 1, "middle": 100}
    tables = {n: replace(table, name=n, schema=n, rows=each) for n, each in rows.items()}
    catalog = Catalog(name="c", tables=tables)
    names = tuple(name for name in rows if name != "unread")
    assert too_large(catalog, names, {"own": 440}) == {"large"}
    assert too_large(catalog, names, {"own": 439}) == {"large", "middle"}
    store = OwnStore(connection=Connection(store="own", kind="own"), most_bytes=440)
    known = with_too_large(catalog, {"large"})
    found = with_own_rows(known, names, {"own": store}, tmp_path, Silent())
    assert [name for name, each in found.tables.items() if each.parquet] == ["small", "middle"]
    assert own.readings == 2
    large = found.table("large").origin
    assert large is not None
    assert large.is_too_large
    assert large.mark
    assert found.table("unread").origin == Origin(store="own")
