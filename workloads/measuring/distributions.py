"""Most common values and histograms of a table's columns, from a sample of its rows.

A value is common if it is clearly more frequent than the mean value; the rest is described by an
equi-depth histogram. Both are what PostgreSQL's ANALYZE keeps (Poosala et al., "Improved
Histograms for Selectivity Estimation of Range Predicates", SIGMOD 1996: "compressed"
histograms).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb

from workloads.catalog import Value
from workloads.duck import quoted

MOST_COMMON = 100
"""So many common values are kept of a column, as PostgreSQL does by default."""

BUCKETS = 100
"""So many buckets has a histogram, as PostgreSQL's has by default."""

CLEARLY = 1.25
"""A common value is so many times as frequent as the mean value (PostgreSQL up to 10)."""

LOOKED_AT_ROWS = 30_000
"""Of more rows, about so many are looked at: PostgreSQL takes 300 a bucket."""

LONGEST_VALUE = 100
"""A longer text is not kept as a common value."""

LONGEST_BOUND = 32
"""Of a histogram's bounds of text, so many characters are kept: they order as the whole does."""

_NUMBERS = frozenset(
    {
        *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
    }
)

Distribution = tuple[tuple[tuple[Value, float], ...], tuple[Value, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scaled:
    """A column as SQL on the scale of statistics, and whether it is text."""

    sql: str
    text: bool


def scale(name: str, type_: str) -> _Scaled | None:
    """Return a column as a number, or as text; None for types that have no order of use to us."""
    column = quoted(name)
    if type_ == "VARCHAR":
        return _Scaled(sql=column, text=True)
    if type_ == "DATE":
        return _Scaled(sql=f"CAST({column} - DATE '1970-01-01' AS DOUBLE)", text=False)
    if type_.startswith("TIMESTAMP"):
        return _Scaled(sql=f"CAST(epoch({column}) / 86400 AS DOUBLE)", text=False)
    if type_ in _NUMBERS or type_.startswith("DECIMAL"):
        return _Scaled(sql=f"CAST({column} AS DOUBLE)", text=False)
    return None


def distributions(
    connection: duckdb.DuckDBPyConnection, relation: str, types: Mapping[str, str]
) -> dict[str, Distribution]:
    """Return column → (common values with their shares, histogram) over the rows of `relation`.

    `relation` is a table in DuckDB, `types` are those of the columns to look at. Values are as in
    `ColumnStatistics`.
    """
    found = {}
    rows = _rows(connection, f"SELECT count(*) FROM {relation}")[0][0]  # noqa: S608 - quoted
    every = math.ceil(rows / LOOKED_AT_ROWS)
    if every > 1:
        part = f"SELECT * FROM {relation} WHERE hash(rowid) % {every} = 0"  # noqa: S608 - quoted
        connection.execute(f"CREATE OR REPLACE TEMP TABLE looked_at AS {part}")
        relation = "looked_at"
        rows = _rows(connection, "SELECT count(*) FROM looked_at")[0][0]
    for name, type_ in types.items():
        scaled = scale(name, type_)
        if scaled is not None and rows:
            found[name] = _distribution(connection, relation, scaled, rows)
    return found


def _distribution(
    connection: duckdb.DuckDBPyConnection, relation: str, scaled: _Scaled, rows: int
) -> Distribution:
    values = f"SELECT {scaled.sql} AS v FROM {relation} WHERE {scaled.sql} IS NOT NULL"  # noqa: S608
    finite = values if scaled.text else f"FROM ({values}) WHERE isfinite(v)"
    frequent = _rows(
        connection,
        f"SELECT v, count(*) AS n, count(*) OVER () AS distinct_, sum(count(*)) OVER () AS filled"  # noqa: S608
        f" FROM ({finite}) GROUP BY v ORDER BY n DESC, v LIMIT {MOST_COMMON + 1}",
    )
    if not frequent:
        return (), ()
    distinct, filled = frequent[0][2], int(frequent[0][3])
    common = _common(frequent, distinct, filled)
    shares = tuple((value, round(count / rows, 8)) for value, count in common)
    if len(common) == distinct:
        return shares, ()
    kept = [value for value, _ in common]
    return shares, _histogram(connection, finite, kept, text=scaled.text)


def _common(frequent: list[tuple[Any, ...]], distinct: int, filled: int) -> list[tuple[Value, int]]:
    """Return the values to keep: all where they are few, else those clearly above the mean."""
    short = [(v, n) for v, n, *_ in frequent[:MOST_COMMON] if len(str(v)) <= LONGEST_VALUE]
    if distinct <= MOST_COMMON:
        return short
    least = max(2.0, CLEARLY * filled / distinct)
    return [(v, n) for v, n in short if n >= least]


def _histogram(
    connection: duckdb.DuckDBPyConnection, values: str, common: list[Value], *, text: bool
) -> tuple[Value, ...]:
    type_ = "VARCHAR" if text else "DOUBLE"
    quantiles = [index / BUCKETS for index in range(BUCKETS + 1)]
    (bounds,) = connection.execute(
        f"SELECT quantile_disc(v, {quantiles}) FROM ({values})"  # noqa: S608 - ours
        f" WHERE v NOT IN (SELECT unnest(CAST($common AS {type_}[])))",
        {"common": common},
    ).fetchone() or (None,)
    if bounds is None:
        return ()
    return tuple(str(bound)[:LONGEST_BOUND] if text else float(bound) for bound in bounds)


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql).fetchall()
