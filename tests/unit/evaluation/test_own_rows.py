"""Reading of several stores side by side."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from evaluation import own_rows
from evaluation.own_rows import OwnStore, with_own_rows
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Catalog, Column, Origin, Table
from workloads.errors import StoreError
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

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        while True:
            yield pa.record_batch({table.columns[0].name: pa.array([1], pa.int32())})
            if self._fails:
                raise StoreError(self._store, "it is lost.")


@pytest.mark.timeout(30)
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
