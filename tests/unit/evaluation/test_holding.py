"""Tables that a store cannot hold are known by the types and the statistics of their columns."""

from pathlib import Path

import duckdb
import pytest

from evaluation.stores import BACKENDS
from workloads.catalog import Column, Table
from workloads.progress import Silent
from workloads.sources import parquet

ALL = frozenset(BACKENDS)
BUT_DUCKDB = ALL - {"duckdb"}


@pytest.mark.parametrize(
    ("value", "reason", "stores"),
    [
        ("'NaN'::DOUBLE", "NaN or an infinity", {"mysql"}),
        ("'-Infinity'::FLOAT", "NaN or an infinity", {"mysql"}),
        ("DATE '10000-01-01'", "a day after the year 9999", {"mysql"}),
        ("TIMESTAMP '10000-01-01 00:00:01'", "a day after the year 9999", {"mysql"}),
        ("DATE '0001-01-01' - 1", "a day before the year 1", BUT_DUCKDB - {"objects"}),
        ("DATE 'infinity'", "an infinite day", BUT_DUCKDB),
        ("TIMESTAMP '-infinity'", "an infinite day", BUT_DUCKDB),
        ("INTERVAL 1 DAY", "the type INTERVAL", BUT_DUCKDB),
        ("TIME '10:00'", "the type TIME", BUT_DUCKDB),
        ("TIMESTAMP '9999-12-31 23:59:59.999999'", "", ()),
        ("TIMESTAMP '0001-01-01 00:00:00'", "", ()),
        ("1e308::DOUBLE", "", ()),
        ("NULL::DOUBLE", "", ()),
    ],
)
def test_a_store_lacks_what_it_would_refuse_to_load(tmp_path: Path, value, reason, stores):
    folder = tmp_path / "data"
    folder.mkdir()
    duckdb.sql(f"COPY (SELECT {value} AS c UNION ALL SELECT NULL) TO '{folder / 't.parquet'}'")
    table = parquet.catalog(folder, cache=tmp_path / "cache", progress=Silent()).table("t")
    said = {kind: backend.holding.lacks(table) for kind, backend in BACKENDS.items()}
    expected = f"column 'c' has {reason}"
    assert said == {kind: expected if kind in stores else None for kind in BACKENDS}


def test_nothing_is_said_of_values_that_nobody_has_measured():
    columns = tuple(
        Column(name=name, type=type_, width_bytes=8.0)
        for name, type_ in (("d", "DATE"), ("x", "DOUBLE"))
    )
    table = Table(name="t", columns=columns, rows=1, fingerprint="t")
    assert [backend.holding.lacks(table) for backend in BACKENDS.values()] == [None] * len(BACKENDS)
