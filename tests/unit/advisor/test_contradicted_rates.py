"""Quick calibrations that a run contradicts: the next run measures again, once."""

from dataclasses import replace

import pytest

from advisor.measuring import first_rates
from advisor.measuring.contradicted_rates import contradicted, judge_rates
from advisor.measuring.first_rates import measure_first_rates, wants_rates
from advisor.problem.calibrations import calibration_of
from advisor.report.text.predictions_text import remarks_on_prices
from advisor.report.text.work_text import first_rates_line
from evaluation.calibration import contradictions
from evaluation.calibration.contradictions import quick_contradiction
from tests.unit.advisor import measurements as made
from tests.unit.advisor.calibrated import calibration, kept, quick
from workloads.catalog import Catalog
from workloads.errors import StoreError
from workloads.progress import Silent

LATER = "2026-03-02T03:04:05+00:00"
NONE = Catalog(name="none", tables={})


def predicted_times(times, number=10):
    """Return ten queries that take so many `times` their predicted seconds, `number` of them."""
    candidate = made.candidate("single_store:pg", (3.0,))
    slower = [times] * number + [1.0] * (len(candidate.queries) - number)
    queries = [
        replace(query, seconds=(candidate.plan.query_s(query.query) * each,))
        for query, each in zip(candidate.queries, slower, strict=True)
    ]
    return made.measurements([replace(candidate, queries=tuple(queries))])


@pytest.mark.parametrize("times", [3.0, 0.6])
def test_rates_that_a_run_contradicts_are_measured_again_once(project, monkeypatch, times):
    first = quick(project)
    kept(project, first)
    judge_rates(project, predicted_times(times), first)
    assert contradicted(project).factor == pytest.approx(times)
    assert wants_rates(project)
    line = first_rates_line(project, contradicted(project))
    assert line.startswith(f"A run took {times:.2f} times the seconds predicted by the rates of")
    assert not wants_rates(replace(project, place=replace(project.place, quick_rates=False)))
    monkeypatch.setattr(
        first_rates, "quick_calibration", lambda *_: replace(first, started_at=LATER)
    )
    assert measure_first_rates(project, NONE, None, Silent()) is None
    second = calibration_of(project)
    assert (second.started_at, second.repeated) == (LATER, True)
    assert not wants_rates(project)
    # A second one that is contradicted too is not of its moment.
    judge_rates(project, predicted_times(times), second)
    assert not wants_rates(project)


def test_rates_that_are_within_a_factor_stay_and_a_run_that_agrees_is_the_last_word(project):
    first = quick(project)
    kept(project, first)
    for agrees in (predicted_times(1.4), predicted_times(0.7), predicted_times(9.0, number=4)):
        judge_rates(project, predicted_times(3.0), first)
        assert wants_rates(project)
        judge_rates(project, agrees, first)
        assert not wants_rates(project)


def test_other_engines_and_full_calibrations_are_not_judged_by_it(project):
    first = quick(project)
    kept(project, first)
    judge_rates(project, replace(predicted_times(3.0), engine="trino"), first)
    assert not wants_rates(project)
    judge_rates(project, predicted_times(3.0), calibration(project))
    judge_rates(project, predicted_times(3.0), None)
    assert contradicted(project) is None
    judge_rates(project, predicted_times(3.0), first)
    kept(project, calibration(project, started_at=LATER))
    assert not wants_rates(project)


def test_queries_that_are_too_short_contradict_nothing(project, monkeypatch):
    run, found = predicted_times(3.0), quick(project)
    assert quick_contradiction(run, found) == pytest.approx(3.0)
    monkeypatch.setattr(contradictions, "LEAST_S", 1000.0)
    assert quick_contradiction(run, found) is None


def test_the_rates_stay_where_measuring_again_fails(project, monkeypatch):
    first = quick(project)
    kept(project, first)
    judge_rates(project, predicted_times(3.0), first)

    def failing(*_):
        raise StoreError("pg", "it is full.")

    monkeypatch.setattr(first_rates, "quick_calibration", failing)
    told = measure_first_rates(project, NONE, None, Silent())
    assert told.startswith("Rates were not measured, and stay as of 2026-01-02 03:04: Store 'pg'")
    assert calibration_of(project) == first
    assert not wants_rates(project)


@pytest.mark.parametrize("repeated", [False, True])
def test_the_report_says_that_a_run_contradicts_them(project, repeated):
    found = quick(project, repeated=repeated)
    said = " ".join(remarks_on_prices(predicted_times(0.6), {}, found))
    assert "contradict the quick calibration: in the median, queries took 0.60 times" in said
    assert ("next `advisor run` measures them quickly again" in said) != repeated
    assert ("`advisor calibrate` measures them in full" in said) == repeated
    assert remarks_on_prices(predicted_times(1.2), {}, found) == ()
    assert remarks_on_prices(predicted_times(0.6), {}, None) == ()
