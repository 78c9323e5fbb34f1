"""The room that chosen indexes take in a migration."""

from dataclasses import replace

import pytest

from placement.fragment import IndexRead
from placement.movement.migration import migrate
from placement.movement.migration_routing import switched
from tests.unit.placement.problems import changed, problem, query, store, strength
from workloads.errors import InfeasibleError
from workloads.indexes import NamedIndex
from workloads.progress import Silent

ON_U, ON_T = NamedIndex("u", ("c",)), NamedIndex("t", ("c",))
ON_U2 = NamedIndex("u", ("d",))


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


def reindexing(capacity, had, wanted, **options):
    """`u` stays in `b`, where it loses the indexes that it `had`, and `t` comes there."""
    asked = problem(
        {"t": 100, "u": 50},
        [store("a"), store("b", capacity)],
        index_bytes={ON_U: 30, ON_U2: 40, ON_T: 20},
        max_copies=2,
        **options,
    )
    start, goal = {"t": ("a",), "u": ("b",)}, {"t": ("a", "b"), "u": ("b",)}
    return migrate(asked.with_indexes({"b": wanted}), start, goal, {"b": had})


def told(found):
    return [(step.kind, step.index or step.table, step.held_bytes["b"]) for step in found.steps]


COPIED = ("copy", "verify", "switch")


def test_a_copy_that_stays_gets_its_indexes_first_and_loses_others_last_where_there_is_room():
    found = reindexing(220, had=[ON_U], wanted=[ON_U2])
    assert told(found) == [
        ("index", ON_U2, 120),
        *((kind, "t", 220) for kind in COPIED),
        ("drop_index", ON_U, 190),
    ]
    first, *_, last = found.steps
    assert (first.target, first.bytes, first.indexes) == ("b", 40, (ON_U, ON_U2))
    assert (last.source, last.bytes, last.indexes) == ("b", 30, (ON_U2,))
    assert (found.copied_bytes, found.indexed_bytes) == (100, 40)


def test_without_room_for_both_the_old_indexes_go_first_and_the_new_ones_come_last():
    found = reindexing(219, had=[ON_U], wanted=[ON_U2])
    assert told(found) == [
        ("drop_index", ON_U, 50),
        *((kind, "t", 150) for kind in COPIED),
        ("index", ON_U2, 190),
    ]
    assert found.peak_bytes["b"] == 190


def test_the_goal_has_to_have_room_for_the_indexes_that_copies_get():
    assert reindexing(190, had=[], wanted=[ON_U2]).peak_bytes["b"] == 190
    with pytest.raises(InfeasibleError, match="1 B over its capacity"):
        reindexing(189, had=[], wanted=[ON_U2])


def test_indexes_that_a_copy_keeps_are_left_alone():
    found = reindexing(None, had=[ON_U], wanted=[ON_U, ON_T])
    assert [step.kind for step in found.steps] == list(COPIED)
    assert found.steps[0].indexes == (ON_T,)
    assert found.peak_bytes["b"] == 50 + 30 + 100 + 20


def test_making_an_index_takes_the_reading_of_the_rows_and_the_writing_of_its_entries():
    (made,) = (step for step in reindexing(None, [], [ON_U2]).steps if step.kind == "index")
    strength = store("b").strength
    expected = strength.start_s + 50 / strength.scan_bytes_per_s + 40 / strength.load_bytes_per_s
    assert made.estimated_s == pytest.approx(expected)


def test_a_detour_has_the_room_of_indexes_that_change():
    """Two tables change places through a third store, in which the index of another changes."""
    asked = problem(
        {"x": 10, "y": 10, "u": 5},
        [store("left", 10), store("right", 10), store("third", 15)],
        index_bytes={ON_U: 5, ON_U2: 5},
    )
    start = {"x": ("left",), "y": ("right",), "u": ("third",)}
    goal = {"x": ("right",), "y": ("left",), "u": ("third",)}
    found = migrate(asked.with_indexes({"third": [ON_U2]}), start, goal, {"third": [ON_U]})
    assert found.steps[0].kind == "drop_index"
    assert found.steps[-1].kind == "index"
    assert all(step.held_bytes["third"] <= 15 for step in found.steps)
    plain = migrate(asked, start, goal)
    assert found.copied_bytes == plain.copied_bytes


def test_a_copy_that_leaves_for_a_while_gets_its_indexes_once_it_is_back():
    """Two tables change places through a third store, where they may not be beside another."""
    asked = problem(
        {"x": 10, "y": 10, "u": 5},
        [store("left", 10), store("right", 10), store("third"), store("fourth")],
        index_bytes={ON_U: 5, ON_U2: 5},
        apart=(("u", "x"), ("u", "y")),
        exclude={"x": ["fourth"], "y": ["fourth"]},
    )
    start = {"x": ("left",), "y": ("right",), "u": ("third",)}
    goal = {"x": ("right",), "y": ("left",), "u": ("third",)}
    found = migrate(asked.with_indexes({"third": [ON_U2]}), start, goal, {"third": [ON_U]})
    kinds = [step.kind for step in found.steps]
    assert (kinds[0], kinds[-1]) == ("drop_index", "index")
    (back,) = (s for s in found.steps if (s.kind, s.table, s.target) == ("copy", "u", "third"))
    assert (back.indexes, back.bytes) == ((), 5)
    assert found.steps[-1].held_bytes["third"] == 10


def test_queries_are_priced_by_the_indexes_that_there_are_on_the_way():
    by_u = IndexRead(source="b.u", clustered=False, rows=1.0, spared_bytes=90.0, index=ON_U2)
    asking = query("q", ["u"], whole=False)
    reading = changed(asking.fragments[0], index_reads=(by_u,))
    indexed = replace(strength(), index_rows_per_s=1000.0)
    asked = problem(
        {"u": 50},
        [replace(store("b"), strength=indexed)],
        [replace(asking, fragments=(reading,))],
        index_bytes={ON_U: 30, ON_U2: 40},
    )
    goal = asked.with_indexes({"b": [ON_U2]})
    place = {"u": ("b",)}
    steps = migrate(goal, place, place, {"b": [ON_U]}).steps
    assert [step.kind for step in steps] == ["index", "drop_index"]
    before, made, dropped = switched(goal, place, steps, Silent(), {"b": [ON_U]})
    assert before.queries_s == pytest.approx(made.queries_s + 0.09 - 0.001)
    assert dropped.queries_s == made.queries_s
