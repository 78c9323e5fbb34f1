"""Rows, widths and column statistics of Parquet files, measured by DuckDB once."""

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb

from workloads.catalog import Column, ColumnStatistics, Table
from workloads.duck import literal, quoted
from workloads.errors import CatalogError
from workloads.measuring.columns import Columns, plain_columns
from workloads.measuring.distributions import Distribution, distributions
from workloads.measuring.samples import draw
from workloads.measuring.table_files import TableFiles

EXACT_ROWS = 20_000_000
"""Up to so many rows, distinct values are counted: DuckDB's sketch is off by 19 % for every tenth
column (15,128 for the 18,000 items of TPC-DS), and counting takes 1.3 times as long."""

_ASKED = 9
"""Aggregates of each column."""
_FLOATING = ("FLOAT", "DOUBLE")
_FIXED_BYTES = {
    "BOOLEAN": 1, "TINYINT": 1, "UTINYINT": 1, "SMALLINT": 2, "USMALLINT": 2,
    "INTEGER": 4, "UINTEGER": 4, "BIGINT": 8, "UBIGINT": 8, "HUGEINT": 16, "UHUGEINT": 16,
    "FLOAT": 4, "DOUBLE": 8, "DATE": 4, "TIME": 8, "TIME_NS": 8, "TIME WITH TIME ZONE": 8,
    "TIMESTAMP": 8, "TIMESTAMP_S": 8, "TIMESTAMP_MS": 8, "TIMESTAMP_NS": 8,
    "TIMESTAMP WITH TIME ZONE": 8, "UUID": 16, "INTERVAL": 16,
}  # fmt: skip
_TEXT = ("VARCHAR", "BLOB")
_NO_RANGE = (*_TEXT, "UUID", "INTERVAL", "TIME", "TIME_NS", "TIME WITH TIME ZONE")
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*\d+\)")


def measure(
    connection: duckdb.DuckDBPyConnection,
    source: TableFiles,
    contents: str,
    sample: Path | None = None,
    carried: Columns | None = None,
) -> Table:
    """Return the table of `source` as its data are; `contents` becomes its fingerprint.

    Distributions are taken from a sample of its rows, which is kept in `sample`, if given. The
    columns are those of its Parquet unless `carried` says more of them.

    Raises:
        CatalogError: All columns have nested types.
    """
    relation = f"read_parquet({literal(source.parquet)}, hive_partitioning = false)"
    held = carried or plain_columns(connection, source)
    types = held.types
    rows = _one(connection, f"SELECT count(*) FROM {relation}")[0]  # noqa: S608 (quoted)
    exact = set(types) if rows <= EXACT_ROWS else set()
    scan = ", ".join(part for name in types for part in _aggregates(name, types[name], exact))
    values = _one(connection, f"SELECT {scan} FROM {relation}")  # noqa: S608 (quoted)
    drawn = draw(connection, relation, rows, source.name)
    shapes = distributions(connection, drawn, types)
    if sample is not None:
        connection.execute(f"COPY {drawn} TO {literal(sample)} (FORMAT parquet)")
    columns = tuple(
        replace(
            _column(
                name,
                type_,
                rows,
                values[_ASKED * index : _ASKED * (index + 1)],
                shapes.get(name, ((), ())),
            ),
            own_type=held.own_types.get(name, ""),
        )
        for index, (name, type_) in enumerate(types.items())
    )
    return Table(
        name=source.name,
        columns=_ordered(connection, source, columns),
        rows=rows,
        fingerprint=contents,
        primary_key=source.primary_key,
        sample=sample,
        left_out=held.left_out,
    )


def _ordered(
    connection: duckdb.DuckDBPyConnection, source: TableFiles, columns: tuple[Column, ...]
) -> tuple[Column, ...]:
    """Add to the key's first column how far the rows are in its order; of files, the mean."""
    first = source.primary_key[0].lower() if source.primary_key else None
    found = next((each for each in columns if each.name.lower() == first), None)
    if found is None or found.statistics is None or found.statistics.minimum is None:
        return columns
    name = quoted(found.name)
    number = f"CAST({name} - DATE '1970-01-01' AS DOUBLE)" if found.type == "DATE" else name
    number = f"epoch({name})" if found.type.startswith("TIMESTAMP") else number
    files = f"read_parquet({literal(source.parquet)}, hive_partitioning = false, "
    correlated = (
        f"SELECT corr({number}, file_row_number) AS c "  # noqa: S608 - quoted
        f"FROM {files}file_row_number = true, filename = true) GROUP BY filename"
    )
    (correlation,) = _one(connection, f"SELECT avg(c) FROM ({correlated}) WHERE isfinite(c)")  # noqa: S608 - ours
    statistics = replace(found.statistics, correlation=_finite(correlation))
    ordered = replace(found, statistics=statistics)
    return tuple(ordered if each is found else each for each in columns)


def _aggregates(name: str, type_: str, exact: set[str]) -> tuple[str, ...]:
    column = quoted(name)
    distinct = f"count(DISTINCT {column})" if name in exact else f"approx_count_distinct({column})"
    low, high = f"min({column})", f"max({column})"
    length = finite = first = last = nul = "NULL"
    has_days = type_ == "DATE" or type_.startswith("TIMESTAMP")
    if has_days or type_ in _FLOATING:
        # NaN is larger than every number.
        finite = f"isfinite({low}) AND isfinite({high})"
        low, high = (f"CASE WHEN isfinite({each}) THEN {each} END" for each in (low, high))
    if has_days:
        first, last = f"year({low})", f"year({high})"
    if type_ == "DATE":
        low, high = f"({low}) - DATE '1970-01-01'", f"({high}) - DATE '1970-01-01'"
    elif has_days:
        low, high = f"epoch({low}) / 86400", f"epoch({high}) / 86400"
    elif type_ in _NO_RANGE or not is_fixed(type_):
        low = high = "NULL"
    if type_ == "VARCHAR":
        length, nul = (
            f"sum(strlen({column}))",
            f"coalesce(bool_or(contains({column}, chr(0))), false)",
        )
    elif type_ == "BLOB":
        length = f"sum(octet_length({column}))"
    numbers = (low, high, length, finite, first, last, nul)
    return (f"count({column})", distinct, *(f"CAST({each} AS DOUBLE)" for each in numbers))


def _column(
    name: str, type_: str, rows: int, values: tuple[Any, ...], shape: Distribution
) -> Column:
    filled, distinct, low, high, length, finite, first, last, nul = (
        float(v) if v is not None else None for v in values
    )
    filled = filled or 0.0
    return Column(
        name=name,
        type=type_,
        width_bytes=width_bytes(type_) if length is None else length / max(1, rows),
        statistics=ColumnStatistics(
            distinct=round(min(distinct or 0.0, filled)),
            null_share=1 - filled / rows if rows else 0.0,
            minimum=_finite(low),
            maximum=_finite(high),
            common=shape[0],
            histogram=shape[1],
            is_finite=None if finite is None else bool(finite),
            years=None if first is None or last is None else (int(first), int(last)),
            has_nul=None if nul is None else bool(nul),
        ),
    )


def is_fixed(type_: str) -> bool:
    """Whether all values of a type are equally wide."""
    return type_ in _FIXED_BYTES or _DECIMAL.fullmatch(type_) is not None


def width_bytes(type_: str) -> float:
    """Return the width of a value of a type of fixed width; 16 for a type we do not know."""
    decimal = _DECIMAL.fullmatch(type_)
    if decimal is None:
        return _FIXED_BYTES.get(type_, 16)
    digits = int(decimal.group(1))
    return next((width for most, width in ((4, 2), (9, 4), (18, 8)) if digits <= most), 16)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _one(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    row = connection.execute(sql).fetchone()
    if row is None:
        raise CatalogError(f"DuckDB returned nothing for: {sql}")
    return row
