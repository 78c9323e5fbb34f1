"""Join strategies, without Spark."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.spark.joins import HASHED_BYTES, SMALL_BYTES, join_hints, join_settings, joining
from evaluation.spark.planned_once import MOST_BYTES


def fragments(**bytes_out: float) -> Any:
    return [
        SimpleNamespace(view=view, fragment=SimpleNamespace(work=SimpleNamespace(bytes_out=size)))
        for view, size in bytes_out.items()
    ]


SIZES = {"small": SMALL_BYTES, "middle": HASHED_BYTES, "large": HASHED_BYTES + 1}


@pytest.mark.parametrize(
    ("strategy", "hints"),
    [
        ("automatic", {"small": "broadcast", "middle": "shuffle_hash"}),
        ("broadcast", {"small": "broadcast", "middle": "broadcast"}),
        ("partitioned", {}),
    ],
)
def test_a_strategy_says_what_is_broadcast_and_what_is_hashed(strategy, hints):
    assert join_hints(fragments(**SIZES), strategy, as_predicted=True) == hints


def test_nothing_is_hashed_where_sizes_are_seen_later_or_not_as_predicted():
    broadcast = {"small": "broadcast"}
    assert join_hints(fragments(**SIZES), "automatic", as_predicted=False) == broadcast
    many = fragments(**SIZES, most=MOST_BYTES)
    assert join_hints(many, "automatic", as_predicted=True) == broadcast


def test_of_equal_fragments_one_stays_where_it_is():
    assert len(join_hints(fragments(a=7, b=7), "broadcast", as_predicted=True)) == 1


def test_a_partitioned_join_is_no_broadcast_at_whatever_size():
    assert set(join_settings("partitioned").values()) == {"-1"}
    assert set(join_settings("broadcast")) == set(join_settings("partitioned"))
    assert join_settings("automatic") == {}


class Conf(dict[str, str]):
    """As much of a session's settings as is needed."""

    def set(self, key: str, value: str) -> None:
        self[key] = value

    def unset(self, key: str) -> None:
        del self[key]


def test_the_session_is_afterwards_as_it_was():
    before: Mapping[str, str] = {"spark.sql.autoBroadcastJoinThreshold": "5m"}
    spark: Any = SimpleNamespace(conf=Conf(before))
    with joining(spark, "partitioned"):
        assert spark.conf == join_settings("partitioned")
    assert spark.conf == before
