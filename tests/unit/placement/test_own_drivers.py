"""Small results come by their store's own driver, and no task of the engine takes them."""

from dataclasses import replace

import pytest

from placement.costs import CostModel
from placement.fetching import FEW_BYTES
from placement.stores import Capability
from tests.unit.placement.problems import ENGINE, changed, fragment, store

FEW_ROWS = 3_000
PLAIN = fragment("q", ("t", "u"), {"t": "t", "u": "u"}, rows=FEW_ROWS)
WHOLE = fragment("q", ("t", "u"), {"t": "t", "u": "u"}, rows=FEW_ROWS, kind=Capability.QUERY)
MANY = fragment("q", ("t", "u"), {"t": "t", "u": "u"}, rows=FEW_ROWS + 1)
WIDE = changed(PLAIN, row_bytes_out=1 + FEW_BYTES / FEW_ROWS)
REPEATED = changed(PLAIN, repeats="q/b.v")


def spared_s(each, *, most_rows=FEW_ROWS, own_drivers=True):
    """Seconds of the engine that a fragment is spared by such a store and engine."""
    where = store("a")
    strength = replace(where.strength, most_driver_rows=most_rows)
    engine = replace(ENGINE, own_drivers=own_drivers)
    here = CostModel(engine=engine).fragment(each, replace(where, strength=strength), 2)
    return CostModel(engine=ENGINE).fragment(each, where, 2).engine_s - here.engine_s


def test_a_small_fragment_is_spared_the_seconds_of_a_task():
    assert spared_s(PLAIN) == pytest.approx(ENGINE.fragment_s)
    assert spared_s(PLAIN, most_rows=FEW_ROWS - 1) == 0
    assert spared_s(PLAIN, own_drivers=False) == 0
    # A store without such a driver fetches no empty result by one.
    assert spared_s(changed(PLAIN, rows_out=0.0), most_rows=0) == 0


def test_a_whole_answer_is_spared_them_whatever_the_engine_is():
    for own_drivers in (True, False):
        assert spared_s(WHOLE, own_drivers=own_drivers) == pytest.approx(ENGINE.fragment_s)


@pytest.mark.parametrize("each", [MANY, WIDE, REPEATED])
def test_what_is_large_or_is_not_fetched_is_not(each):
    assert spared_s(each) == 0
