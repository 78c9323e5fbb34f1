"""A query's end is an outcome of that query, whatever it was, and never the end of the command."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation import runs
from evaluation.judging.answer import Answer
from evaluation.measuring.measurement import CandidateMeasurement, QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from placement.plan import RoutedFragment
from placement.transfer.link import TransferSettings
from tests.spark.runtime_queries import compiled
from tests.unit.evaluation.faked_runs import SQL, Answering, outcomes, plan, raising, run
from tests.unit.evaluation.judged import catalog_of
from workloads.catalog import Catalog
from workloads.indexes import NamedIndex


def with_last(answer: Answer) -> Answer:
    """What another order of the rows gives."""
    return replace(answer, rows=[(9,)])


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return catalog_of(tmp_path, {"t": "SELECT i FROM range(10) t(i)"})


@pytest.mark.parametrize(("rounds", "kept"), [(0.5, 0), (1.5, 0), (2.5, 1), (3.5, 2)])
def test_a_killed_java_costs_the_round_that_it_was_in(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog, rounds: float, kept: int
):
    # Java is asked for after each execution, and once more after each round.
    a_round = 2 * len(SQL) + 1
    for found in run(monkeypatch, catalog, {}, killed_after=int(rounds * a_round)):
        assert {len(each.seconds) for each in found.queries} == {kept}
        expected = {"verified"} if kept else {"failed"}
        assert set(outcomes(found).values()) == expected
        assert all("driver_memory" in each.message for each in found.queries) is (kept == 0)


def test_right_answers_have_seconds(monkeypatch: pytest.MonkeyPatch, catalog: Catalog):
    for found in run(monkeypatch, catalog, {}):
        assert set(outcomes(found).values()) == {"verified"}
        assert found.measured_s == 6.0
        assert found.predicted_s == 7.0


def rounds(found: tuple[CandidateMeasurement, ...]) -> dict[str, int]:
    return {each.plan.strategy: each.rounds for each in found}


def test_a_candidate_has_no_more_rounds_once_its_place_is_settled(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    seconds = {"one": 1.0, "two": 1.01, "far": 9.0}
    found = run(monkeypatch, catalog, {}, strategies=tuple(seconds), seconds=seconds)
    assert rounds(found) == {"one": 3, "two": 3, "far": 1}
    far = found[2]
    assert far.measured_s == 27.0
    assert far.spread_s is None
    found = run(
        monkeypatch, catalog, {}, strategies=tuple(seconds), seconds=seconds, all_repeats=True
    )
    assert rounds(found) == {"one": 3, "two": 3, "far": 3}


def test_the_queries_of_a_candidate_follow_one_another(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    asked = list[tuple[str, str]]()

    def noted(name: str, query: str) -> Answering:
        def answering(answer: Answer) -> Answer:
            asked.append((name, query))
            return answer

        return answering

    names = ("one", "two", "three")
    run(
        monkeypatch,
        catalog,
        {(name, query): noted(name, query) for name in names for query in SQL},
        strategies=names,
        all_repeats=True,
    )
    turns = [asked[start : start + len(SQL)] for start in range(0, len(asked), len(SQL))]
    assert len(turns) == 4 * len(names)
    for turn in turns:
        assert turn == [(turn[0][0], query) for query in SQL]
    # Candidates take turns: a round has each once, and not always in the same order.
    orders = [tuple(turn[0][0] for turn in turns[at : at + 3]) for at in range(0, 12, 3)]
    assert {frozenset(each) for each in orders} == {frozenset(names)}
    assert len(set(orders)) > 1


def test_candidates_that_answer_a_query_alike_share_its_runs(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    seconds = {"one": 1.0, "two": 3.0}
    asked = list[str]()

    def noted(name: str) -> Answering:
        def answering(answer: Answer) -> Answer:
            asked.append(name)
            return answer

        return answering

    answering = {(name, query): noted(query) for name in seconds for query in SQL}
    one, two = run(
        monkeypatch,
        catalog,
        answering,
        strategies=tuple(seconds),
        seconds=seconds,
        alike=("right", "first"),
        all_repeats=True,
    )
    assert Counter(asked) == {"right": 4, "first": 4, "spoilt": 8}
    shared = [(each.query, each.seconds) for each in one.queries[:2]]
    assert [(each.query, each.seconds) for each in two.queries[:2]] == shared
    assert [one.queries[2].seconds, two.queries[2].seconds] == [(1.0,) * 3, (3.0,) * 3]


@pytest.mark.parametrize(
    "changes",
    [
        {"memory_bytes": 1 << 20},
        {"transfer": TransferSettings(fetch_rows=77, message_bytes=32_768)},
        {"store": "maria"},
        {"read_by": (NamedIndex(table="item", columns=("i_brand",)),)},
    ],
)
def test_fragments_with_other_settings_are_run_on_their_own(changes: dict[str, Any]):
    """A tuned plan is never given the seconds of the plan that it was made of."""
    (one,) = compiled({"pg": "SELECT 1 AS n"}).fragments
    routed = RoutedFragment(fragment=one.fragment, store="pg", predicted_s=1.0)
    first = replace(plan("first"), routing={"q": (routed,)})
    same = replace(plan("same"), routing={"q": (replace(routed, predicted_s=2.0),)})
    other = replace(plan("other"), routing={"q": (replace(routed, **changes),)})
    assert runs._alike([first, same, other]) == {
        ("first", "q"): "first",
        ("same", "q"): "first",
        ("other", "q"): "other",
    }


def test_a_run_that_is_shared_and_fails_is_the_outcome_of_all(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    lost = raising(QueryFailedError("lost", timeout=False))
    answering = {(name, "right"): lost for name in ("one", "two")}
    for found in run(monkeypatch, catalog, answering, alike=("right",)):
        assert outcomes(found)["right"] == "failed"
        assert found.queries[0].message == "lost"


def test_a_reference_has_one_round_and_keeps_nobody_in(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    seconds = {"one": 1.0, "reference": 1.0, "far": 9.0}
    found = run(
        monkeypatch,
        catalog,
        {},
        strategies=tuple(seconds),
        seconds=seconds,
        over=("reference",),
    )
    assert rounds(found) == {"one": 3, "reference": 1, "far": 1}


def test_a_candidate_with_a_query_that_failed_has_one_round(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    answering = {("one", "right"): raising(QueryFailedError("lost", timeout=False))}
    found = run(monkeypatch, catalog, answering, strategies=("one", "two", "three"))
    assert rounds(found) == {"one": 1, "two": 3, "three": 3}


COUNTED = (
    "exchanges", "shuffle_bytes", "peak_memory_bytes", "shuffle_records", "spilled_bytes",
    "exchanged_rows", "exchanged_bytes", "operators_memory_bytes",
)  # fmt: skip


def test_what_the_engine_does_not_tell_is_none_and_what_it_tells_is_kept_even_if_it_is_0(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    (found,) = run(monkeypatch, catalog, {}, strategies=("one",))
    for query in found.queries:
        assert [getattr(query, each) for each in COUNTED] == [None] * len(COUNTED)
        assert query.engine_s is None
    (found,) = run(monkeypatch, catalog, {}, strategies=("one",), told=dict.fromkeys(COUNTED, 0))
    for query in found.queries:
        assert [getattr(query, each) for each in COUNTED] == [0] * len(COUNTED)


def test_a_query_that_failed_has_no_figures_of_the_engine(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    answering = {("one", "right"): raising(QueryFailedError("lost", timeout=False))}
    told = dict.fromkeys(COUNTED, 7)
    (found,) = run(monkeypatch, catalog, answering, strategies=("one",), told=told)
    failed, other = found.queries[:2]
    assert failed.outcome is QueryOutcome.FAILED
    assert [getattr(failed, each) for each in COUNTED] == [None] * len(COUNTED)
    assert other.exchanges == 7


def test_what_is_undetermined_for_one_candidate_is_left_out_of_all(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    for found in run(monkeypatch, catalog, {("two", "first"): with_last}):
        assert outcomes(found) == {
            "right": "verified", "first": "undetermined", "spoilt": "verified"
        }  # fmt: skip
        assert found.verified
        assert found.totals_s == (4.0, 4.0, 4.0)
        (left_out,) = (each for each in found.queries if each.query == "first")
        assert left_out.seconds == ()
        assert left_out.message.startswith("not determined: an aggregate that takes any value")


def test_what_failed_is_not_excused_by_being_undetermined_elsewhere(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    answering = {
        ("two", "first"): with_last,
        ("one", "first"): raising(QueryFailedError("lost", timeout=False)),
    }
    one, two = run(monkeypatch, catalog, answering)
    assert outcomes(one)["first"] == "failed"
    assert one.measured_s is None
    assert two.measured_s == 4.0


def test_a_workload_of_undetermined_queries_has_no_seconds(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    monkeypatch.setitem(SQL, "right", SQL["first"])
    monkeypatch.setitem(SQL, "spoilt", SQL["first"])
    for found in run(monkeypatch, catalog, {("two", name): with_last for name in SQL}):
        assert found.totals_s == ()
        assert found.measured_s is None


@pytest.mark.parametrize(
    "error",
    [
        ValueError("year 10000 is out of range"),
        OverflowError("date value out of range"),
        UnboundLocalError("cannot access local variable"),
        RuntimeError("login\nwith s3cret failed"),
        KeyError("x"),
        MemoryError(),
        RecursionError("maximum depth"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("where", ["run", "prepare", "second"])
def test_no_error_of_a_query_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog, error: Exception, where: str
):
    lost = QueryFailedError("lost the store", timeout=False, lost=["pg"])
    answering = {"run": raising(error), "prepare": error, "second": raising(lost)}[where]
    (found,) = run(
        monkeypatch,
        catalog,
        {("one", "spoilt"): answering},
        second=error if where == "second" else None,
        strategies=("one",),
    )
    assert outcomes(found) == {"right": "verified", "first": "verified", "spoilt": "failed"}
    (failed,) = (each for each in found.queries if each.outcome is QueryOutcome.FAILED)
    assert type(error).__name__ in failed.message
    assert "s3cret" not in failed.message
    assert "\n" not in failed.message
    assert failed.seconds == ()


def test_an_answer_in_another_type_is_wrong_for_our_engine(
    monkeypatch: pytest.MonkeyPatch, catalog: Catalog
):
    def widened(answer: Answer) -> Answer:
        columns = tuple(replace(each, type="DOUBLE") for each in answer.columns)
        return Answer(columns=columns, rows=[(float(str(row[0])),) for row in answer.rows])

    (found,) = run(monkeypatch, catalog, {("one", "spoilt"): widened}, strategies=("one",))
    assert outcomes(found)["spoilt"] == "wrong"
    assert found.measured_s is None
