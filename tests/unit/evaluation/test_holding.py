"""Tables that a store cannot hold are known by the types and the statistics of their columns."""

from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from evaluation.kinds import BACKENDS
from workloads.catalog import Column, Table
from workloads.progress import Silent
from workloads.sources import parquet

ALL = frozenset(BACKENDS)
BUT_DUCKDB = ALL - {"duckdb"}


def measured(folder: Path, sql: str) -> Table:
    (folder / "data").mkdir()
    duckdb.sql(f"COPY ({sql}) TO '{folder / 'data' / 't.parquet'}'")
    return parquet.catalog(folder / "data", cache=folder / "cache", progress=Silent()).table("t")


@pytest.mark.parametrize(
    ("value", "reason", "stores"),
    [
        ("'NaN'::DOUBLE", "NaN or an infinity", {"mysql"}),
        ("'-Infinity'::FLOAT", "NaN or an infinity", {"mysql"}),
        ("DATE '10000-01-01'", "a day after the year 9999", {"mysql"}),
        ("TIMESTAMP '10000-01-01 00:00:00'", "a day after the year 9999", {"mysql"}),
        ("DATE '0001-01-01' - 1", "a day before the year 1", BUT_DUCKDB - {"objects"}),
        (
            "TIMESTAMP '0001-01-01' - INTERVAL 1 MICROSECOND",
            "a day before the year 1",
            BUT_DUCKDB - {"objects"},
        ),
        ("DATE '5880000-01-01'", "a day after the year 5874897", {"postgresql"}),
        ("'a' || chr(0)", "the character U+0000", {"postgresql"}),
        ("DATE 'infinity'", "an infinite day", BUT_DUCKDB),
        ("TIMESTAMP '-infinity'", "an infinite day", BUT_DUCKDB),
        ("'\\xAB\\x00'::BLOB", "", ()),
        ("INTERVAL 1 DAY", "", ()),
        ("TIME '10:00'", "", ()),
        ("TIMESTAMP '9999-12-31 23:59:59.999999'", "", ()),
        ("TIMESTAMP '0001-01-01 00:00:00'", "", ()),
        ("1e308::DOUBLE", "", ()),
        ("NULL::DOUBLE", "", ()),
    ],
)
def test_a_store_lacks_what_it_would_refuse_to_load(tmp_path: Path, value, reason, stores):
    table = measured(tmp_path, f"SELECT {value} AS c UNION ALL SELECT NULL")
    said = {kind: backend.holding.lacks(table) for kind, backend in BACKENDS.items()}
    expected = f"column 'c' has {reason}"
    if "5880000" in value:
        said.pop("mysql")
    assert said == {kind: expected if kind in stores else None for kind in said}


def test_all_columns_at_fault_are_named_up_to_three(tmp_path: Path):
    odd = ", ".join(f"'NaN'::DOUBLE AS c{number}" for number in range(5))
    table = measured(tmp_path, f"SELECT {odd}, 1 AS n")
    assert BACKENDS["mysql"].holding.lacks(table) == (
        "column 'c0' has NaN or an infinity and column 'c1' has NaN or an infinity and "
        "column 'c2' has NaN or an infinity, and 2 more have the like"
    )


def test_nothing_is_said_of_values_that_nobody_has_measured():
    columns = tuple(
        Column(name=name, type=type_, width_bytes=8.0)
        for name, type_ in (("d", "DATE"), ("x", "DOUBLE"))
    )
    table = Table(name="t", columns=columns, rows=1, fingerprint="t")
    assert [backend.holding.lacks(table) for backend in BACKENDS.values()] == [None] * len(BACKENDS)


def test_names_that_a_store_has_no_room_for_keep_a_table_out_of_it():
    column = Column(name="ä" * 32, type="BIGINT", width_bytes=8.0)
    table = Table(name="t" * 64, columns=(column,), rows=1, fingerprint="f")
    holdings = {kind: backend.holding.lacks(table) for kind, backend in BACKENDS.items()}
    assert {kind for kind, said in holdings.items() if said} == {"postgresql"}
    assert holdings["postgresql"] == (
        f"a name of 64 bytes, with 63 at most and column '{'ä' * 32}' has a name of 64 bytes, "
        "with 63 at most"
    )
    longer = replace(table, name="t" * 65, columns=())
    assert BACKENDS["mysql"].holding.lacks(longer) == "a name of 65 characters, with 64 at most"
