"""How stores behave: what is put to them, what of it counts, and a store that fails."""

from pathlib import Path
from types import SimpleNamespace
from typing import Self

import pytest

from evaluation.calibration import behaviour
from evaluation.calibration.behaviour import behaviours
from evaluation.calibration.behaviour_statements import KEYS, WITH_INDEX, WITHOUT_INDEX
from evaluation.federation.compiled import CompiledQuery
from evaluation.installation.artifacts import cache_folder
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from workloads.benchmarks import tpch
from workloads.progress import Silent
from workloads.workload import Workload

SPARK = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=2))


class Stores:
    """Answers in seconds that the test gives, twice as slowly the first time; keeps what it ran."""

    lost: str | None = None
    late_together = False
    rows = KEYS

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
        seconds = len(query.fragments) * (0.5 if query.query == WITH_INDEX else 1.0)
        portions = query.fragments[0].ranged.options(2) if query.fragments[0].ranged else {}
        seconds /= int(portions.get("numPartitions", 1))
        return SimpleNamespace(seconds=100.0 if first else seconds, rows=((self.rows,),))


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
    asked = job("one", "two")
    found = behaviours(SPARK, asked, Silent())
    assert found.failed == {}
    one = found.stores["one"]
    rows = asked.catalog.table("lineitem").rows
    assert one.stream_rows_per_s == {1: pytest.approx(rows), 2: pytest.approx(2 * rows)}
    assert one.streams_worth_having == 2
    assert one.at_once_s == {1: 1.0, 2: 2.0, 4: 4.0}
    assert (one.with_index_s, one.without_index_s) == (0.5, 1.0)
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


@pytest.mark.parametrize("rows", [0, KEYS - 1])
def test_rows_that_are_not_found_are_no_measurement(stores: type[Stores], rows: int):
    stores.rows = rows
    found = behaviours(SPARK, job("one"), Silent())
    assert found.stores == {}
    assert f"{WITH_INDEX}: {rows} of {KEYS} rows" in found.failed["one"]
    assert WITHOUT_INDEX not in found.failed["one"]
