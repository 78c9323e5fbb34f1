"""Column statistics from a sample of a table's rows, where its store keeps none."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pyarrow as pa

from workloads.catalog import Column, ColumnStatistics
from workloads.duck import connect, literal, quoted
from workloads.estimation.distinct_values import Frequencies, duj1
from workloads.measuring.statistics import measure
from workloads.measuring.table_files import TableFiles

SAMPLE_ROWS = 30_000
"""As many as PostgreSQL's ANALYZE takes by default (300 times its statistics target)."""

SAMPLE_BYTES = 64 << 20
LONGEST_TEXT = 4_096
"""Characters that are fetched of a value; one that is longer counts as so wide."""

EMPTY = ColumnStatistics(distinct=0, null_share=0.0)
"""Column statistics of a table without rows."""

_FEWEST_ROWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Rows of one table as text, in the order of `types` (column → DuckDB's type).

    A BLOB is written in hexadecimal digits. `total_rows` is what the whole table has.
    """

    table: str
    types: Mapping[str, str]
    rows: Sequence[Sequence[str | None]]
    total_rows: int


def sample_rows(row_bytes: float) -> int:
    """Return how many rows of that width a sample takes."""
    return max(_FEWEST_ROWS, min(SAMPLE_ROWS, round(SAMPLE_BYTES / max(1.0, row_bytes))))


def sampled(samples: Sequence[Sample]) -> dict[str, dict[str, Column]]:
    """Return table → column → what its sample says, distinct values extrapolated.

    Raises:
        CatalogError: DuckDB cannot measure a sample.
        SetUpError: Memory or disk ran out.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        connect("measuring samples", scratch=Path(folder)) as connection,
    ):
        # A sample is too small to be shared between threads, but there may be many.
        connection.execute("SET threads = 1")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(
                lambda numbered: _measured(
                    connection.cursor(), numbered[1], Path(folder) / f"{numbered[0]}.parquet"
                ),
                enumerate(samples),
            )
            return {each.table: columns for each, columns in zip(samples, found, strict=True)}


def _measured(
    connection: duckdb.DuckDBPyConnection, sample: Sample, path: Path
) -> dict[str, Column]:
    columns = list(zip(*sample.rows, strict=True)) or [() for _ in sample.types]
    arrays = [pa.array(values, pa.string()) for values in columns]
    # By position: two columns may differ in nothing but case.
    text = pa.table(arrays, [f"c{index}" for index in range(len(arrays))])
    casts = ", ".join(
        f"{_typed(f'c{index}', type_)} AS {quoted(name)}"
        for index, (name, type_) in enumerate(sample.types.items())
    )
    connection.register("sample_text", text)
    connection.execute(f"COPY (SELECT {casts} FROM sample_text) TO {literal(path)}")  # noqa: S608
    connection.unregister("sample_text")
    files = TableFiles(name=sample.table, parquet=path, files=(path,))
    found = {column.name: column for column in measure(connection, files, "").columns}
    if len(sample.rows) >= sample.total_rows:
        return found
    return {
        name: _extrapolated(column, _singles(connection, path, name), sample)
        for name, column in found.items()
    }


def _typed(column: str, type_: str) -> str:
    """Return the value of a text column; NULL for what DuckDB has no such value of."""
    if type_ == "BLOB":
        return f"unhex({column})"
    return column if type_ == "VARCHAR" else f"TRY_CAST({column} AS {type_})"


def _singles(connection: duckdb.DuckDBPyConnection, path: Path, column: str) -> int:
    """Return how many values occur once in the sample."""
    name = quoted(column)
    row = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM {literal(path)}"  # noqa: S608 - quoted
        f" WHERE {name} IS NOT NULL GROUP BY {name} HAVING count(*) = 1)"
    ).fetchone()
    return int(row[0]) if row else 0


def _extrapolated(column: Column, singles: int, sample: Sample) -> Column:
    if column.statistics is None:
        return column
    known = _of_part(column.statistics)
    if not known.distinct:
        return replace(column, statistics=known)
    filled = len(sample.rows) * (1 - known.null_share)
    total = sample.total_rows * (1 - known.null_share)
    seen = Frequencies(rows=filled, distinct=known.distinct, once=singles)
    distinct = min(total, duj1(seen, total / filled))
    return replace(column, statistics=replace(known, distinct=round(distinct)))


def _of_part(known: ColumnStatistics) -> ColumnStatistics:
    """Return what a part of the rows tells of all: an odd value that it lacks may be elsewhere."""
    return replace(
        known,
        is_finite=None if known.is_finite else known.is_finite,
        years=None,
        has_nul=known.has_nul or None,
    )
