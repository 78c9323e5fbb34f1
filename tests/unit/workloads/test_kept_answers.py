"""Answers of samples are kept from command to command, for one state of the tables."""

import stat
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from workloads.catalog import Catalog, Column, Table
from workloads.estimation.kept_answers import KeptAnswers
from workloads.estimation.sample_database import SampleDatabase

COUNT = "SELECT count(*), max(i) FROM {}"


@pytest.fixture
def table(tmp_path: Path) -> Table:
    file = tmp_path / "t.parquet"
    duckdb.execute(f"COPY (SELECT range AS i FROM range(30)) TO '{file}'")
    columns = (Column(name="i", type="BIGINT", width_bytes=8.0),)
    return Table(name="t", columns=columns, rows=30, fingerprint="one", parquet=file, sample=file)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "estimates"


def asked(table: Table, folder: Path) -> tuple[object, bool]:
    """Return what is counted, and whether DuckDB had to be opened for it."""
    catalog = Catalog(name="c", tables={table.name: table})
    kept = KeptAnswers(folder, [table])
    with SampleDatabase(catalog, kept) as samples:
        found = samples.ask(COUNT.format(samples.sample(table)))
        assert samples.is_whole(table)
        return found, samples._connection is not None


def test_a_second_command_opens_no_database(table: Table, folder: Path) -> None:
    assert asked(table, folder) == ([(30, 29)], True)
    assert asked(table, folder) == ([(30, 29)], False)
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert "SELECT" not in file.read_text()


def test_other_contents_are_asked_anew(table: Table, folder: Path) -> None:
    asked(table, folder)
    duckdb.execute(f"COPY (SELECT 7::BIGINT AS i FROM range(30)) TO '{table.parquet}'")
    assert asked(replace(table, fingerprint="two"), folder) == ([(30, 7)], True)


def test_another_sample_of_the_same_contents_is_asked_anew(table: Table, folder: Path) -> None:
    asked(table, folder)
    duckdb.execute(f"COPY (SELECT 7::BIGINT AS i FROM range(30)) TO '{table.sample}'")
    assert asked(table, folder) == ([(30, 7)], True)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"a": 7}', "null"])
def test_a_damaged_file_costs_only_its_time(table: Table, folder: Path, text: str) -> None:
    asked(table, folder)
    (file,) = folder.iterdir()
    file.write_text(text)
    assert asked(table, folder) == ([(30, 29)], True)
    assert asked(table, folder) == ([(30, 29)], False)


def test_a_folder_that_cannot_be_made_costs_only_its_time(table: Table, folder: Path) -> None:
    folder.write_text("a file is in its place")
    assert asked(table, folder) == ([(30, 29)], True)
    assert asked(table, folder) == ([(30, 29)], True)


def test_what_json_cannot_say_and_long_answers_are_asked_again(table: Table, folder: Path) -> None:
    kept = KeptAnswers(folder, [table])
    kept.keep("decimal", [(Decimal(1),)])
    kept.keep("long", [(each,) for each in range(101)])
    kept.keep("float", [(0.1 + 0.2, None, True, "ä")])
    kept.write()
    again = KeptAnswers(folder, [table])
    assert again.get("decimal") is again.get("long") is None
    assert again.get("float") == [(0.1 + 0.2, None, True, "ä")]


def test_the_newest_files_are_kept(
    table: Table, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workloads.estimation.kept_answers._MOST_FILES", 2)
    for state in ("a", "b", "c"):
        asked(replace(table, fingerprint=state), folder)
    assert len(list(folder.iterdir())) == 2
    assert asked(replace(table, fingerprint="c"), folder)[1] is False
    assert asked(replace(table, fingerprint="a"), folder)[1] is True
