"""Loading the union of the candidates' copies, without stores."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from threading import Barrier, Event
from time import perf_counter
from typing import Any

import pytest

from evaluation import load as loading
from evaluation.bulk.bulk import LoadStoppedError
from evaluation.load import LoadedStores, load
from evaluation.store_protocol.backend import LoadedTable
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.indexes import index_mark
from placement.plan import Outcome, PlacementPlan
from tests.catalogs import shop
from workloads.catalog import Table
from workloads.errors import CatalogError, StoreError
from workloads.indexes import NamedIndex
from workloads.progress import Silent

CONNECTIONS = {name: Connection(store=name, kind="fake") for name in ("a", "b")}


class Fake:
    """A back end that keeps what it is told to load."""

    def __init__(self) -> None:
        self.copies: dict[tuple[str, str], LoadedTable] = {}
        self.loads: list[tuple[str, str]] = []
        self.indexes: dict[str, list[tuple[str, ...]]] = {}
        self.refuses = ""
        self.loads_at_once = 1
        self.makes_indexes = True
        self.meeting: Barrier | None = None
        self.refused_table = ""
        self.slow = ""

    def prepare(self, connection: Connection) -> None:
        if connection.store == self.refuses:
            raise StoreError(connection.store, "refuses")

    def loaded(self, connection: Connection) -> Mapping[str, LoadedTable]:
        return {
            table: replace(copy, found=True)
            for (store, table), copy in self.copies.items()
            if store == connection.store
        }

    def load(self, connection: Connection, table: Table, stop: Event) -> LoadedTable:
        self.loads.append((connection.store, table.name))
        if connection.store == self.slow:
            stop.wait(timeout=10)
            raise LoadStoppedError
        if self.meeting is not None:
            self.meeting.wait(timeout=10)
        if table.name == self.refused_table:
            raise StoreError(connection.store, "takes no such table")
        copy = LoadedTable(
            store=connection.store,
            table=table.name,
            fingerprint=table.fingerprint,
            rows=table.rows,
            load_s=2.0,
            indexes=index_mark(table),
        )
        self.indexes[connection.store] = [each.columns for each in table.indexes]
        self.copies[connection.store, table.name] = copy
        return copy


class FakeReindexing(Fake):
    """One that changes the indexes of copies, or is told to stop amid that."""

    def __init__(self) -> None:
        super().__init__()
        self.changed: list[tuple[str, str]] = []
        self.stops = False

    def reindex(
        self, connection: Connection, table: Table, there: LoadedTable, stop: Event
    ) -> LoadedTable:
        self.changed.append((connection.store, table.name))
        if self.stops:
            stop.set()
            raise LoadStoppedError
        copy = replace(there, indexes=index_mark(table), reindexed=True)
        self.copies[connection.store, table.name] = replace(copy, reindexed=False)
        return copy


class Counting(Silent):
    """Remembers the total and what was advanced."""

    def __init__(self) -> None:
        self.total: float | None = None
        self.done = 0.0

    @contextmanager
    def task(self, description: str, total: float | None = None) -> Iterator["Counting"]:
        self.total = total
        yield self

    def advance(self, amount: float = 1) -> None:
        self.done += amount


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake()
    monkeypatch.setattr(loading, "BACKENDS", {"fake": made})
    return made


def plan(name: str, placement: dict[str, tuple[str, ...]]) -> PlacementPlan:
    return PlacementPlan(
        strategy=name, outcome=Outcome.FEASIBLE, placement=placement, routing={}, predicted_s=1.0
    )


APART = plan("apart", {"customer": ("a",), "orders": ("b",), "item": ("b",)})
TOGETHER = plan("together", {"customer": ("a",), "orders": ("a",), "item": ("a", "b")})


def loaded(*plans: PlacementPlan, progress: Any = None) -> LoadedStores:
    return load(shop(), plans, CONNECTIONS, progress or Silent())


def test_a_copy_that_several_candidates_place_is_loaded_once(fake: Fake) -> None:
    found = loaded(APART, TOGETHER)
    expected = [
        ("a", "customer"), ("a", "item"), ("a", "orders"), ("b", "item"), ("b", "orders"),
    ]  # fmt: skip
    assert sorted(fake.loads) == expected
    assert len(found.loaded) == 5
    assert found.found == ()


def test_a_second_load_loads_nothing_and_still_knows_what_it_cost(fake: Fake) -> None:
    loaded(APART)
    fake.loads.clear()
    found = loaded(APART, TOGETHER)
    assert fake.loads == [("a", "orders"), ("a", "item")]
    assert len(found.found) == 3
    assert found.load_s(APART) == 6.0
    assert found.load_s(TOGETHER) == 8.0


def test_a_changed_fingerprint_loads_again(fake: Fake) -> None:
    loaded(APART)
    fake.loads.clear()
    fake.copies["b", "item"] = replace(fake.copies["b", "item"], fingerprint="before")
    loaded(APART)
    assert fake.loads == [("b", "item")]


def test_other_indexes_load_again_where_the_store_makes_any(fake: Fake) -> None:
    loaded(APART)
    fake.loads.clear()
    fake.copies["b", "item"] = replace(fake.copies["b", "item"], indexes="before")
    loaded(APART)
    assert fake.loads == [("b", "item")]


def test_a_copy_with_other_indexes_keeps_its_rows_where_the_store_changes_indexes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = FakeReindexing()
    monkeypatch.setattr(loading, "BACKENDS", {"fake": fake})
    loaded(APART)
    fake.loads.clear()
    chosen = replace(APART, indexes={"b": (NamedIndex("orders", ("o_day",)),)})
    found = loaded(chosen)
    assert (fake.loads, fake.changed) == ([], [("b", "orders")])
    assert [each.table for each in found.reindexed] == ["orders"]
    assert not found.loaded
    assert not loaded(chosen).reindexed
    # Other rows: their indexes come with them.
    fake.copies["b", "orders"] = replace(fake.copies["b", "orders"], fingerprint="before")
    loaded(APART)
    assert (fake.loads, fake.changed) == ([("b", "orders")], [("b", "orders")])


def test_progress_counts_the_bytes_of_all_copies(fake: Fake) -> None:
    progress = Counting()
    loaded(APART, progress=progress)
    assert progress.total == shop().bytes
    assert progress.done == progress.total


def test_a_store_that_fails_fails_the_load(fake: Fake) -> None:
    fake.refuses = "b"
    with pytest.raises(StoreError, match="refuses"):
        loaded(APART)


def test_as_many_tables_of_a_store_are_loaded_at_once_as_it_bears(fake: Fake) -> None:
    everything = plan("all", {"customer": ("a",), "orders": ("a",), "item": ("a",)})
    # Each waits until all three are being loaded.
    fake.loads_at_once, fake.meeting = 3, Barrier(3)
    assert len(loaded(everything).loaded) == 3


def test_one_at_a_time_is_in_the_order_of_the_catalog(fake: Fake) -> None:
    loaded(plan("all", {"item": ("a",), "orders": ("a",), "customer": ("a",)}))
    assert fake.loads == [("a", "customer"), ("a", "orders"), ("a", "item")]


def test_a_table_that_fails_ends_the_load_of_those_to_come(fake: Fake) -> None:
    fake.refused_table = "customer"
    with pytest.raises(StoreError, match="takes no such table"):
        loaded(plan("all", {"customer": ("a",), "orders": ("a",), "item": ("a",)}))
    assert fake.loads == [("a", "customer")]


def test_a_table_or_store_that_nobody_knows_is_an_error(fake: Fake) -> None:
    with pytest.raises(CatalogError, match=r"'customers'.*'customer'"):
        loaded(plan("p", {"customers": ("a",)}))
    with pytest.raises(StoreError, match="known are only a, b"):
        loaded(plan("p", {"customer": ("c",)}))


def test_a_copy_gets_the_indexes_that_any_plan_chooses_for_its_store(fake: Fake) -> None:
    both = {"orders": ("a", "b")}
    by_day, by_total = NamedIndex("orders", ("o_day",)), NamedIndex("orders", ("o_total", "o_day"))
    plain = plan("plain", both)
    chosen = replace(plan("chosen", both), indexes={"a": (by_day,)})
    other = replace(plan("other", both), indexes={"a": (by_day, by_total)})
    load(shop(), (plain, chosen, other), CONNECTIONS, Silent())
    assert fake.indexes == {"a": [by_day.columns, by_total.columns], "b": []}
    fake.loads.clear()
    load(shop(), (other,), CONNECTIONS, Silent())
    assert fake.loads == []
    load(shop(), (plain,), CONNECTIONS, Silent())
    assert fake.loads == [("a", "orders")]


def test_a_store_that_is_late_is_named_and_what_the_others_have_stays(fake: Fake) -> None:
    fake.slow = "a"
    with pytest.raises(StoreError, match="Store 'a': was not loaded in time") as raised:
        load(shop(), [APART], CONNECTIONS, Silent(), ends=perf_counter() + 0.05)
    assert raised.value.store == "a"
    assert fake.copies.keys() == {("b", "orders"), ("b", "item")}
    fake.slow = ""
    assert len(load(shop(), [APART], CONNECTIONS, Silent(), ends=perf_counter() + 9).found) == 2
