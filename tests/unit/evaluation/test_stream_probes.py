"""A store's readings by several statements, as a calibration takes them."""

from typing import Any, Self

import pytest

from evaluation.calibration import stream_probes
from evaluation.calibration.stream_probes import REPEATS, STATEMENTS, stream_times, times_of
from evaluation.installation.artifacts import cache_folder
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from workloads.benchmarks.tpch import generate
from workloads.progress import Silent
from workloads.workload import Workload


class Divided:
    """A federation that two statements make faster, and four no more."""

    asked: list[int]

    def __init__(self, *_: object, **__: object) -> None:
        self.asked = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert len(self.asked) == 1 + REPEATS * len(STATEMENTS)
        assert self.asked[0] == 1

    def run(self, query: Any) -> Any:
        (fragment,) = query.fragments
        # Spark asks for the columns alone that the query reads.
        assert all(f"max(`{each}`)" in query.combine_sql for each in fragment.columns)
        count = int(fragment.ranged.options(1).get("numPartitions", 1))
        assert fragment.ranged.column == "l_orderkey"
        # As a result that is worth several statements is read.
        assert fragment.transfer.fetch_rows == Job.__dataclass_fields__["fetch_size"].default
        self.asked.append(count)
        return type("Execution", (), {"seconds": {1: 2.0, 2: 1.2, 4: 1.2}[count]})


def test_the_shares_of_statements_are_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stream_probes, "Federation", Divided)
    job = Job(
        workload=Workload(name="none", dialect="duckdb", queries=()),
        catalog=generate(0.01, cache_folder(), Silent()),
        connections={"pg": Connection(store="pg", kind="postgresql")},
    )
    spark: Any = None
    found = stream_times(spark, job, Silent())
    assert found.failed == {}
    assert found.stores["pg"].shares == ((1, 1.0), (2, 0.6), (4, 0.6))
    assert found.stores["pg"].error == 0.0


def test_the_error_is_the_largest_difference_of_repeats():
    found = times_of({1: [1.9, 2.1], 2: [1.0, 1.0], 4: [0.5, 1.5]})
    assert found.error == pytest.approx(1.0)
    assert found.shares == ((1, 1.0), (2, 0.5), (4, 0.5))
