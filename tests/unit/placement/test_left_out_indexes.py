"""Indexes that may be chosen: which are left out, and what one costs by the store's weight."""

from dataclasses import replace

import pytest

from placement.machines import ENGINE, Place
from placement.plan import Outcome
from placement.strategies import with_indexes
from placement.strategies.optimal import Optimal
from placement.weighted_costs import WeightedCosts, copied
from tests.unit.placement.problems import problem
from tests.unit.placement.test_advised_indexes import ON_C, asked, best, indexing, read, reading
from workloads.indexes import NamedIndex


def test_indexes_that_save_little_are_left_out_while_all_that_are_save_little(monkeypatch):
    names = ["t0", "t1", "t2", "t3"]
    reads = [read(NamedIndex(each, ("c",)), 90.0, source=f"b.{each}") for each in names]
    made = problem(
        dict.fromkeys(names, 100),
        (indexing("a"),),
        [reading(r, name=f"q{n}", tables=(n,)) for n, r in zip(names, reads, strict=True)],
        candidates={"a": frozenset(each.index for each in reads)},
        index_bytes={each.index: 10 for each in reads},
    )
    every = best(made)
    assert (every.outcome, len(every.indexes["a"])) == (Outcome.OPTIMAL, 4)
    plain = Optimal()(made.with_indexes({}))
    share = (plain.predicted_s - every.predicted_s) / 4 / plain.predicted_s
    monkeypatch.setattr(with_indexes, "LEAST_SHARE", 1.5 * share)
    for together, chosen in ((5, 0), (2.5, 2), (0.5, 4)):
        monkeypatch.setattr(with_indexes, "LEFT_OUT_SHARE", together * share)
        assert sum(map(len, best(made).indexes.values())) == chosen


def test_an_index_costs_its_store_s_weight():
    made = asked(read(ON_C, 90.0))
    weights = {Place("store", "a"): 0.001, ENGINE: 1.0}
    weighted = replace(made, costs=copied(made.costs, WeightedCosts, weights=weights))
    store_a = made.store("a")
    plain_s = made.index_s(ON_C, store_a)
    assert plain_s > 0
    assert weighted.index_s(ON_C, store_a) == pytest.approx(0.001 * plain_s)
