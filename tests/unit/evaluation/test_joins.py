"""Join strategies, without Spark."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.joins import SMALL_BYTES, broadcast_views, join_settings, joining

FRAGMENTS: Any = [
    SimpleNamespace(view=view, fragment=SimpleNamespace(bytes_out=size))
    for view, size in {"small": 10, "middle": 2 * SMALL_BYTES, "large": 9 * SMALL_BYTES}.items()
]


@pytest.mark.parametrize(
    ("strategy", "views"),
    [("automatic", {"small"}), ("broadcast", {"small", "middle"}), ("partitioned", set())],
)
def test_a_strategy_says_what_is_broadcast(strategy, views):
    assert broadcast_views(FRAGMENTS, strategy) == views


def test_of_equal_fragments_one_stays_where_it_is():
    equal: Any = [
        SimpleNamespace(view=view, fragment=SimpleNamespace(bytes_out=7)) for view in "ab"
    ]
    assert len(broadcast_views(equal, "broadcast")) == 1


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
