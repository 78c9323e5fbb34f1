"""Tables in the order of their primary key, cut into ranges of it."""

from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from evaluation.bulk import key_ranges as key_ranges_module
from evaluation.bulk.key_ranges import key_ranges
from evaluation.stores.mysql.slices import _TRANSACTION_BYTES, slices
from workloads.catalog import Column, Table
from workloads.errors import CatalogError

ROWS = 50_000


def table(folder: Path, query: str, *, key: tuple[str, ...] = ("a", "b")) -> Table:
    """Write the result of `query`, whose columns are a and b, to Parquet."""
    path = folder / "it's.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY ({query}) TO '{str(path).replace(chr(39), chr(39) * 2)}' (ROW_GROUP_SIZE 4096)"
        )
    columns = tuple(Column(name=name, type="BIGINT", width_bytes=8.0) for name in "ab")
    return Table(
        name="t", rows=ROWS, fingerprint="1", primary_key=key, parquet=path, columns=columns
    )


def texts(found: Table, most: int) -> list[str]:
    """Return the text of each range."""
    assert found.parquet is not None
    ranges = key_ranges(found, [found.parquet], most, found.parquet.parent)
    return [b"".join(each.batches()).decode() for each in ranges]


def numbers(text: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, line.split("\t"))) for line in text.splitlines()]


def test_ranges_have_every_row_once_in_the_keys_order(tmp_path: Path) -> None:
    query = f"SELECT (range * 7919) % 1000 AS a, range AS b FROM range({ROWS})"
    ranges = [numbers(text) for text in texts(table(tmp_path, query), 4)]
    assert len(ranges) == 4
    rows = [row for each in ranges for row in each]
    assert rows == sorted((number * 7919 % 1000, number) for number in range(ROWS))
    assert all(len(each) < ROWS / 2 for each in ranges)


def test_a_small_table_is_one_range(tmp_path: Path) -> None:
    found = table(tmp_path, "SELECT 3 - range AS a, range AS b FROM range(3)")
    assert texts(found, 1) == ["1\t2\n2\t1\n3\t0\n"]
    assert texts(found, 0) == ["1\t2\n2\t1\n3\t0\n"]


def test_a_key_that_begins_with_one_value_everywhere_loses_no_row(tmp_path: Path) -> None:
    ranges = texts(table(tmp_path, f"SELECT 5 AS a, range AS b FROM range({ROWS})"), 4)
    assert sum(text.count("\n") for text in ranges) == ROWS


def test_a_row_without_a_key_reaches_the_store_that_refuses_it(tmp_path: Path) -> None:
    query = f"SELECT nullif(range, 7) AS a, range AS b FROM range({ROWS})"
    ranges = texts(table(tmp_path, query), 2)
    assert sum(text.count("\n") for text in ranges) == ROWS
    assert "\\N\t7\n" in "".join(ranges)


@pytest.mark.parametrize(
    "value",
    [
        "'it''s ' || lpad(range::VARCHAR, 6, '0')",
        "DATE '1900-01-01' + range::INTEGER",
        "TIMESTAMP '2000-01-01 00:00:00.000001' + range * INTERVAL 1 SECOND",
        "(range / 100)::DECIMAL(18, 2)",
        "range::DOUBLE / 3",
    ],
)
def test_a_key_may_be_of_any_type(tmp_path: Path, value: str) -> None:
    query = f"SELECT {value} AS a, range AS b FROM range({ROWS}) ORDER BY hash(range)"
    lines = "".join(texts(table(tmp_path, query, key=("a",)), 3)).splitlines()
    assert [int(line.split("\t")[1]) for line in lines] == list(range(ROWS))


def test_a_sort_beyond_its_memory_spills_into_a_folder_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(key_ranges_module, "_SORT_MEMORY", "40MB")
    rows = 600_000
    query = f"SELECT md5(range::VARCHAR) AS a, range AS b FROM range({rows})"
    found = table(tmp_path, query, key=("a",))
    assert found.parquet is not None
    (whole,) = key_ranges(found, [found.parquet], 1, scratch)
    spilled, seen = False, 0
    for batch in whole.batches():
        spilled |= any(scratch.glob("sort-*"))
        seen += bytes(batch).count(b"\n")
    assert seen == rows
    assert spilled
    assert not list(scratch.iterdir())


def test_an_empty_table_has_no_text(tmp_path: Path) -> None:
    assert texts(table(tmp_path, "SELECT 1 AS a, 2 AS b WHERE false"), 3) == [""]


def test_damaged_parquet_is_told(tmp_path: Path) -> None:
    path = tmp_path / "damaged.parquet"
    path.write_bytes(b"not Parquet")
    found = table(tmp_path, "SELECT 1 AS a, 2 AS b")
    with pytest.raises(CatalogError, match="damaged"):
        key_ranges(replace(found, parquet=path), [path], 2, tmp_path)


def test_a_transaction_of_a_load_is_bounded() -> None:
    chunk = memoryview(bytes(_TRANSACTION_BYTES // 2))
    sizes = [[len(part) for part in some] for some in slices([chunk] * 5)]
    assert [len(some) for some in sizes] == [2, 2, 1]
    assert list(slices([])) == []
