"""Links are probed with every pair of settings, and found again from what these take."""

import json
from collections.abc import Sequence
from itertools import product
from math import log
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from evaluation.calibration import links as links_module
from evaluation.calibration.links import FETCH_ROWS, MESSAGE_BYTES, RESULTS, links
from evaluation.installation.artifacts import cache_folder
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from placement.fetching import Budget
from placement.transfer.bounds import MOST_MESSAGE
from placement.transfer.closed_form import closed_form
from placement.transfer.fit import Probe, fitted
from placement.transfer.link import Result, TransferSettings
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
        whole = Result(result_bytes=rows * row_bytes, row_bytes=row_bytes)
        seconds = HIGH_BANDWIDTH.seconds(whole, fragment.transfer)
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


def test_a_link_takes_at_most_a_twentieth_of_the_reads_of_the_recorded_grids():
    for link in recorded():
        reads = sum(len(each["grid"]) for each in link["fragments"])
        assert len(RESULTS) * len(FETCH_ROWS) * len(MESSAGE_BYTES) <= 0.05 * reads


@pytest.mark.parametrize("name", ["loopback", "slow"])
def test_settings_by_these_probes_are_as_fast_on_the_recorded_grids_as_by_all(name: str):
    """The probes are cells of the grids of two results; the settings are asked of all others."""
    (link,) = [each for each in recorded() if each["link"] == name]
    every = sorted({*FETCH_ROWS, 300, 3_000})
    fewer, all_of_them = (times_best(link["fragments"], rows) for rows in (FETCH_ROWS, every))
    assert len(fewer) == len(all_of_them) > 100
    assert within(fewer) >= within(all_of_them) - 0.02
    if name == "slow":  # A grid over loopback is of single readings of a hundredth of a second.
        assert within(fewer) == 1.0


def recorded() -> list[dict[str, Any]]:
    file = Path(__file__).parents[3] / "benchmarks/results/transfer.json"
    return json.loads(file.read_text())["links"]


def within(ratios: list[float]) -> float:
    return sum(each <= 1.05 for each in ratios) / len(ratios)


def cells(fragment: dict[str, Any]) -> dict[int, float]:
    return {
        each["fetch_rows"]: each["seconds"]
        for each in fragment["grid"]
        if each["message_bytes"] == MOST_MESSAGE
    }


def result(fragment: dict[str, Any]) -> Result:
    width = float(fragment["width"])
    return Result(result_bytes=width * fragment["rows"], row_bytes=width)


def times_best(fragments: list[dict[str, Any]], sizes: Sequence[int]) -> list[float]:
    """By each pair of large results as probes: chosen settings' seconds to the best of the grid."""
    large = [each for each in fragments if each["width"] * each["rows"] >= 2e6]
    ratios = []
    for pair in product(*([e for e in large if e["width"] == width] for width in (16, 64))):
        link, _ = fitted(
            [
                Probe(
                    result=result(each),
                    settings=TransferSettings(fetch_rows=rows, message_bytes=MOST_MESSAGE),
                    seconds=cells(each)[rows],
                )
                for each in pair
                for rows in {min(size, each["rows"]) for size in sizes}
            ]
        )
        for each in fragments:
            if each not in pair:
                chosen = closed_form(link, result(each), Budget().bounds(10_000)).fetch_rows
                seconds = cells(each)
                nearest = min(seconds, key=lambda rows: abs(log(rows / chosen)))
                ratios.append(seconds[nearest] / min(c["seconds"] for c in each["grid"]))
    return ratios
