"""The room that chosen indexes take in a migration."""

from dataclasses import replace

import pytest

from placement.movement.migration import migrate
from tests.unit.placement.problems import problem, store
from workloads.errors import InfeasibleError
from workloads.indexes import NamedIndex

ON_U, ON_T = NamedIndex("u", ("c",)), NamedIndex("t", ("c",))


def changing_places(capacity, indexes):
    """Two tables that change places: `u`, which has an index in `b`, and `t`, which gets one there.

    Return the problem with the goal's indexes, the start and the goal.
    """
    asked = problem(
        {"t": 100, "u": 50},
        [store("a"), store("b", capacity)],
        index_bytes={ON_U: 30, ON_T: 20},
        max_copies=2,
    )
    return asked.with_indexes(indexes), {"t": ("a",), "u": ("b",)}, {"t": ("b",), "u": ("a",)}


def test_copies_take_room_with_the_indexes_that_they_have_and_get():
    asked, start, goal = changing_places(185, {"b": [ON_T]})
    found = migrate(asked, start, goal, {"b": [ON_U]})
    held = [each.held_bytes["b"] for each in found.steps]
    assert max(held) <= 185
    # `u` leaves with its index, and `t` comes with another: of both there was no room.
    assert set(held) == {80, 0, 120}
    assert found.copied_bytes == 50 + 120
    assert found.peak_bytes["a"] == 150
    plain, *_ = changing_places(185, {})
    assert {each.held_bytes["b"] for each in migrate(plain, start, goal).steps} <= {0, 50, 100, 150}


def test_the_room_that_indexes_lack_is_named():
    asked, start, goal = changing_places(125, {"b": [ON_T]})
    full = replace(asked, stores=(replace(asked.stores[0], capacity_bytes=149), asked.stores[1]))
    with pytest.raises(InfeasibleError, match="lacks 1 B of room"):
        migrate(full, start, goal, {"b": [ON_U]})
    plain, *_ = changing_places(160, {})
    roomy = replace(plain, stores=(replace(plain.stores[0], capacity_bytes=149), plain.stores[1]))
    assert migrate(roomy, start, goal).steps
    with pytest.raises(InfeasibleError, match="lacks"):
        migrate(roomy, start, goal, {"b": [ON_U]})


def test_a_copy_that_stays_keeps_the_indexes_that_it_has():
    asked, _, _ = changing_places(200, {"b": [ON_U]})
    start, goal = {"t": ("a",), "u": ("b",)}, {"t": ("a", "b"), "u": ("b",)}
    assert migrate(asked, start, goal, {}).peak_bytes["b"] == 50 + 100
    assert migrate(asked, start, goal, {"b": [ON_U]}).peak_bytes["b"] == 80 + 100
