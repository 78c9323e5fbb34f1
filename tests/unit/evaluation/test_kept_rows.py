"""Rows of live tables that were read before: when they may be used again."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.kept_rows import KeptRows, keep, kept_rows
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Column, Table

ROWS = KeptRows(mark="7 rows", size_bytes=9)
SERVER = Connection(store="pg", kind="postgresql", host="one", port=1, database="d", user="u")
TABLE = Table(
    name="t",
    schema="s",
    columns=(Column(name="a", type="VARCHAR", width_bytes=4, read_as="lower({})"),),
    rows=1,
    fingerprint="f",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "t.parquet"
    found.write_bytes(b"rows")
    keep(found, TABLE, SERVER, ROWS)
    return found


def test_rows_are_known_again(path: Path):
    # Estimates of the catalog are no part of what a table is.
    assert kept_rows(path, replace(TABLE, rows=2, fingerprint="g"), SERVER) == ROWS


@pytest.mark.parametrize(
    "server",
    [
        replace(SERVER, host="two"),
        replace(SERVER, port=2),
        replace(SERVER, database="e"),
        # Another account may see other rows.
        replace(SERVER, user="v"),
    ],
)
def test_rows_of_another_server_are_not_used(path: Path, server: Connection):
    assert kept_rows(path, TABLE, server) is None


@pytest.mark.parametrize(
    "column",
    [
        replace(TABLE.columns[0], name="b"),
        replace(TABLE.columns[0], type="BLOB"),
        replace(TABLE.columns[0], own_type="UUID"),
        replace(TABLE.columns[0], read_as="{}"),
    ],
)
def test_rows_with_other_columns_are_not_used(path: Path, column: Column):
    assert kept_rows(path, replace(TABLE, columns=(column,)), SERVER) is None


def test_rows_that_were_written_after_their_mark_are_not_used(path: Path):
    """A process that is killed between the rows and their note leaves the note of the old rows."""
    path.write_bytes(b"other rows")
    assert kept_rows(path, TABLE, SERVER) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"of": 1}'])
def test_a_damaged_note_is_no_note(path: Path, text: str):
    path.with_suffix(".json").write_text(text)
    assert kept_rows(path, TABLE, SERVER) is None


def test_rows_without_a_mark_are_not_kept(path: Path):
    keep(path, TABLE, SERVER, replace(ROWS, mark=""))
    assert kept_rows(path, TABLE, SERVER) is None


def test_nothing_is_known_of_rows_that_are_gone(path: Path):
    path.unlink()
    assert kept_rows(path, TABLE, SERVER) is None
