"""What a table and its readers may come to, on every store."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from sqlglot import exp

from evaluation.embedded import EmbeddedRequest, running
from evaluation.kinds import BACKENDS
from evaluation.processes.folder import ServerFolder
from evaluation.store_protocol.backend import Backend
from evaluation.store_protocol.connection import Connection
from tests.stores.each_store import EACH_SERVER, answer, kill, read, rows
from tests.stores.parquet_tables import TYPES, numbers, write
from workloads.catalog import Table
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

READERS = 8
WIDE_COLUMNS = 500
LARGE_ROWS = 2_000_000


def wide(folder: Path) -> Table:
    """A table of five hundred columns of four types, in which every seventh value is NULL."""
    kinds = ("BIGINT", "DECIMAL(9,2)", "DATE", "VARCHAR")
    values = ("range * {0}", "range + {0} / 100", "DATE '2000-01-01' + {0}", "'r' || range")
    columns = {f"column_{at}": kinds[at % 4] for at in range(WIDE_COLUMNS)}
    listed = ", ".join(
        f"CASE WHEN (range + {at}) % 7 > 0 THEN CAST({values[at % 4].format(at)} AS {kind}) END"
        f" AS {name}"
        for at, (name, kind) in enumerate(columns.items())
    )
    return write(folder, "wide", columns, f"SELECT {listed} FROM range(20)")


def test_a_table_of_five_hundred_columns_comes_back_as_it_was(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    table = wide(tmp_path)
    backend.load(connection, table)
    with duckdb.connect() as database:
        expected = database.execute(f"FROM '{table.parquet}'").fetchall()
    found = read(spark, connection, "wide")
    assert found.columns == [column.name for column in table.columns]
    assert sorted(map(str, map(tuple, found.collect()))) == sorted(map(str, expected))


def test_columns_without_any_value_are_null_in_every_type(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    nulls = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in TYPES.items())
    table = write(tmp_path, "nothing", TYPES, f"SELECT {nulls} FROM range(3)")
    backend.load(connection, table)
    assert [tuple(row) for row in read(spark, connection, "nothing").collect()] == [
        (None,) * len(TYPES)
    ] * 3


def test_names_may_be_of_any_alphabet(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    columns = {"größe": "BIGINT", "数量": "BIGINT", "it's": "VARCHAR", "50%": "VARCHAR"}
    query = 'SELECT 1::BIGINT AS "größe", 2::BIGINT AS "数量", \'ä\' AS "it\'s", \'50%\' AS "50%"'
    backend.load(connection, write(tmp_path, "Bestände", columns, query))
    assert read(spark, connection, "Bestände").columns == list(columns)
    assert rows(spark, connection, "Bestände") == [(1, 2, "ä", "50%")]


def test_eight_readers_at_once_all_see_all_rows(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    table = numbers(tmp_path, "numbers", 20_000)
    backend.load(connection, table)

    def sums(_: int) -> tuple[int, int]:
        frame = read(spark, connection, "numbers")
        (row,) = frame.selectExpr("count(*)", "sum(id)").collect()
        return row[0], row[1]

    with ThreadPoolExecutor(READERS) as pool:
        assert list(pool.map(sums, range(READERS))) == [(20_000, 199_990_000)] * READERS


def test_millions_of_rows_are_loaded_and_counted(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    query = f"SELECT range AS id, range % 1000 AS n FROM range({LARGE_ROWS})"
    table = write(tmp_path, "large", {"id": "BIGINT", "n": "BIGINT"}, query)
    loaded = backend.load(connection, table)
    assert loaded.rows == LARGE_ROWS
    name = backend.table_name(connection, "large")
    # Columns of fragments are quoted, by which a scan knows them.
    n = exp.to_identifier("n", quoted=True).sql(backend.dialect)
    asked = f"SELECT count(*) AS c, CAST(sum({n}) AS DECIMAL(20, 0)) AS s FROM {name}"
    (row,) = answer(spark, connection, asked, timeout_s=200).collect()
    assert (row[0], int(row[1])) == (LARGE_ROWS, LARGE_ROWS // 1_000 * sum(range(1_000)))


@pytest.mark.parametrize("request_", EACH_SERVER, ids=[each.name for each in EACH_SERVER])
def test_copies_outlive_a_server_that_is_killed_and_started_again(
    spark: "SparkSession", request_: EmbeddedRequest, tmp_path: Path
) -> None:
    backend = BACKENDS[request_.kind]
    table = numbers(tmp_path, "numbers", 5_000)
    with running((request_,), tmp_path, Silent()) as connections:
        own = connections[request_.store]
        backend.prepare(own)
        loaded = backend.load(own, table)
        kill(tmp_path, request_.store)
    with running((request_,), tmp_path, Silent()) as connections:
        again = connections[request_.store]
        assert backend.loaded(again)["numbers"] == replace(loaded, found=True)
        assert len(rows(spark, again, "numbers")) == 5_000
        backend.prepare(again)
        loaded = backend.load(again, replace(table, fingerprint="again"))
        assert backend.loaded(again)["numbers"].fingerprint == "again"
    if request_.kind != "accumulo":
        return
    # It ended in order: its tables were unloaded, so that no log is recovered.
    folder = ServerFolder.of(tmp_path, request_.store, request_.name)
    assert folder.said("Manager requested tablet server halt")
    with running((request_,), tmp_path, Silent()) as connections:
        again = connections[request_.store]
        assert backend.loaded(again)["numbers"] == replace(loaded, found=True)
