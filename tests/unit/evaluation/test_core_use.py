"""The cores that a store keeps busy, fitted to those that were counted."""

import random
from dataclasses import replace

import pytest

from evaluation.calibration.core_use import Counted, core_use
from placement.machines import DISKS, ENGINE, Place

OF, ROWS = Place("store", "pg"), Place("rows", "pg")


def counted(
    *, of: float = 0.0, rows: float = 0.0, engine: float = 0.0, disks: float = 0.0, slow=1.0
):
    """A query of these predicted seconds, that takes `slow` times as long, with its cores."""
    predicted = {OF: of, ROWS: rows, ENGINE: engine, DISKS: disks}
    total_s = sum(predicted.values())
    busy_s = 1.2 * of + 1.9 * rows + engine
    return Counted(seconds=slow * total_s, cores=busy_s / total_s, predicted=predicted)


def drawn(noise: float) -> list[Counted]:
    """Queries of which a third of the seconds are rows on their way, counted so inexactly."""
    rng = random.Random(3)
    found = [
        counted(
            of=rng.uniform(0.1, 1),
            rows=rng.uniform(0.0, 1) * rng.randint(0, 1),
            engine=rng.uniform(0.0, 0.1),
            disks=rng.choice((0.0, 0.5)),
            slow=rng.uniform(0.5, 2),
        )
        for _ in range(70)
    ]
    return [replace(each, cores=each.cores + rng.gauss(0, noise)) for each in found]


def test_rows_on_their_way_have_cores_of_their_own():
    for noise in (0.0, 0.12):
        found = core_use("pg", drawn(noise), 2)
        assert found.computing == pytest.approx(1.2, abs=0.08)
        assert found.handing == pytest.approx(1.9, abs=0.12)
    # Nothing keeps more cores busy than there are, or hardly any.
    assert core_use("pg", drawn(0.0), 1).handing == pytest.approx(1.0)
    idle = [replace(each, cores=0.0) for each in drawn(0.0)]
    assert core_use("pg", idle, 2).computing == pytest.approx(0.3)


def test_a_long_query_counts_as_much_as_its_seconds():
    short = [counted(of=0.1) for _ in range(10)]
    long = replace(counted(of=1.0), cores=1.8, seconds=4.0)
    found = core_use("pg", [*short, long], 2)
    assert found.computing == pytest.approx((10 * 0.1 * 1.2 + 4.0 * 1.8) / 5.0)


def test_what_queries_do_not_tell_apart_has_the_same_cores():
    mixed = counted(of=0.6, rows=0.4)
    found = core_use("pg", [mixed, mixed], 2)
    assert found.computing == pytest.approx(found.handing, rel=0.1)
    assert 0.6 * found.computing + 0.4 * found.handing == pytest.approx(mixed.cores, rel=0.02)


def test_where_hardly_a_row_is_handed_over_there_are_cores_of_all_seconds():
    found = core_use("pg", [counted(of=1.0), counted(of=2.0, rows=0.01, engine=0.2)], 2)
    assert found.computing == pytest.approx(1.2, abs=0.01)
    assert found.handing is None


def test_without_seconds_in_the_store_nothing_is_told():
    assert core_use("pg", [], 2) is None
    assert core_use("pg", [counted(engine=1.0, of=0.05)], 2) is None
    assert core_use("maria", [counted(of=1.0)], 2) is None
