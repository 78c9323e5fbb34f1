"""Statements at the same time: equal work, seconds that count, and a store that fails."""

from pathlib import Path
from types import SimpleNamespace
from typing import Self

import duckdb
import pytest

from evaluation.calibration import behaviour
from evaluation.calibration.behaviour import behaviours, equal_work
from evaluation.federation.compiled import CompiledQuery
from evaluation.installation.artifacts import cache_folder
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from workloads.benchmarks import tpch
from workloads.progress import Silent
from workloads.workload import Workload

SPARK = SimpleNamespace()


class Stores:
    """Answers in seconds that the test gives, twice as slowly the first time; keeps what it ran."""

    lost: str | None = None
    late_together = False

    def __init__(self, *_: object, **__: object) -> None:
        self.ran: list[CompiledQuery] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, query: CompiledQuery) -> SimpleNamespace:
        stores = {each.store for each in query.fragments}
        if self.lost in stores or (self.late_together and len(stores) > 1):
            raise QueryFailedError(f"Store {self.lost!r}: gone", timeout=False)
        first = query not in self.ran
        self.ran.append(query)
        return SimpleNamespace(seconds=100.0 if first else float(len(query.fragments)))


@pytest.fixture
def stores(monkeypatch: pytest.MonkeyPatch) -> type[Stores]:
    class Own(Stores):
        pass

    monkeypatch.setattr(behaviour, "Federation", Own)
    return Own


def job(*names: str) -> Job:
    return Job(
        workload=Workload(name="none", dialect="duckdb", queries=()),
        catalog=tpch.generate(0.01, Path(cache_folder()), Silent()),
        connections={name: Connection(store=name, kind="postgresql") for name in names},
        repeats=2,
    )


def test_medians_are_of_all_rounds_but_the_first(stores: type[Stores]):
    found = behaviours(SPARK, job("one", "two"), Silent())
    assert found.failed == {}
    assert found.stores["one"].at_once_s == {1: 1.0, 2: 2.0, 4: 4.0}
    assert found.together is not None
    assert (found.together.all_at_once_s, found.together.one_by_one_s) == (2.0, 2.0)


def test_one_store_has_nothing_beside_it(stores: type[Stores]):
    assert behaviours(SPARK, job("one"), Silent()).together is None


def test_a_store_that_fails_is_named_and_the_others_are_measured(stores: type[Stores]):
    stores.lost = "two"
    found = behaviours(SPARK, job("one", "two", "three"), Silent())
    assert found.stores.keys() == {"one", "three"}
    assert found.failed == {"two": "Store 'two': gone"}
    assert found.together is not None


def test_stores_that_fail_together_keep_what_each_was(stores: type[Stores]):
    stores.late_together = True
    found = behaviours(SPARK, job("one", "two"), Silent())
    assert found.stores.keys() == {"one", "two"}
    assert found.failed.keys() == {"one and two"}
    assert found.together is None


def test_statements_at_once_do_equal_work_and_none_is_another_s():
    lineitem = job("one").catalog.table("lineitem")
    texts = [query.sql for query in equal_work(4).queries]
    assert len(set(texts)) == 4
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW lineitem AS FROM read_parquet('{lineitem.parquet}')")
        rows = [connection.execute(text).fetchall()[0][0] for text in texts]
    assert min(rows) > 0.98 * max(rows) > 0.8 * lineitem.rows
