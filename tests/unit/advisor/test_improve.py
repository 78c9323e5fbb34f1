"""The command `improve` on a shop whose stores are made up, and its plan in other commands."""

import json
import shutil
from dataclasses import replace
from itertools import count

import pytest

from advisor.analysis.analyze import analyze
from advisor.commands import cli
from advisor.planned.measured_runs import MEASUREMENTS
from evaluation.tracking.track import TrackingError
from placement.plan_file import read_plan
from tests.unit.evaluation.made_up_runs import measured

CORRECTED = "Measurements have corrected the prices of the plan"
UNFIT = "no longer matches"


def _patched(patch):
    """Stores without rows: what they take is the formula's, but for DuckDB, which is slow."""
    numbers = count(10)

    def measure(prepared, plans, progress):
        found = measured(prepared.problem, plans, work={"duck": 60.0})
        return replace(found, started_at=f"2026-01-01T00:00:{next(numbers)}+00:00")

    def untracked(*_):
        raise TrackingError("MLflow is not asked.")

    patch.setattr("advisor.refusals.refused.refuse", lambda read, *_, **__: read.project)
    patch.setattr(
        "advisor.pipeline.analyze", lambda project, progress, **_: analyze(project, progress)
    )
    patch.setattr("advisor.measuring.measure.measure", measure)
    patch.setattr("advisor.publishing.showing.before_measuring", lambda *_: None)
    patch.setattr("advisor.publishing.showing.record", untracked)


def _with_room(folder):
    """Let all tables fit into PostgreSQL."""
    file = folder / "shop.toml"
    file.write_text(file.read_text().replace('capacity = "70%"', 'capacity = "100%"'))


def _improved(folder, capfd, *arguments):
    """Improve the shop's placement; return the output."""
    capfd.readouterr()
    options = ("--strategies", "optimal", "-o", str(folder / "out"), *arguments)
    _with_room(folder)
    with pytest.MonkeyPatch.context() as patch:
        _patched(patch)
        code = cli.main(["improve", str(folder / "shop.toml"), *options])
    shown = capfd.readouterr()
    assert code == 0, shown.err
    return shown.out


@pytest.fixture
def improve(shop, capfd):
    """Improve the shop's placement with these options; return the output."""
    return lambda *arguments: _improved(shop, capfd, *arguments)


@pytest.fixture(scope="module")
def improved_once(placed_shop, tmp_path_factory):
    """A shop with its plan and the improved one, to be copied."""
    folder = shutil.copytree(placed_shop, tmp_path_factory.mktemp("improved") / "shop")
    options = ("--strategies", "optimal", "-o", str(folder / "out"))
    _with_room(folder)
    with pytest.MonkeyPatch.context() as patch:
        _patched(patch)
        assert cli.main(["improve", str(folder / "shop.toml"), *options]) == 0
    return folder


@pytest.fixture
def improved_shop(improved_once, tmp_path):
    """A shop with its plan and the improved one, of the test's own."""
    return shutil.copytree(improved_once, tmp_path / "shop")


def test_every_round_is_answered_with_its_run_and_the_plan_is_written(improve, shop):
    found = json.loads(improve("--json"))
    first, second = found["rounds"]
    assert (first["number"], first["proposal"], first["best"]) == (1, None, "optimal")
    assert second["proposal"]["strategy"] == second["best"] == "improved_2"
    assert second["proposal"]["predicted_s"] < second["proposal"]["best_predicted_s"]
    moved = {each["table"]: each["after"] for each in second["proposal"]["tables"]}
    assert moved["visits"] == ["pg"]
    assert {each["store"] for each in second["proposal"]["misjudged"]} >= {"duck"}
    assert (found["end"], found["recommended"]) == ("measured", "improved_2")
    assert found["placement"]["visits"] == ["pg"]
    for each in (first, second):
        folder = shop / "out" / f"round_{each['number']}"
        assert json.loads((folder / MEASUREMENTS).read_text()) == each["run"]
        assert (folder / "report.html").is_file()
    plan = read_plan((shop / "out/plan.json").read_text())
    assert found["plan"] == str(shop / "out/plan.json")
    assert plan.corrections is not None
    assert {t: list(held) for t, held in plan.placement.items()} == found["placement"]


def test_the_terminal_says_what_moves_why_and_why_it_ends(improve):
    shown = " ".join(improve().split())
    assert "Round 2: 'improved_2' is measured next" in shown
    assert "visits" in shown
    assert "from duck to pg" in shown
    assert "Most off of what was measured:" in shown
    assert "Earlier measurements have corrected the predictions of 'optimal' and" in shown
    assert "Ended after 2 rounds: the best plan by the corrected prices was measured" in shown
    assert "Place as 'improved_2':" in shown
    assert "times faster than 'optimal' in the same run." in shown


def test_one_round_says_what_it_would_have_measured_next(improve, shop):
    shown = " ".join(improve("--rounds", "1").split())
    assert "--rounds allows no more." in shown
    assert "'improved_2'" in shown
    assert "Place as 'optimal':" in shown
    assert read_plan((shop / "out/plan.json").read_text()).corrections is None


def test_no_round_at_all_is_refused(shop, capfd):
    assert cli.main(["improve", str(shop / "shop.toml"), "--rounds", "0"]) == 2
    assert "--rounds 0 is less than 1" in capfd.readouterr().err


def test_an_engine_that_tells_no_fragments_is_refused(shop, capfd, monkeypatch):
    _patched(monkeypatch)
    with (shop / "shop.toml").open("a") as file:
        file.write('[evaluate]\nengine = "spark-native"\n')
    assert cli.main(["improve", str(shop / "shop.toml")]) == 2
    assert "set [evaluate].engine = 'fragments'" in capfd.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "out/plan.json"),
        ("explain", "out/plan.json", "--query", "pages"),
        ("tune", "out/plan.json"),
        ("what-if", "out/plan.json", "--capacity", "duck=95%"),
        ("sensitivity", "out/plan.json", "--rate", "pg"),
        ("diff", "plans/plan.json", "out/plan.json"),
        ("migrate", "plans/plan.json", "out/plan.json"),
    ],
)
def test_a_plan_of_corrected_prices_is_found_as_it_is_and_says_so(
    improved_shop, capfd, monkeypatch, arguments
):
    monkeypatch.chdir(improved_shop)
    assert cli.main(list(arguments)) == 0
    told = capfd.readouterr().err
    assert CORRECTED in told
    assert UNFIT not in told


def test_the_other_plan_of_a_difference_gets_the_same_prices(improved_shop, capfd):
    plans = [str(improved_shop / "plans/plan.json"), str(improved_shop / "out/plan.json")]
    assert cli.main(["diff", *plans, "--json"]) == 0
    shown = capfd.readouterr()
    found = json.loads(shown.out)
    assert found["after"]["predicted_s"] < found["before"]["predicted_s"]
    assert "were computed again with the prices of the other plan" in shown.err
    assert cli.main(["diff", *reversed(plans), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    # By the formula the plan that was left is the better one.
    assert found["after"]["predicted_s"] < found["before"]["predicted_s"]


def test_a_tuned_plan_keeps_its_corrections(improved_shop, capfd):
    tuned = improved_shop / "tuned.json"
    assert cli.main(["tune", str(improved_shop / "out/plan.json"), "-o", str(tuned)]) == 0
    plan = read_plan(tuned.read_text())
    assert plan.corrections == read_plan((improved_shop / "out/plan.json").read_text()).corrections
    capfd.readouterr()
    assert cli.main(["explain", str(tuned)]) == 0
    assert UNFIT not in capfd.readouterr().err


def test_a_plan_whose_rates_have_changed_is_priced_by_the_formula_with_a_note(improved_shop, capfd):
    with (improved_shop / "shop.toml").open("a") as file:
        file.write("[stores.pg.strength]\nscan_bytes_per_s = 1e6\n")
    capfd.readouterr()
    assert cli.main(["explain", str(improved_shop / "out/plan.json")]) == 0
    told = capfd.readouterr().err
    assert UNFIT in told
    assert CORRECTED not in told
