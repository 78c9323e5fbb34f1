"""The order in which cells are measured: by places, and in turns."""

from advisor.experiments.cells import by_place, by_turn
from tests.unit.advisor.experiments import P1, P2, cell


def test_sparks_engines_share_a_place_and_trino_comes_last():
    wanted = [
        cell(engine="trino"),
        cell(workers=2),
        cell(workers=1, engine="spark-native"),
        cell(),
        cell(engine="spark-native", joins="broadcast"),
    ]
    places = [(where.place, len(of)) for where, of in by_place(wanted)]
    assert places == [("Spark", 2), ("Spark of 1", 1), ("Spark of 2", 1), ("Trino", 1)]


def test_the_placements_of_a_query_take_turns_and_settings_do_not():
    wanted = [cell(P1), cell(P2), cell(P1, joins="broadcast"), cell(P1, "q9")]
    turns = [[each.placement for each in of] for of in by_turn(wanted).values()]
    assert turns == [[P1, P2], [P1], [P1]]


def test_the_settings_of_a_query_follow_one_another():
    wanted = [cell(P1), cell(P1, "q9"), cell(P1, joins="broadcast"), cell(P1, "q9", "trino")]
    turns = [(query, setting.engine, setting.joins) for setting, query in by_turn(wanted)]
    assert turns == [
        ("q1", "fragments", "automatic"),
        ("q1", "fragments", "broadcast"),
        ("q9", "fragments", "automatic"),
        ("q9", "trino", "automatic"),
    ]


def test_settings_that_are_alone_begin_with_another_one_at_each_query():
    wanted = [
        cell(query=query, joins=joins, alone=True)
        for query in ("q1", "q9", "q12", "q15")
        for joins in ("broadcast", "automatic", "partitioned")
    ]
    turns = [setting.joins for setting, _ in by_turn(wanted)]
    assert turns[:3] == ["automatic", "broadcast", "partitioned"]
    assert turns[::3] == ["automatic", "partitioned", "broadcast", "automatic"]
    two = [each for each in wanted if each.setting.joins != "automatic"]
    firsts = [setting.joins for setting, _ in by_turn(two)][::2]
    assert firsts == ["broadcast", "partitioned", "broadcast", "partitioned"]
