"""Statements that run until a time is up: those that tell most first, and none without a rerun."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from evaluation.calibration.repeated import MOST_RUNS, Typical, repeated
from evaluation.calibration.warming import EngineRuns
from evaluation.judging.judge import Judge
from evaluation.judging.oracle import Oracle
from evaluation.measuring.measurement import CandidateMeasurement, QueryMeasurement, QueryOutcome
from evaluation.running.bounded_frames import QueryFailedError
from tests.data_fixtures import statement
from tests.unit.evaluation.faked_runs import SQL, FakeEngine, plan
from tests.unit.evaluation.judged import catalog_of
from workloads.catalog import Catalog
from workloads.progress import Silent

NAMES = ("right", "first", "spoilt")
NOTHING: Mapping[str, str] = MappingProxyType({})


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return catalog_of(tmp_path, {"t": "SELECT i FROM range(10) t(i)"})


class Clock:
    """Ticks a second with every statement that starts."""

    def __init__(self) -> None:
        self.now = -1

    def __call__(self) -> float:
        self.now += 1
        return self.now


def run(
    catalog: Catalog,
    answering: dict[str, object] | None = None,
    *,
    seconds: float = 1e9,
    runs: EngineRuns | None = None,
    alone: bool = False,
    told: Mapping[str, str] = NOTHING,
    typical: Typical = min,
) -> CandidateMeasurement:
    oracle = Oracle(catalog)
    answers = {("one", name): each for name, each in (answering or {}).items()}
    (found,) = repeated(
        FakeEngine(oracle, answers, None, {"alone": alone, **told}, {}),
        {name: statement(SQL[name], name) for name in NAMES},
        [plan("one", alike=NAMES)],
        Judge(oracle=oracle),
        turn=lambda _, name: 0 if name == "spoilt" else 1,
        seconds=seconds,
        task=Silent(),
        runs=runs or EngineRuns(),
        typical=typical,
        clock=Clock(),
    )
    oracle.close()
    return found


def of(found: CandidateMeasurement, name: str) -> QueryMeasurement:
    return next(each for each in found.queries if each.query == name)


def counting(runs: list[str], name: str) -> Callable[..., object]:
    def answering(answer: object) -> object:
        runs.append(name)
        return answer

    return answering


def test_those_that_tell_most_run_twice_first_and_all_run_a_bounded_number_of_times(
    catalog: Catalog,
):
    runs: list[str] = []
    found = run(catalog, {name: counting(runs, name) for name in NAMES})
    assert runs[:2] == ["spoilt", "spoilt"]
    assert runs[2:6] == ["right", "right", "first", "first"]
    assert {name: runs.count(name) for name in NAMES} == dict.fromkeys(NAMES, MOST_RUNS)
    assert {each.outcome for each in found.queries} == {QueryOutcome.VERIFIED}
    assert {each.seconds for each in found.queries} == {(2.0,)}


def test_the_seconds_that_count_may_be_others_than_the_least(catalog: Catalog):
    found = run(catalog, typical=lambda seconds: float(len(seconds)))
    assert {each.seconds for each in found.queries} == {(MOST_RUNS - 1.0,)}


def test_what_has_not_run_twice_when_the_time_is_up_has_no_seconds(catalog: Catalog):
    runs: list[str] = []
    found = run(catalog, {name: counting(runs, name) for name in NAMES}, seconds=3)
    assert runs == ["spoilt", "spoilt", "right"]
    assert of(found, "spoilt").seconds == (2.0,)
    for name in ("right", "first"):
        assert of(found, name).seconds == ()
        assert of(found, name).outcome is QueryOutcome.TIMEOUT
        assert "time" in of(found, name).message


def test_one_that_fails_or_is_answered_wrongly_is_left_out_and_the_others_go_on(catalog: Catalog):
    def failing(_: object) -> object:
        raise QueryFailedError("gone", timeout=False)

    def faulty(_: object) -> object:
        raise RuntimeError("with a s3cret")

    oracle = Oracle(catalog)
    other = oracle.answer(statement("SELECT 7 AS s", "other"))
    oracle.close()
    found = run(catalog, {"right": lambda _: other, "first": failing})
    assert of(found, "right").outcome is QueryOutcome.WRONG
    assert (of(found, "first").outcome, of(found, "first").message) == (QueryOutcome.FAILED, "gone")
    assert of(found, "spoilt").seconds == (2.0,)
    assert of(run(catalog, {"right": faulty}), "right").message == "RuntimeError"


def test_only_a_first_run_may_be_late(catalog: Catalog):
    def late(*numbers: int) -> Callable[..., object]:
        runs: list[int] = []

        def answering(answer: object) -> object:
            runs.append(len(runs))
            if runs[-1] in numbers:
                raise QueryFailedError("late", timeout=True)
            return answer

        return answering

    found = run(catalog, {"right": late(0), "first": late(0, 1)})
    assert of(found, "right").seconds == (2.0,)
    assert of(found, "first").outcome is QueryOutcome.TIMEOUT


def test_it_is_known_how_many_statements_came_before_each_run(catalog: Catalog):
    runs = EngineRuns(count=100)
    run(catalog, runs=runs, seconds=5)
    assert [(each.query, each.before) for each in runs.later] == [
        ("spoilt", 101),
        ("right", 103),
    ]
    assert runs.count == 105
    assert runs.least("one", "right").before == 103


@pytest.mark.parametrize(
    "told", [{"by_spark": "too many connections"}, {"second_try": "no number"}]
)
def test_what_is_not_run_as_planned_tells_nothing(catalog: Catalog, told: dict[str, str]):
    found = run(catalog, told=told)
    assert {each.outcome for each in found.queries} == {QueryOutcome.FAILED}
    assert of(found, "right").message.endswith(*told.values())


def test_what_a_store_answers_alone_warms_no_engine(catalog: Catalog):
    runs = EngineRuns(count=100)
    run(catalog, runs=runs, seconds=5, alone=True)
    assert [(each.query, each.before) for each in runs.later] == [("spoilt", 100), ("right", 100)]
    assert runs.count == 100
