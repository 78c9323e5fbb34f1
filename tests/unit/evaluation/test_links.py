"""Links are probed with every pair of settings, and found again from what these take."""

from types import SimpleNamespace
from typing import Any, Self

import pytest

from evaluation.calibration import links as links_module
from evaluation.calibration.links import FETCH_ROWS, MESSAGE_BYTES, RESULTS, links
from evaluation.installation.artifacts import cache_folder
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.transfer.bounds import MOST_MESSAGE
from placement.transfer.link import Result
from tests.mind_thesis import HIGH_BANDWIDTH
from workloads.benchmarks.tpch import generate
from workloads.progress import Silent
from workloads.workload import Workload


class Far:
    """A federation whose results take what a link says, and nothing else."""

    def __init__(self, *_: object, **__: object) -> None:
        self.asked: list[Any] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, query: Any) -> Any:
        (fragment,) = query.fragments
        # Spark asks for the columns alone that the query reads.
        assert all(f"max(`{each}`)" in query.combine_sql for each in fragment.columns)
        if fragment.transfer is None:
            return SimpleNamespace(fragments=[SimpleNamespace(rows=1, seconds=9.0)])
        row_bytes = fragment.fragment.work.row_bytes_out
        rows = 120_000 if len(fragment.columns) == len(RESULTS["narrow"][0]) else 40_000
        result = Result(result_bytes=rows * row_bytes, row_bytes=row_bytes)
        seconds = HIGH_BANDWIDTH.seconds(result, fragment.transfer)
        return SimpleNamespace(fragments=[SimpleNamespace(rows=rows, seconds=seconds)])


def test_a_link_is_found_again_and_asked_of_no_store_that_streams(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(links_module, "Federation", Far)
    kinds = {"pg": "postgresql", "maria": "mysql"}
    job = Job(
        workload=Workload(name="none", dialect="duckdb", queries=()),
        catalog=generate(0.01, cache_folder(), Silent()),
        connections={name: Connection(store=name, kind=kind) for name, kind in kinds.items()},
    )
    spark: Any = None
    found = links(spark, job, Silent())
    assert (list(found.stores), found.failed) == (["pg"], {})
    probed = found.stores["pg"]
    assert probed.probes == len(RESULTS) * len(FETCH_ROWS) * len(MESSAGE_BYTES)
    assert probed.error < 1e-3
    trip_s = HIGH_BANDWIDTH.trip_s(MOST_MESSAGE)
    assert probed.link.trip_s(MOST_MESSAGE) == pytest.approx(trip_s, rel=0.01)
