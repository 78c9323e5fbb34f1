"""Quick calibrations that a run contradicts: the next run measures again, once."""

from dataclasses import replace

import pytest

from advisor.analysis.analyze import analyze
from advisor.measuring import first_rates
from advisor.measuring.contradicted_rates import Doubt, contradicted
from advisor.measuring.failed_rates import remembered
from advisor.measuring.first_rates import doubted, measure_first_rates, wants_rates
from advisor.pipeline import place, prepare
from advisor.problem.calibrations import calibration_of, calibrations_folder, target
from advisor.project.config import load_project
from advisor.publishing.publish import publish
from advisor.report.text.work_text import first_rates_line
from evaluation.calibration import contradictions
from evaluation.calibration.calibration import write_calibration
from evaluation.calibration.contradictions import quick_factor
from placement.corrections import Corrections
from placement.plan import execution_s
from tests.unit.advisor import measurements as made
from tests.unit.advisor.calibrated import calibration, kept, quick
from tests.unit.advisor.project_files import BASE, load
from tests.unit.evaluation.made_up_runs import measured
from workloads.catalog import Catalog
from workloads.errors import StoreError
from workloads.progress import Silent

EARLIER, LATER = "2025-03-02T03:04:05+00:00", "2026-03-02T03:04:05+00:00"
NONE = Catalog(name="none", tables={})
DUCK = 'kind = "duckdb"'


def run_of(times, number=10, strategy="single_store:pg", objective="work"):
    """Return ten queries that take so many `times` their predicted seconds, `number` of them."""
    candidate = made.candidate(strategy, (3.0,))
    factors = [times] * number + [1.0] * (len(candidate.queries) - number)
    queries = [
        replace(
            query, seconds=(execution_s(candidate.plan.routing[query.query], objective) * each,)
        )
        for query, each in zip(candidate.queries, factors, strict=True)
    ]
    return made.measurements([replace(candidate, queries=tuple(queries))])


def measures(monkeypatch, found):
    """Let the next quick calibration find this."""
    monkeypatch.setattr(first_rates, "quick_calibration", lambda *_: found)


@pytest.fixture
def first(project):
    """The quick calibration of the project."""
    return kept(project, quick(project))


@pytest.mark.parametrize("times", [3.0, 0.6])
def test_rates_that_a_run_contradicts_are_measured_again_once(project, first, monkeypatch, times):
    assert not wants_rates(project)
    found = doubted(project, run_of(times), first)
    assert found == Doubt(factor=pytest.approx(times), again=True, full=True)
    assert wants_rates(project)
    line = first_rates_line(project, contradicted(project))
    assert line.startswith(f"A run took {times:.2f} times the seconds predicted by the rates of")
    measures(monkeypatch, replace(first, started_at=LATER))
    assert measure_first_rates(project, NONE, None, Silent()) is None
    second = calibration_of(project)
    assert second.started_at == LATER
    assert not wants_rates(project)
    # A second one that is contradicted too is not of its moment.
    assert not doubted(project, run_of(times), second).again
    assert not wants_rates(project)
    # One that was asked for is another.
    third = kept(project, replace(first, started_at="2026-04-02T03:04:05+00:00"))
    assert doubted(project, run_of(times), third).again
    assert wants_rates(project)


def test_a_run_that_agrees_is_the_last_word(project, first):
    for agrees in (run_of(1.4), run_of(0.7), run_of(9.0, number=4)):
        doubted(project, run_of(3.0), first)
        assert wants_rates(project)
        assert doubted(project, agrees, first) is None
        assert not wants_rates(project)


def test_a_run_that_cannot_tell_changes_nothing(project, first):
    assert doubted(project, run_of(3.0), first)
    (candidate,) = run_of(1.0).candidates
    few = replace(candidate, queries=candidate.queries[:4])
    corrected = replace(candidate, plan=replace(candidate.plan, corrections=Corrections()))
    for each in (few, corrected):
        assert doubted(project, made.measurements([each]), first) is None
        assert wants_rates(project)


def test_other_engines_and_full_calibrations_are_not_doubted(project, first):
    other = replace(run_of(3.0), engine="trino")
    for run, found in ((other, first), (run_of(3.0), calibration(project)), (run_of(3.0), None)):
        assert doubted(project, run, found) is None
        assert not wants_rates(project)
    doubted(project, run_of(3.0), first)
    kept(project, calibration(project, started_at=LATER))
    assert not wants_rates(project)


def test_stores_may_work_side_by_side_or_not(project, first):
    for objective in ("work", "latency"):
        run = run_of(1.0, strategy="optimal", objective=objective)
        assert quick_factor(run) == pytest.approx(1.0)
        assert doubted(project, run, first) is None
    assert quick_factor(run_of(3.0, strategy="optimal")) == pytest.approx(3.0)


def test_queries_that_are_too_short_tell_nothing(monkeypatch):
    assert quick_factor(run_of(3.0)) == pytest.approx(3.0)
    monkeypatch.setattr(contradictions, "LEAST_S", 1000.0)
    assert quick_factor(run_of(3.0)) is None


def test_without_quick_rates_or_with_written_ones_none_are_measured(project, first, tmp_path):
    asked_not_to = load(tmp_path, place="quick_rates = false")
    assert not doubted(asked_not_to, run_of(3.0), first).again
    assert not wants_rates(asked_not_to)
    assert wants_rates(load(tmp_path))
    written = load(tmp_path, stores__pg=BASE["stores.pg"] + "\nstrength = { start_s = 1.0 }")
    assert not wants_rates(written)
    assert doubted(written, run_of(3.0), first) is None


def test_another_store_inherits_no_verdict(project, first, tmp_path, monkeypatch):
    doubted(project, run_of(3.0), first)
    moved = load(tmp_path, stores__pg='kind = "postgresql"\nhost = "db"\nuser = "u"')
    assert contradicted(moved) is None

    def failing(*_):
        raise StoreError("pg", "it is full.")

    monkeypatch.setattr(first_rates, "quick_calibration", failing)
    told = measure_first_rates(moved, NONE, None, Silent())
    assert told.startswith("Rates were not measured, and are defaults: Store 'pg': it is full.")


@pytest.mark.parametrize("lost", [True, False])
def test_rates_are_only_replaced_by_those_of_as_many_stores(tmp_path, own_cache, monkeypatch, lost):
    project = load(tmp_path, stores__duck=DUCK)
    one = quick(project)
    (store,) = one.stores.values()
    duck = replace(store, kind="duckdb", target=target(project.store("duck")))
    both = replace(one, stores={**one.stores, "duck": duck})
    before = kept(project, both)
    doubted(project, run_of(3.0), before)
    measures(monkeypatch, replace(one if lost else both, started_at=LATER))
    told = measure_first_rates(project, NONE, None, Silent()) or ""
    assert told.startswith("Rates were not measured, and stay those of 2026-01-02 03:04") == lost
    assert ("duck did not answer in time" in told) == lost
    assert (calibration_of(project) == before) == lost
    assert not wants_rates(project)
    found = doubted(project, run_of(3.0), calibration_of(project))
    assert (found.again, remembered(project) is not None) == (False, lost)


def test_a_clock_that_was_set_back_makes_no_run_measure_again(project, first, monkeypatch):
    doubted(project, run_of(3.0), first)
    measures(monkeypatch, replace(first, started_at=EARLIER))
    measure_first_rates(project, NONE, None, Silent())
    assert calibration_of(project) == first
    assert not doubted(project, run_of(3.0), first).again
    assert not wants_rates(project)


def test_the_answer_and_the_report_of_a_run_say_it(shop, monkeypatch):
    project = load_project(shop / "shop.toml", {})
    prepared = prepare(project, analyze(project, Silent()))
    found = quick(project)
    write_calibration(found, calibrations_folder(project))
    prepared = prepare(project, prepared.analysis)
    plans = place(prepared.problem, ("single_store",), Silent()).plans
    monkeypatch.setattr(contradictions, "LEAST_S", 1e-9)
    monkeypatch.setattr(contradictions, "_FEWEST_QUERIES", 1)

    def published(times):
        run = measured(
            prepared.problem, plans, work=dict.fromkeys(("pg", "duck"), times), rest=times
        )
        return publish(prepared, run, None, Silent())

    fine = published(1.0)
    assert fine.document["quick_rates_factor"] is None
    assert not any("contradict" in each for each in fine.remarks)
    off = published(4.0)
    factor = off.document["quick_rates_factor"]
    assert factor == pytest.approx(4.0, rel=0.3)
    told = f"contradict the quick calibration: in the median, queries took {factor:.2f} times"
    for again in ("The next run measures them quickly again.", "`advisor calibrate --quick`"):
        (said,) = (each for each in off.remarks if "contradict" in each)
        assert told in said
        assert again in said
        assert again in off.report.read_text()
        measures(monkeypatch, replace(found, started_at=EARLIER))
        measure_first_rates(project, NONE, None, Silent())
        off = published(4.0)
