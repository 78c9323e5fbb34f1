import os
from dataclasses import replace

import pytest

from advisor.analysis.analyze import analyze
from advisor.analysis.notes import notes
from advisor.analysis.told_notes import FILE, MOST_KEPT, tell_notes
from advisor.commands import cli
from advisor.project.config import load_project, project_of_paths
from tests.unit.advisor import analyses
from workloads.progress import Silent

PROJECT = """
[workload]
source = "queries.sql"
dialect = "postgres"
skip_invalid = true
[catalog]
source = "schema.sql"
[stores.pg]
kind = "postgresql"
embedded = true
[place]
strategies = ["optimal"]
"""
LEFT_OUT = "2 of 8 statements are not understood and left out"
ASSUMED = "The rows of 2 tables are not known"


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    analyses.write(tmp_path, analyses.SQL + analyses.INVALID)
    (tmp_path / "shop.toml").write_text(PROJECT)
    return load_project(tmp_path / "shop.toml")


def told(project, analysis, **options):
    heard = []
    tell_notes(project, analysis, heard.append, **options)
    return heard


def test_a_note_is_told_once_a_project_and_later_in_one_line(shop):
    analysis = analyze(shop, Silent())
    assert told(shop, analysis) == list(notes(analysis))
    assert told(shop, analysis) == ["2 notes as before: `advisor analyze` shows them."]
    assert told(shop, analysis, again=True) == list(notes(analysis))


def test_a_note_with_other_figures_is_told_beside_those_as_before(shop):
    told(shop, analyze(shop, Silent()))
    with (shop.file.parent / "queries.sql").open("a") as queries:
        queries.write("SELECT missing FROM orders;\n")
    left_out, as_before = told(shop, analyze(shop, Silent()))
    assert left_out.startswith("3 of 9 statements are not understood")
    assert as_before == "1 note as before: `advisor analyze` shows it."


@pytest.mark.parametrize("content", [b"", b"\xff\x00 damaged\n" * 400])
def test_a_damaged_record_means_that_notes_are_told_again(shop, content):
    analysis = analyze(shop, Silent())
    told(shop, analysis)
    (shop.folder / FILE).write_bytes(content)
    assert told(shop, analysis) == list(notes(analysis))
    assert len(told(shop, analysis)) == 1


def test_a_record_that_cannot_be_written_means_that_notes_are_told_again(shop):
    analysis = analyze(shop, Silent())
    shop.folder.parent.mkdir(parents=True)
    shop.folder.write_text("in the way")
    assert told(shop, analysis) == told(shop, analysis) == list(notes(analysis))


def test_a_pipe_in_the_records_place_is_not_waited_for(shop):
    shop.folder.mkdir(parents=True)
    os.mkfifo(shop.folder / FILE)
    analysis = analyze(shop, Silent())
    assert told(shop, analysis) == list(notes(analysis))


def test_the_record_keeps_the_latest_notes_and_does_not_grow(shop):
    analysis = analyze(shop, Silent())
    shop.folder.mkdir(parents=True)
    record = shop.folder / FILE
    record.write_text("".join(f"{number:016x}\n" for number in range(2 * MOST_KEPT)))
    told(shop, analysis)
    lines = record.read_text().split()
    assert len(lines) == MOST_KEPT
    assert f"{0:016x}" in lines
    assert f"{MOST_KEPT - 1:016x}" not in lines
    assert len(told(shop, analysis)) == 1


def test_paths_without_a_project_leave_no_record(shop, tmp_path):
    catalog = {"catalog": {"source": [str(tmp_path / "schema.sql")]}}
    paths = project_of_paths([str(tmp_path / "queries.sql")], catalog)
    assert told(paths, analyze(shop, Silent())) == told(paths, analyze(shop, Silent()))
    assert not paths.folder.exists()


def test_analyze_shows_all_and_every_later_command_one_line(shop, capfd):
    said = {}
    for command in ("place", "explain", "analyze", "explain"):
        assert cli.main([command, str(shop.file)]) == 0
        said[command] = capfd.readouterr().err
        if command in ("place", "analyze"):
            assert LEFT_OUT in said[command]
            assert ASSUMED in said[command]
        else:
            assert "2 notes as before: `advisor analyze` shows them.\n" in said[command]
            assert LEFT_OUT not in said[command]


def test_what_older_sessions_leave_unknown_and_numbered_names_are_told_once(shop):
    analysis = analyze(shop, Silent())
    first, *_ = analysis.catalog.tables
    table = replace(analysis.catalog.tables[first], own="First", schema="public")
    catalog = replace(analysis.catalog, tables={**analysis.catalog.tables, first: table})
    workload = replace(analysis.workload, older_executions=12.0)
    told = list(notes(replace(analysis, catalog=catalog, workload=workload)))
    assert len([each for each in told if "12 executions are of sessions" in each]) == 1
    assert len([each for each in told if f"{first} is 'public.First'" in each]) == 1
    assert not any("older than their log" in each for each in notes(analysis))


def test_a_period_of_minutes_is_told_with_what_follows_from_it(shop, capfd):
    short = PROJECT.replace("[catalog]", "period_days = 0.00552\n[catalog]")
    moved = short.replace("[place]", '[place]\nhorizon = 12\ncurrent = { item = "pg" }')
    shop.file.write_text(f"{moved}[stores.pg.prices]\ntransfer_gb = 0.1\n")
    note = (
        "The executions are those of 7.95 minutes only ([workload].period_days = 0.00552): "
        "statements that run less often are missing; a move has to pay for itself within 95.4 "
        "minutes, the period times [place].horizon; transfers are taken to cost 5.43 k times as "
        "much a month as in the period. Take statistics or logs of days for a placement that is to "
        "last.\n"
    )
    for command in ("analyze", "place"):
        assert cli.main([command, str(shop.file)]) == 0
        assert (note in capfd.readouterr().err) is (command == "analyze")
    shop.file.write_text(short)
    assert cli.main(["analyze", str(shop.file)]) == 0
    assert "statements that run less often are missing. Take" in capfd.readouterr().err
    shop.file.write_text(PROJECT.replace("[catalog]", "period_days = 1\n[catalog]"))
    assert cli.main(["analyze", str(shop.file)]) == 0
    assert "period_days" not in capfd.readouterr().err
