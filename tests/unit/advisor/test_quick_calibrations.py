"""Quick calibrations: used until there is a full one, made by a first run, and never its end."""

import json
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from advisor import pipeline
from advisor.commands import cli
from advisor.commands.arguments import parsed
from advisor.commands.command import choice
from advisor.measuring import first_rates, quick_calibration
from advisor.measuring.failed_rates import remembered
from advisor.measuring.first_rates import measure_first_rates, wants_rates
from advisor.problem.calibrations import calibration_of, lacks_rates
from advisor.problem.rates import rates_of, strength_of
from advisor.report.text.plan_text import rates_sentence
from advisor.report.text.predictions_text import remarks_on_rates
from evaluation.calibration.calibration import LeftOut
from placement.costs import DEFAULT_COSTS
from tests.unit.advisor.calibrated import calibration, kept, quick, shown
from tests.unit.advisor.project_files import BASE, error, load
from workloads.catalog import Catalog
from workloads.errors import StoreError
from workloads.progress import Silent

LATER = "2026-03-02T03:04:05+00:00"
NONE = Catalog(name="none", tables={})


def test_a_quick_one_never_replaces_a_full_one_of_the_same_stores(project):
    full, later = calibration(project), quick(project, started_at=LATER)
    assert kept(project, full, later) == full
    assert strength_of(project.stores[0], calibration_of(project)).source.startswith("calibrated")


def test_a_full_one_replaces_a_quick_one(project):
    first, full = quick(project), calibration(project, started_at=LATER)
    assert kept(project, first) == first
    assert kept(project, full) == full


def test_a_full_one_of_other_stores_hinders_no_quick_one(project):
    full, later = calibration(project), quick(project, started_at=LATER)
    gone = {name: replace(each, target="elsewhere") for name, each in full.stores.items()}
    assert kept(project, replace(full, stores=gone), later) == later
    assert not lacks_rates(project)


def test_its_rates_are_used_and_called_what_they_are(project):
    kept(project, quick(project))
    rates = rates_of(project)
    strength = rates.strengths["pg"]
    assert strength.scan_bytes_per_s == 2e9
    assert strength.source == "quick calibration 2026-01-02 03:04"
    assert rates.engine.source == strength.source
    # Nothing was loaded.
    assert strength.load_bytes_per_s == strength_of(project.stores[0]).load_bytes_per_s
    assert DEFAULT_COSTS.engine.start_s != rates.engine.start_s
    sources = {"pg": strength.source}
    assert "take copies in full" in rates_sentence(sources)
    assert "states no error" in " ".join(remarks_on_rates(sources, ()))


def test_it_is_shown_without_bounds_and_without_errors(project):
    text = " ".join(shown(quick(project, repeats=6), before=calibration(project)).split())
    assert "predicted without their own measurements" not in text
    assert "three factors" in text
    assert "the least of at most 6 runs" in text
    assert "do not meet" not in text


def test_a_run_measures_first_where_nobody_has_measured_or_written_any(project, tmp_path):
    assert wants_rates(project)
    assert not wants_rates(load(tmp_path, place="quick_rates = false"))
    # Predictions are of our own engine.
    assert not wants_rates(load(tmp_path, evaluate='engine = "spark-native"'))
    written = BASE["stores.pg"] + "\nstrength = { start_s = 1.0 }"
    assert not wants_rates(load(tmp_path, stores__pg=written))
    kept(project, quick(project))
    assert not wants_rates(project)


@pytest.mark.parametrize("command", ["run", "demo"])
def test_an_option_and_a_key_leave_it_out(tmp_path, command):
    load(tmp_path)
    named = [] if command == "demo" else [str(tmp_path / "shop.toml")]
    assert choice(parsed([command, *named])).project().place.quick_rates
    assert not choice(parsed([command, *named, "--no-quick-rates"])).project().place.quick_rates
    assert "quick_rates" in error(tmp_path, place='quick_rates = "no"')


MARIA = 'kind = "mysql"\nembedded = true'


def left_out(*stores):
    return tuple(
        LeftOut(placement=each, query="all", outcome="failed", message="It is full.")
        for each in stores
    )


def test_what_was_measured_is_kept_and_stores_without_rates_are_named(
    tmp_path, own_cache, monkeypatch
):
    project = load(tmp_path)
    found = quick(project)
    monkeypatch.setattr(first_rates, "quick_calibration", lambda *_: found)
    assert measure_first_rates(project, NONE, None, Silent()) is None
    assert calibration_of(project) == found
    both = load(tmp_path, stores__maria=MARIA)
    partly = replace(found, left_out=left_out("maria"))
    monkeypatch.setattr(first_rates, "quick_calibration", lambda *_: partly)
    told = measure_first_rates(both, NONE, None, Silent())
    assert told == "Rates of maria were not measured, and are defaults. It is full."
    assert not wants_rates(both)


def failed(project, monkeypatch, failure=None):
    """Let the quick calibration of a project fail; return what is told, in words."""

    def failing(*_):
        raise failure or StoreError("pg", "it is full.")

    monkeypatch.setattr(first_rates, "quick_calibration", failing)
    return " ".join(measure_first_rates(project, NONE, None, Silent()).split())


def test_one_that_failed_is_told_once_and_not_tried_again(project, tmp_path, monkeypatch):
    again = f"advisor calibrate {tmp_path / 'shop.toml'} --quick"
    told = failed(project, monkeypatch)
    assert told.startswith("Rates were not measured, and are defaults: Store 'pg': it is full.")
    assert f"until the stores of the project change: `{again}` does." in told
    assert not wants_rates(load(tmp_path))
    assert rates_of(project).strengths["pg"] == strength_of(project.stores[0])
    kept_failure = remembered(project)
    assert (kept_failure.reason, kept_failure.again) == ("Store 'pg': it is full.", again)
    # One that succeeds counts, whatever failed before.
    kept(project, quick(project))
    assert rates_of(project).strengths["pg"].source.startswith("quick calibration")


def test_without_any_store_it_has_failed_and_nothing_is_kept(project, monkeypatch):
    without = replace(quick(project), stores={}, left_out=left_out("pg"))
    monkeypatch.setattr(first_rates, "quick_calibration", lambda *_: without)
    told = measure_first_rates(project, NONE, None, Silent())
    assert told.startswith("Rates were not measured, and are defaults: It is full.")
    assert calibration_of(project) is None
    assert not wants_rates(project)


@pytest.mark.parametrize(
    "changed",
    [
        {"stores__pg": 'kind = "postgresql"\nhost = "db"\nuser = "u"'},
        {"stores__pg": BASE["stores.pg"] + '\nnamespace = "own"'},
        {"stores__maria": MARIA},
    ],
)
def test_one_that_failed_is_tried_again_once_the_stores_change(
    project, tmp_path, monkeypatch, changed
):
    failed(project, monkeypatch)
    assert not wants_rates(load(tmp_path, place="max_copies = 2"))
    assert wants_rates(load(tmp_path, **changed))


def test_one_that_failed_is_tried_again_after_a_run_without_quick_rates(
    project, tmp_path, monkeypatch
):
    failed(project, monkeypatch)
    assert not wants_rates(load(tmp_path, {"place": {"quick_rates": False}}))
    assert wants_rates(load(tmp_path))


def test_a_failure_that_cannot_be_kept_is_only_told(project, monkeypatch):
    project.folder.parent.mkdir(parents=True)
    project.folder.write_text("")
    assert "it is full" in failed(project, monkeypatch)
    project.folder.unlink()
    assert wants_rates(project)


@pytest.mark.parametrize(
    "failure", [StoreError("pg", "gone"), RuntimeError("no way in by s3cret"), OSError("full")]
)
def test_whatever_fails_is_told_without_a_secret_and_ends_nothing(
    tmp_path, own_cache, monkeypatch, failure
):
    body = 'kind = "postgresql"\nhost = "db"\nuser = "u"\npassword_env = "SECRET"'
    monkeypatch.setenv("SECRET", "s3cret")
    project = load(tmp_path, stores__pg=body)

    told = failed(project, monkeypatch, failure)
    assert told.startswith("Rates were not measured, and are defaults: ")
    assert "s3cret" not in told + remembered(project).reason
    assert calibration_of(project) is None


def test_an_interruption_goes_on(project, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(first_rates, "quick_calibration", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure_first_rates(project, NONE, None, Silent())


@pytest.mark.parametrize("wanted", [True, False])
def test_the_main_job_measures_rates_before_it_prices_anything(project, monkeypatch, wanted):
    done = []

    def noted(name, result=None):
        def called(*_, **__):
            done.append(name)
            return result

        return called

    analysis = SimpleNamespace(catalog=NONE)
    candidates = SimpleNamespace(plans=())
    prepared = SimpleNamespace(problem=None)
    audience = SimpleNamespace(
        analyzed=noted("analyzed"),
        measuring_rates=noted("told"),
        noted=noted("failed"),
        placed=noted("placed"),
    )
    monkeypatch.setattr(pipeline, "analyze", noted("analyze", analysis))
    monkeypatch.setattr(pipeline, "wants_rates", lambda _: wanted)
    monkeypatch.setattr(pipeline, "measure_first_rates", noted("rates", "not there"))
    monkeypatch.setattr(pipeline, "prepare", noted("prepare", prepared))
    monkeypatch.setattr(pipeline, "place", noted("place", candidates))
    monkeypatch.setattr(pipeline, "measure", noted("measure"))
    pipeline.run(project, audience, Silent())
    rates = ["told", "rates", "failed"] if wanted else []
    assert done == ["analyze", "analyzed", *rates, "prepare", "place", "placed", "measure"]


@pytest.fixture
def calibrated_quickly(project, monkeypatch):
    """A quick calibration that takes no time."""

    @contextmanager
    def opening(*_):
        yield None

    monkeypatch.setattr("advisor.measuring.open_stores.opening", opening)
    monkeypatch.setattr(quick_calibration, "quick_calibration", lambda *_: quick(project))
    return project


def test_the_command_writes_it_and_says_when_a_full_one_stays(calibrated_quickly, tmp_path, capsys):
    file = str(tmp_path / "shop.toml")
    assert cli.main(["calibrate", file, "--quick"]) == cli.DONE
    first = capsys.readouterr()
    assert "Writes some of TPC-H at scale factor 0.05 into pg (embedded)" in first.out
    assert "does not replace" not in first.err
    assert calibration_of(calibrated_quickly).quick
    full = calibration(calibrated_quickly)
    kept(calibrated_quickly, full)
    assert cli.main(["calibrate", file, "--quick", "--json"]) == cli.DONE
    again = capsys.readouterr()
    assert json.loads(again.out)["quick"]
    assert "a quick one does not replace it" in again.err
    assert calibration_of(calibrated_quickly) == full


@pytest.mark.parametrize("options", [("--repeats", "2"), ("--scale-factor", "0.1")])
def test_the_command_has_amounts_of_its_own(project, tmp_path, capsys, options):
    assert cli.main(["calibrate", str(tmp_path / "shop.toml"), "--quick", *options]) == 2
    assert "leave out --scale-factor and --repeats" in capsys.readouterr().err
