"""The cores that are busy while a query runs, by the kernel's count."""

import os
from pathlib import Path

import pytest

from evaluation.judging.answer import Answer
from evaluation.measuring import busy_cores
from tests.unit.evaluation.faked_runs import SQL, run
from tests.unit.evaluation.judged import catalog_of
from workloads.catalog import Catalog


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return catalog_of(tmp_path, {"t": "SELECT i FROM range(10) t(i)"})


def test_the_cores_that_are_busy_are_counted_while_a_query_runs(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog, tmp_path: Path
):
    count = tmp_path / "stat"

    def of_user(core_s: float) -> None:
        """Write a count: user, nice, system, idle, waiting, interrupts, stolen and guests."""
        ticks, guest = round(core_s * os.sysconf("SC_CLK_TCK")), round(50 * core_s)
        count.write_text(
            f"cpu  {ticks} 1 2 {9 * ticks} {7 * ticks} 3 4 {guest} {guest} 0\ncpu0 1 2\n"
        )

    clock = [0.0]

    def working(answer: Answer) -> Answer:
        clock[0] += 2.0
        of_user(1.7 * clock[0])
        return answer

    of_user(0.0)
    monkeypatch.setattr(busy_cores, "_COUNT", count)
    monkeypatch.setattr(busy_cores, "perf_counter", lambda: clock[0])
    answering = {("one", query): working for query in SQL}
    found = run(monkeypatch, catalog, answering, strategies=("one",))[0]
    # Idle cores, those that wait for a disk and those of other machines do not count.
    assert [each.busy_cores for each in found.queries] == [pytest.approx(1.7)] * 3
    monkeypatch.setattr(busy_cores, "_COUNT", tmp_path / "no such file")
    found = run(monkeypatch, catalog, answering, strategies=("one",))[0]
    assert [each.busy_cores for each in found.queries] == [None] * 3
