"""Spark's scans of the object store: the columns and rows that are asked for, and no others."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from evaluation.kinds import SCANNED
from evaluation.measuring.plan_metrics import PlanMetrics, plan_metrics
from evaluation.objects.client import ObjectClient
from evaluation.objects.tables import SpaceTables
from evaluation.running.relations import ScannedSource
from evaluation.store_protocol.backend import Scan
from evaluation.store_protocol.connection import Connection
from tests.stores.parquet_tables import every_type, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

ROWS = 10_000
COLUMNS = {
    "id": "BIGINT", "Word": "VARCHAR", "price": "DECIMAL(9,2)", "day": "DATE", "ratio": "DOUBLE",
}  # fmt: skip
QUERY = f"""
SELECT range AS id, CASE WHEN range % 10 < 9 THEN 'w' || (range % 10) END AS Word,
       (range / 100)::DECIMAL(9,2) AS price, DATE '2000-01-01' + (range % 100)::INTEGER AS day,
       CASE range % 4 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN NULL ELSE range END AS ratio
FROM range({ROWS})
"""


@pytest.fixture
def store(
    objects: Mapping[str, Connection], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Connection:
    monkeypatch.setattr("evaluation.stores.objects._ROWS_PER_OBJECT", 3_000)
    connection = replace(objects["mem"], namespace="scans")
    backend = SCANNED["objects"]
    backend.prepare(connection)
    table = write(tmp_path, "t", COLUMNS, QUERY)
    groups = tmp_path / "small-groups.parquet"
    with duckdb.connect() as database:
        database.execute(f"COPY (FROM '{table.parquet}') TO '{groups}' (ROW_GROUP_SIZE 2048)")
    backend.load(connection, replace(table, parquet=groups))
    return connection


def asked(
    spark: "SparkSession", connection: Connection, sql: str, *, mapped: bool = True
) -> tuple[list[tuple[Any, ...]], PlanMetrics]:
    """The rows of a statement over `{t}`, and what was read for it."""
    backend = SCANNED["objects"]

    def scan(table: str) -> Scan:
        found = backend.scan(connection, table, timeout_s=60, fetch_size=1000)
        return replace(found, options={**found.options, "mapped": str(mapped).lower()})

    views: dict[int, str] = {}
    source = ScannedSource(namespace=connection.namespace, scan=scan, views=views)
    sql = sql.format(t=backend.table_name(connection, "t"))
    frame = source.relation(spark, sql, "f", {})
    rows = sorted(tuple(row) for row in frame.collect())
    return rows, plan_metrics(frame, views)


@pytest.mark.parametrize("mapped", [True, False], ids=["mapped", "fetched"])
def test_only_rows_that_pass_the_filters_leave_the_store(
    spark: "SparkSession", store: Connection, *, mapped: bool
):
    condition = "a.`Word` = 'w3' AND a.`price` < 10.00 AND a.`day` >= DATE '2000-02-01'"
    rows, counted = asked(
        spark, store, f"SELECT a.`id` AS id FROM {{t}} AS a WHERE {condition}", mapped=mapped
    )
    expected = [n for n in range(ROWS) if n % 10 == 3 and n < 1000 and n % 100 >= 31]
    assert [row[0] for row in rows] == expected
    assert counted.rows == {"f": len(expected)}


def test_a_filter_that_arrow_would_take_otherwise_stays_with_spark(
    spark: "SparkSession", store: Connection
):
    # For Spark NaN equals itself and is larger than every number.
    sql = "SELECT a.`id` AS id FROM {t} AS a WHERE a.`ratio` > 9990"
    rows, counted = asked(spark, store, sql)
    expected = [n for n in range(ROWS) if n % 4 == 0 or (n % 4 > 1 and n > 9990)]
    assert [row[0] for row in rows] == expected
    assert counted.rows["f"] > len(rows)


def test_a_row_whose_condition_is_unknown_does_not_pass(spark: "SparkSession", store: Connection):
    sql = "SELECT count(*) AS n FROM {{t}} AS a WHERE {}"
    for condition, expected in (
        ("a.`Word` IN ('w1', 'w2')", ROWS // 5),
        ("NOT a.`Word` = 'w1'", 8 * ROWS // 10),
        ("a.`Word` IS NULL", ROWS // 10),
        ("a.`Word` LIKE 'w%' AND a.`ratio` IS NOT NULL", None),
    ):
        ((found,),), _ = asked(spark, store, sql.format(condition))
        wanted = sum(1 for n in range(ROWS) if n % 10 < 9 and n % 4 != 1)
        assert found == (wanted if expected is None else expected)


def test_only_the_columns_that_are_named_are_read(spark: "SparkSession", store: Connection):
    backend = SCANNED["objects"]
    scan = backend.scan(store, "t", timeout_s=60, fetch_size=1000)
    assert scan.register is not None
    scan.register(spark)
    options = {**scan.options, str(scan.columns_option): '["word", "elsewhere", "id"]'}
    frame = spark.read.format(scan.format).options(**options).load()
    # Spark does not tell the case of letters.
    assert frame.columns == ["id", "Word"]
    assert frame.count() == ROWS


def test_rows_are_counted_without_a_column(spark: "SparkSession", store: Connection):
    rows, _ = asked(spark, store, "SELECT count(*) AS n FROM {t} AS a")
    assert rows == [(ROWS,)]


def test_a_star_reads_every_column(spark: "SparkSession", store: Connection):
    rows, _ = asked(spark, store, "SELECT * FROM {t} WHERE `id` = 7")
    assert len(rows[0]) == len(COLUMNS)


def test_a_table_is_read_on_every_node_by_tasks_of_its_own(
    spark: "SparkSession", store: Connection
):
    _, counted = asked(spark, store, "SELECT a.`id` AS id FROM {t} AS a")
    with ObjectClient(store.nodes, store.password or "") as client:
        parts = SpaceTables(client, store.namespace).all()["t"].parts
    assert {each.node for each in parts} == {"node-1", "node-2"}
    assert counted.scans["f"].partitions == len(parts) > 1


def test_every_type_is_the_same_mapped_and_fetched(
    spark: "SparkSession", store: Connection, tmp_path: Path
):
    SCANNED["objects"].load(store, replace(every_type(tmp_path), name="t"))
    ours = [asked(spark, store, "SELECT * FROM {t}", mapped=mapped)[0] for mapped in (True, False)]
    assert ours[0] == ours[1]
    assert len(ours[0]) == 4


def test_a_table_that_is_not_there_is_named(spark: "SparkSession", store: Connection):
    from pyspark.errors import PySparkException

    scan = partial(SCANNED["objects"].scan, store, timeout_s=60, fetch_size=1000)
    source = ScannedSource(namespace=store.namespace, scan=scan, views={})
    with pytest.raises(PySparkException, match="there is no table 'nowhere'") as raised:
        source.relation(spark, "SELECT * FROM `scans.nowhere`", "f", {})
    assert (store.password or "") not in str(raised.value)


def test_the_secret_is_in_no_plan(spark: "SparkSession", store: Connection):
    scan = SCANNED["objects"].scan(store, "t", timeout_s=60, fetch_size=1000)
    assert scan.register is not None
    scan.register(spark)
    frame = spark.read.format(scan.format).options(**scan.options).load()
    said = str(frame._jdf.queryExecution().toString())
    assert "placement_objects" in said
    assert (store.password or "") not in said
