import io
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest
from rich.console import Console

from advisor.problem.calibrations import calibrations_folder, own_calibration, target
from advisor.report import terminal
from advisor.report.html import render
from advisor.report.text.predictions_text import remarks_on_rates
from evaluation.calibration.calibration import StoreCalibration, write_calibration
from evaluation.calibration.contradictions import chance_of, contradictions
from evaluation.calibration.rates import Errors
from tests.unit.advisor import demo_tables
from tests.unit.advisor import measurements as made
from tests.unit.advisor.calibrated import of_stores
from tests.unit.advisor.project_files import load

STATED = Errors(number=50, median=0.2, p90=0.5, bias=0.0)


def calibrated(**stores):
    """Return a calibration of stores by their targets, all with the same errors."""
    return of_stores(
        {
            name: StoreCalibration(
                kind="postgresql", target=of, rates={}, errors=STATED, load_bytes_per_s=1e6
            )
            for name, of in stores.items()
        }
    )


def measured(*factors):
    """Return the ten queries on PostgreSQL alone, each slower than predicted by its factor."""
    candidate = made.candidate("single_store:pg", (3.0,))
    every = (*factors, *(1.0,) * (len(candidate.queries) - len(factors)))
    queries = [
        replace(query, seconds=(candidate.plan.query_s(query.query) * factor,))
        for query, factor in zip(candidate.queries, every, strict=True)
    ]
    return made.measurements([replace(candidate, queries=tuple(queries))])


def test_measurements_within_the_stated_errors_contradict_nothing():
    assert contradictions(measured(), calibrated(pg="p")) == ()


def test_a_few_queries_out_of_the_bounds_are_chance():
    assert contradictions(measured(9, 9), calibrated(pg="p")) == ()


@pytest.mark.parametrize(("factor", "error"), [(4.0, -0.75), (0.4, 1.5)])
def test_more_than_chance_explains_is_a_contradiction(factor, error):
    (found,) = contradictions(measured(*[factor] * 10), calibrated(pg="p", duck="d"))
    assert (found.store, found.queries, found.outside, found.stated) == ("pg", 10, 10, STATED)
    assert found.error == pytest.approx(error)


@pytest.mark.parametrize("queries", [1, 10, 99, 1500])
def test_the_chance_is_the_exact_binomial_tail(queries):
    ways = [comb(queries, off) * 9 ** (queries - off) for off in range(queries + 1)]
    for outside in sorted({0, 1, queries // 10, queries // 5, queries}):
        exact = float(Fraction(sum(ways[outside:]), 10**queries))
        assert chance_of(outside, queries) == pytest.approx(exact, rel=1e-9)


def test_the_commands_do_not_wait_for_scipy():
    imported = (
        "import advisor.commands.cli, advisor.commands.place, advisor.pipeline, "
        "advisor.publishing.publish, sys"
    )
    loaded = f"{imported}; print([name for name in sys.modules if name.startswith('scipy')])"
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True, timeout=360
    )
    assert done.stdout.strip() == "[]"


def test_a_query_counts_once_however_many_candidates_ran_it():
    once = measured(9, 9)
    (candidate,) = once.candidates
    assert contradictions(made.measurements([candidate] * 8), calibrated(pg="p")) == ()


def test_without_a_calibration_nothing_is_contradicted():
    assert contradictions(measured(*[9] * 10), None) == ()


def test_the_report_and_the_page_say_it():
    run, calibration = measured(*[4.0] * 10), calibrated(pg="p")
    (sentence,) = remarks_on_rates({"pg": "calibration"}, contradictions(run, calibration))
    assert "calibration of pg: 10 of 10 queries are off by more than 50" in sentence
    assert "\N{MINUS SIGN}75 %" in sentence
    console = Console(file=io.StringIO(), width=1000, record=True)
    console.print(terminal.ranking_text(run, "", (sentence,)))
    assert sentence in console.export_text()
    page = render(run, replace(demo_tables.setting(), calibration=calibration))
    assert "calibration of pg: 10 of 10" in page
    assert "calibration of pg" not in render(run, demo_tables.setting())


def test_rates_that_nobody_measured_are_said_to_be_defaults():
    rates = {"pg": "default", "maria": "calibration p", "acc": "default", "duck": "project file"}
    assert remarks_on_rates({"maria": "calibration p"}, ()) == ()
    (sentence,) = remarks_on_rates(rates, ())
    assert sentence.startswith("The rates of pg, acc are defaults")
    assert sentence in render(made.demo(), replace(demo_tables.setting(), rates=rates))
    assert "are defaults" not in render(made.demo(), demo_tables.setting())


def test_a_store_that_is_another_one_now_is_not_compared(tmp_path, monkeypatch):
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    project = load(tmp_path)
    assert own_calibration(project) is None
    store = project.stores[0]
    found = calibrated(**{store.name: target(store), "other": "postgresql elsewhere"})
    write_calibration(found, calibrations_folder(project))
    own = own_calibration(project)
    assert own is not None
    assert list(own.stores) == [store.name]
    moved = calibrated(**{store.name: "postgresql elsewhere"})
    later = replace(moved, started_at="2026-02-02T03:04:05+00:00")
    write_calibration(later, calibrations_folder(project))
    own = own_calibration(project)
    assert own is not None
    assert not own.stores
