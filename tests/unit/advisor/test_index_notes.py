"""Notes on indexes that copies do not get."""

from pathlib import Path

from advisor.analysis.index_notes import left_out_notes, unindexed_store_notes
from advisor.project.config import load_project
from tests.unit.advisor import analyses

INDEXES = """
CREATE INDEX lowered ON orders (lower(o_id::text));
CREATE INDEX tagged ON orders USING gin (o_day);
CREATE INDEX by_day ON orders (o_day);
"""
PROJECT = """
[workload]
source = "queries.sql"
[catalog]
source = "schema.sql"
[stores.pg]
kind = "postgresql"
embedded = true
[stores.duck]
kind = "duckdb"
"""


def test_a_table_that_is_read_is_told_once_with_the_indexes_that_copies_lack(
    tmp_path: Path,
) -> None:
    analysis = analyses.analysed(tmp_path, ddl=analyses.DDL + INDEXES)
    (note,) = left_out_notes(analysis)
    assert note == (
        "Copies of table 'orders' are made without 2 of its indexes (lowered: it is over an "
        "expression; tagged: its method is gin)."
    )


def test_stores_that_make_no_index_are_told_where_a_table_has_any(tmp_path: Path) -> None:
    plain = analyses.analysed(tmp_path)
    indexed = analyses.analysed(tmp_path, ddl=analyses.DDL + INDEXES)
    (tmp_path / "shop.toml").write_text(PROJECT)
    project = load_project(tmp_path / "shop.toml")
    assert list(unindexed_store_notes(project, plain)) == []
    (note,) = unindexed_store_notes(project, indexed)
    assert note.startswith("Copies in 'duck' (duckdb) get no indexes, which 1 table has:")
