"""The cores that a store keeps busy, fitted to those that were counted."""

import random

import pytest

from evaluation.calibration.core_use import Counted, core_use
from placement.machines import DISKS, ENGINE, Place

OF, ROWS = Place("of", "pg"), Place("rows", "pg")


def counted(
    *, of: float = 0.0, rows: float = 0.0, engine: float = 0.0, disks: float = 0.0, slow=1.0
):
    """A query of these predicted seconds, that takes `slow` times as long, with its cores."""
    predicted = {OF: of, ROWS: rows, ENGINE: engine, DISKS: disks}
    total_s = sum(predicted.values())
    busy_s = 1.2 * of + 1.9 * rows + engine
    return Counted(seconds=slow * total_s, cores=busy_s / total_s, predicted=predicted)


def test_rows_on_their_way_have_cores_of_their_own():
    rng = random.Random(3)
    queries = [
        counted(
            of=rng.uniform(0.1, 1),
            rows=rng.uniform(0.0, 1),
            engine=rng.uniform(0.0, 0.1),
            disks=rng.choice((0.0, 0.5)),
            slow=rng.uniform(0.5, 2),
        )
        for _ in range(30)
    ]
    found = core_use("pg", queries, 2)
    assert (found.computing, found.handing) == pytest.approx((1.2, 1.9))
    # Nothing keeps more cores busy than there are.
    assert core_use("pg", queries, 1).handing == pytest.approx(1.0)


def test_where_hardly_a_row_is_handed_over_there_are_cores_of_all_seconds():
    found = core_use("pg", [counted(of=1.0), counted(of=2.0, rows=0.01, engine=0.2)], 2)
    assert found.computing == pytest.approx(1.2, abs=0.01)
    assert found.handing is None


def test_without_seconds_in_the_store_nothing_is_told():
    assert core_use("pg", [], 2) is None
    assert core_use("pg", [counted(engine=1.0)], 2) is None
    assert core_use("maria", [counted(of=1.0)], 2) is None
