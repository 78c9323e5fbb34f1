"""Folders of a catalog: those of Parquet, and those of DDL."""

from pathlib import Path

import pytest

from advisor.project.source_settings import holds_parquet


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["ITEMS.PARQUET", "notes.sql"], True),
        (["orders/year=2023/Part.Parquet", "notes.sql"], True),
        (["SCHEMA.SQL"], False),
        (["ddl/schema.Sql"], False),
        (["readme.txt"], True),
    ],
)
def test_suffixes_are_read_in_any_case(tmp_path: Path, files: list[str], expected: bool) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert holds_parquet(tmp_path) == expected
