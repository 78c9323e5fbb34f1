"""The parts that a large frame is collected in by the driver."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from evaluation.running.driver_parts import (
    MOST_PARTS,
    PART_BYTES,
    SMALL_PART_BYTES,
    number_of_parts,
)
from placement.stores import Capability
from tests.unit.placement.problems import fragment


def parts(size_bytes, kind=Capability.JOIN, *, as_predicted=True, is_small=False):
    plain = fragment("q", ("t",), {"t": "t"})
    work = replace(plain.work, rows_out=size_bytes / 8, row_bytes_out=8.0)
    of = replace(plain, work=work, coverage=replace(plain.coverage, kind=kind))
    return number_of_parts(
        SimpleNamespace(fragment=of), as_predicted=as_predicted, is_small=is_small
    )


@pytest.mark.parametrize(
    ("size_bytes", "number"),
    [
        (0, 1),
        (PART_BYTES - 8, 1),
        (PART_BYTES, 2),
        (10.5 * PART_BYTES, 11),
        # An estimate of cross joins is of any size.
        (1e15, MOST_PARTS),
    ],
)
def test_a_frame_has_as_many_parts_as_its_predicted_size_fills(size_bytes, number):
    assert parts(size_bytes) == number


def test_parts_of_a_small_query_are_larger():
    assert parts(SMALL_PART_BYTES - 8, is_small=True) == 1
    assert parts(SMALL_PART_BYTES, is_small=True) == 2


def test_a_size_that_was_wrong_once_is_not_relied_on():
    assert parts(8, as_predicted=False) == MOST_PARTS


def test_a_whole_query_keeps_its_order():
    assert parts(100 * PART_BYTES, Capability.QUERY) == 1
    assert parts(8, Capability.QUERY, as_predicted=False) == 1
