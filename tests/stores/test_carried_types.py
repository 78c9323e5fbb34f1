"""Tables of types that stores lack load into every store, with the values that the source has."""

import decimal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet as arrow_parquet

from evaluation.running.execution import Federation
from evaluation.store_protocol.backend import Backend
from evaluation.store_protocol.connection import Connection
from placement.stores import Capability
from tests.stores.awkward_values import routed
from workloads.progress import Silent
from workloads.sources import parquet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

ODD_TYPES = r"""SELECT * FROM (VALUES
    (1, 255::UTINYINT, 18446744073709551615::UBIGINT, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID,
     TIME '23:59:59.999999', '10:00:00.5+00'::TIMETZ, INTERVAL '14 months 40 days 25 hours',
     TIMESTAMP_NS '2024-02-29 01:02:03.123456', TIMESTAMP_NS '2024-02-29 01:02:03.123456789',
     TIMESTAMP_MS '1969-12-31 23:59:59.999', '{"a": [1.50, "\\"]}'::JSON, [1, NULL],
     {'a': 'x"y\', 'b': [DATE '2024-02-29']}, MAP {'k': chr(9)}),
    (2, 0, 0, '00000000-0000-0000-0000-000000000000', TIME '00:00', '00:00:00+00',
     INTERVAL '0 days', TIMESTAMP_NS '1970-01-01', TIMESTAMP_NS '1970-01-01',
     TIMESTAMP_MS '2038-01-20', 'null', [], {'a': NULL, 'b': []}, MAP {}),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
    ) v(n, u1, u8, id, t, tz, i, us, ns, ms, j, list, struct, map)"""
AS_CARRIED = """SELECT n, u1, u8, id::VARCHAR, strftime(DATE '2000-01-01' + t, '%H:%M:%S.%f'),
    strftime(DATE '2000-01-01' + tz::TIME, '%H:%M:%S.%f+00'), i::VARCHAR, us::TIMESTAMP,
    strftime(ns, '%Y-%m-%d %H:%M:%S.%n'), ms::TIMESTAMP, j::VARCHAR, to_json(list)::VARCHAR,
    to_json(struct)::VARCHAR, to_json(map)::VARCHAR"""
ODD_FORMS = {
    "n": [1, 2, 3],
    "m": pa.array(["1600-02-29 01:02:03.000004", None, "2300-01-01"]).cast(pa.timestamp("us")),
    "price": pa.array([decimal.Decimal("-0.05"), None, decimal.Decimal(10**18)],
                      pa.decimal128(25, 2)),
    "wide": pa.array([decimal.Decimal("1234567890123456789012.34567891"), None,
                      decimal.Decimal("-999999999999999999999999999999.99999999")],
                     pa.decimal128(38, 8)),
    "digits": ["12345678901234567890123456789012345678901234567.5", None, "-0.10"],
    "category": pa.array(["a\tb\\", None, "\n"]).dictionary_encode(),
    "large": pa.array(["é", None, ""], pa.large_string()),
    "half": pa.array([1.5, None, -2.25], pa.float16()),
    "span": pa.array([1, None, -1], pa.duration("us")),
    "nothing": pa.nulls(3),
    "bytes": pa.array([bytes(range(256)), None, b""], pa.binary()),
    "digest": pa.array([b"\\\x00\t\xff", None, b"\\N\\x"], pa.binary(4)),
}  # fmt: skip


def answered(
    spark: "SparkSession", connection: Connection, backend: Backend, folder: Path
) -> list[str]:
    """Load the table of `folder` as a catalog has it; return its rows as they are carried."""
    catalog = parquet.catalog(folder / "data", cache=folder / "cache", progress=Silent())
    table = catalog.table("odd")
    assert not table.left_out
    assert backend.holding.lacks(table) is None
    backend.load(connection, table)
    # With their own types known, a query would cast them back.
    bare = replace(table, columns=tuple(replace(each, own_type="") for each in table.columns))
    catalog = replace(catalog, tables={"odd": bare})
    way = next(e for e in (Capability.QUERY, Capability.SCAN) if e in backend.capabilities)
    query = routed("SELECT * FROM odd ORDER BY n", catalog, way, connection)
    with Federation(spark, {connection.store: connection}, timeout_s=60) as federation:
        return [repr(tuple(row)) for row in federation.run(query).rows]


def of_source(folder: Path, sql: str) -> list[str]:
    with duckdb.connect() as source:
        rows = source.execute(f"{sql} FROM '{folder / 'data' / 'odd.parquet'}' ORDER BY n")
        return [repr(row) for row in rows.fetchall()]


def test_types_that_stores_lack_are_loaded_as_they_are_carried(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    file = tmp_path / "data" / "odd.parquet"
    file.parent.mkdir()
    duckdb.sql(f"COPY ({ODD_TYPES}) TO '{file}' (FORMAT parquet)")
    assert answered(spark, connection, backend, tmp_path) == of_source(tmp_path, AS_CARRIED)


def test_odd_physical_types_are_loaded_with_the_values_that_duckdb_reads(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    file = tmp_path / "data" / "odd.parquet"
    file.parent.mkdir()
    arrow_parquet.write_table(pa.table(ODD_FORMS), file, use_deprecated_int96_timestamps=True)
    assert answered(spark, connection, backend, tmp_path) == of_source(tmp_path, "SELECT *")
