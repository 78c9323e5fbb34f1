"""When Spark combines what DuckDB in the driver was to combine; without an engine."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.federation.compiled import CompiledQuery
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.driver_parts import MOST_ARRIVING, most_rows
from evaluation.running.executed import Execution
from evaluation.running.execution import Federation
from tests.spark.runtime_queries import QUICK, compiled

DONE = Execution(columns=(), rows=(), seconds=1.0, moved={})
SMALL = replace(compiled({"pg": QUICK}, "SELECT n FROM f0"), driver_sql="SELECT n FROM f0")
FULL = QueryFailedError("Out of Memory Error", timeout=False, of_driver=True)
OF_DATA = QueryFailedError("'a' is no number", timeout=False, of_driver=True, of_query=True)
MANY = QueryFailedError("9 rows arrive", timeout=False, of_driver=True, too_large=True)
LARGE = QueryFailedError("maxResultBuffer", timeout=False, too_large=True)
Tried = tuple[bool, bool]


class Tries:
    """A federation whose executions end as they are told to.

    Of each it remembers whether DuckDB may combine, and whether sizes are as predicted.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *ways: QueryFailedError | None) -> None:
        spark: Any = SimpleNamespace(sparkContext=SimpleNamespace(master="local[2]"))
        self.made: list[Tried] = []
        self.federation = Federation(spark, {}, timeout_s=100.0)
        left = list(ways)

        def once(_: Any, query: CompiledQuery, ends: float | None, **way: bool) -> Execution:
            self.made.append((bool(query.driver_sql), way["as_predicted"]))
            if (error := left.pop(0)) is not None:
                raise error
            return DONE

        monkeypatch.setattr(Federation, "_once", once)


@pytest.mark.parametrize(
    ("error", "second"),
    [(FULL, (False, True)), (OF_DATA, (False, True)), (MANY, (False, False))],
)
def test_what_duckdb_cannot_combine_is_sparks_from_then_on(
    monkeypatch: pytest.MonkeyPatch, error: QueryFailedError, second: Tried
):
    tries = Tries(monkeypatch, error, None, None)
    found = tries.federation.run(SMALL)
    assert (found.by_spark, found.second_try) == (str(error), "")
    assert tries.federation.run(SMALL).by_spark == str(error)
    assert tries.made == [(True, True), second, second]


def test_what_is_larger_than_spark_took_it_for_is_tried_once_more(
    monkeypatch: pytest.MonkeyPatch,
):
    tries = Tries(monkeypatch, FULL, LARGE, None)
    assert tries.federation.run(SMALL).by_spark == str(FULL)
    assert tries.made == [(True, True), (False, True), (False, False)]


def test_another_query_of_the_same_fragments_is_still_duckdbs(monkeypatch: pytest.MonkeyPatch):
    tries = Tries(monkeypatch, OF_DATA, None, None)
    tries.federation.run(SMALL)
    other = replace(SMALL, driver_sql="SELECT n + 1 AS n FROM f0")
    assert tries.federation.run(other).by_spark == ""
    assert tries.made[-1] == (True, True)


@pytest.mark.parametrize(
    "query",
    [
        replace(SMALL, driver_sql="", combiner="duckdb", lacked=("function",)),
        replace(SMALL, driver_sql=""),
    ],
)
def test_what_had_no_other_way_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch, query: CompiledQuery
):
    tries = Tries(monkeypatch, FULL)
    with pytest.raises(QueryFailedError, match="Out of Memory"):
        tries.federation.run(query)
    assert len(tries.made) == 1


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch):
    tries = Tries(monkeypatch, QueryFailedError("No space left on device", timeout=False))
    with pytest.raises(QueryFailedError, match="No space"):
        tries.federation.run(SMALL)
    assert len(tries.made) == 1


def test_frames_of_one_task_share_what_is_left_of_a_small_query():
    (one,) = SMALL.fragments
    others = [replace(one, view=view) for view in ("f1", "f2", "f3")]
    rows = most_rows([one, *others], bytes_in=0.0)
    assert set(rows.values()) == {1 + (MOST_ARRIVING // 4 + 12) // 8}
    (full,) = most_rows([one], bytes_in=MOST_ARRIVING + 1).values()
    # It may have half as many again as predicted in any case.
    assert full == 2
