"""Lines before a command begins: the things that it has read, when, and what it writes where."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from advisor.commands import cli
from advisor.measuring.calibrate import calibrating
from advisor.measuring.quick_parts import quick_project
from advisor.project.config import load_project
from advisor.project.project import Project
from advisor.report.text.work_text import (
    calibration_lines,
    first_rates_line,
    loading_lines,
    work_lines,
)

READS = re.compile(r"Read at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: statements of ")
BEGUN = datetime(2025, 5, 1, tzinfo=UTC)
LIVE = """
[workload]
source = ["stores.shop", "queries/"]
[stores.shop]
kind = "postgresql"
host = "pg.example.org"
user = "u"
password_env = "SHOP_PASSWORD"
tables = "live"
[stores.pg]
kind = "postgresql"
host = "fe80::1"
user = "u"
namespace = "ours"
[stores.duck]
kind = "duckdb"
path = "copies.duckdb"
[stores.maria]
kind = "mysql"
embedded = true
"""


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    (tmp_path / "queries").mkdir()
    file = tmp_path / "shop.toml"
    file.write_text(LIVE)
    return load_project(file)


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (("analyze", "shop.toml", "--html", "a.html"), "Writes a.html and"),
        (("analyze", "shop.toml"), "Writes what is kept in"),
        (("place", "shop.toml", "-o", "p.json"), "Writes p.json and"),
        (("diff", "plans/plan.json", "plans/plan.json"), "Writes what is kept in"),
        (
            ("migrate", "plans/plan.json", "plans/plan.json", "--sql", "steps.sql"),
            "Writes steps.sql and",
        ),
    ],
)
def test_each_command_says_it_first_and_to_people_alone(
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    written: str,
) -> None:
    monkeypatch.chdir(shop)
    assert cli.main(arguments) == cli.DONE
    reads, writes, *_ = capfd.readouterr().out.splitlines()
    assert READS.match(reads)
    assert reads.endswith("statements of queries.sql; tables of schema.sql.")
    assert writes.startswith(written)
    assert writes.endswith("nothing into any store.")
    assert cli.main([*arguments, "--json"]) == cli.DONE
    assert "Read at" not in "".join(capfd.readouterr())


def test_a_run_says_which_stores_get_copies_and_which_are_only_read(live: Project) -> None:
    reads, copies, measures = loading_lines(live, BEGUN, Path("report"))
    assert READS.match(reads)
    assert "statements of shop (pg.example.org:5432) and queries; tables of shop" in reads
    assert reads.endswith("and the rows of live tables that are used.")
    assert "copies into pg (ours at [fe80::1]:5432)" in copies
    assert "duck (copies.duckdb)" in copies
    assert "maria (embedded)" in copies
    assert copies.endswith("Only reads shop.")
    assert "writes report/report.html and MLflow's" in measures
    assert str(live.folder / "tracking.db") in measures
    assert str(live.folder / "reports") in loading_lines(live, BEGUN, None)[2]


def test_calibration_says_where_it_measures_and_what_it_leaves_out(live: Project) -> None:
    asked = calibrating(live, scale_factor=0.2, repeats=1)
    (told,) = calibration_lines(asked, ["shop"], Path("rates"))
    assert "TPC-H at scale factor 0.2 into pg (ours_calibration at" in told
    assert "rates into rates" in told
    assert told.endswith("Leaves out shop, where nothing is written.")


def test_a_quick_calibration_says_what_it_writes_and_what_it_only_reads(live: Project) -> None:
    asked = quick_project(live)
    (told,) = calibration_lines(asked, ["shop"], Path("rates"), quick=True)
    assert "Writes some of TPC-H" in told
    assert "into pg (ours_calibration at" in told
    assert told.endswith("Reads small tables of shop, where nothing is written.")
    without = replace(asked, stores=())
    (told,) = calibration_lines(without, ["shop"], Path("rates"), quick=True)
    assert told.startswith("Writes rates into rates. Reads small tables")
    line = first_rates_line(asked)
    # Calibrations of an earlier format do not count, so that there may be some.
    assert line.startswith(
        "No rates were measured yet by this version: measures them quickly first"
    )
    assert "TPC-H in pg (ours_calibration at [fe80::1]:5432), duck" in line
    assert "--no-quick-rates" in line
    assert "TPC-H" not in first_rates_line(without)


def test_paths_outside_the_working_folder_are_shown_whole(
    live: Project, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert str(live.file.parent / "queries") in work_lines(live, BEGUN)[0]
