"""Experiments on real stores: each cell once, and after an interruption only what is left."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from advisor.experiments import runs
from advisor.experiments.cells import Cell
from advisor.experiments.findings import findings
from advisor.experiments.laboratory import Laboratory, laboratory
from advisor.publishing.experiments import publish
from evaluation.bench import Bench
from evaluation.measuring.measurement import Measurements, QueryOutcome
from evaluation.store_protocol.connection import Connection
from tests.unit.advisor.project_files import load
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

NAMESPACE = "experiments"
QUERIES = ("q42", "q52")


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Laboratory:
    """Two experiments over two queries on two placements, with a folder of their own."""
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "tpcds").symlink_to(
        Path.home() / ".cache" / "placement-advisor" / "tpcds"
    )
    project = load(
        tmp_path,
        {
            "workload": {"source": "tpcds", "queries": [42, 52]},
            "catalog": {"source": "tpcds", "scale_factor": 0.01},
            "evaluate": {"repeats": 1},
            "experiments": {
                "2": {"placements": ["single_store", "naive"]},
                "5": {"placements": ["naive"], "join_strategies": ["broadcast", "automatic"]},
            },
        },
        stores__maria='kind = "mysql"\nembedded = true',
    )
    return laboratory(project, (), "advisor experiments", Silent())


@pytest.fixture
def shared(
    spark: "SparkSession", embedded: Mapping[str, Connection], monkeypatch: pytest.MonkeyPatch
) -> list[Cell]:
    """The session's servers and Spark in place of their own; the cells that are measured."""
    stores = {n: replace(embedded[n], namespace=NAMESPACE) for n in ("pg", "maria")}
    asked: list[Any] = []

    @contextmanager
    def servers(*_: Any) -> Iterator[Mapping[str, Connection]]:
        yield stores

    @contextmanager
    def session(*_: Any) -> Iterator[Bench]:
        yield Bench(spark=spark)

    own = runs._measured

    def measured(work: Any, bench: Any, job: Any, query: str, cells: Any) -> Measurements:
        asked.extend(cells)
        return own(work, bench, job, query, cells)

    monkeypatch.setattr(runs, "connections", servers)
    monkeypatch.setattr(runs, "open_bench", session)
    monkeypatch.setattr(runs, "_measured", measured)
    return asked


def test_each_cell_is_measured_once_and_after_an_interruption_only_what_is_left(
    found: Laboratory, shared: list[Cell], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    write = runs.write
    written: list[Cell] = []

    def interrupted(result: Any, folder: Path) -> None:
        if len(written) == 3:
            raise KeyboardInterrupt
        written.append(result.cell)
        write(result, folder)

    # Three placements that take turns, and two ways to join on one of them, alone.
    assert len(found.cells) == len(found.left()) == 2 * (3 + 2)
    with monkeypatch.context() as patch:
        patch.setattr(runs, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            runs.run(found, Silent())
    assert set(found.left()) == {*found.cells} - {*written}
    shared.clear()
    runs.run(found, Silent())
    assert sorted(map(repr, shared)) == sorted(map(repr, {*found.cells} - {*written}))
    assert found.left() == []
    shared.clear()
    runs.run(found, Silent())
    assert shared == []

    done = found.done()
    assert {each.measurement.outcome for each in done.values()} == {QueryOutcome.VERIFIED}
    (document,) = (
        json.loads(file.read_text())
        for file in publish(findings(found), tmp_path)
        if file.suffix == ".json"
    )
    assert document["left"] == 0
    figures = {(each["experiment"], each["quantity"]) for each in document["figures"]}
    assert {(2, "seconds"), (2, "memory_bytes"), (5, "seconds"), (5, "memory_bytes")} == figures
    assert {each["query"] for each in document["results"]} == set(QUERIES)
