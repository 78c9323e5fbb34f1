"""Accumulo: what reaches its tablet servers, in both layouts, read and written by Spark."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evaluation.kinds import SCANNED
from evaluation.measuring.plan_metrics import PlanMetrics, plan_metrics
from evaluation.running.relations import ScannedSource
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.register import STAGING
from evaluation.stores.accumulo import tablets
from evaluation.stores.accumulo.backend import FORMAT, Accumulo
from evaluation.stores.accumulo.names import qualified, spelled
from evaluation.stores.accumulo.sessions import session
from tests.stores.parquet_tables import every_type, texts, write
from workloads.catalog import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

BACKEND = Accumulo()
ROWS = 4_000
# Where a condition is tested: by the servers' iterator, or where Spark's task is.
PLACES = [
    pytest.param({"layout": "packed", "iterators": "server"}, id="packed, in servers"),
    pytest.param({"layout": "packed", "iterators": "client"}, id="packed, in tasks"),
    pytest.param({"layout": "columnar", "iterators": "client"}, id="columnar"),
]


@pytest.fixture
def connection(accumulo: Mapping[str, Connection]) -> Iterator[Connection]:
    found = replace(accumulo["acc"], namespace="accumulo_alone")
    BACKEND.prepare(found)
    yield found
    for table in BACKEND.loaded(found):
        BACKEND.drop(found, table)


@pytest.fixture
def facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    """A table with a key of two columns, in four tablets."""
    monkeypatch.setattr(tablets, "_ROWS_EACH", ROWS // 4)
    query = (
        "SELECT (i // 2)::BIGINT AS a, DATE '2020-01-01' + (i % 2)::INTEGER AS d, "
        "CASE WHEN i % 10 = 0 THEN NULL ELSE i END::INTEGER AS n, "
        "'w' || (i % 100) AS word, (i / 100)::DECIMAL(7,2) AS price, i / 3 AS ratio "
        f"FROM range({ROWS}) AS r(i)"
    )
    columns = {
        "a": "BIGINT", "d": "DATE", "n": "INTEGER", "word": "VARCHAR", "price": "DECIMAL(7,2)",
        "ratio": "DOUBLE",
    }  # fmt: skip
    return replace(write(tmp_path, "facts", columns, query), primary_key=("a", "d"))


def asked(
    spark: "SparkSession", connection: Connection, sql: str, *, fetch_size: int = 1000
) -> tuple[list[tuple[Any, ...]], PlanMetrics]:
    """The rows of a fragment, where {} is the table `facts`, and what was counted of its scan."""
    views: dict[int, str] = {}
    scan = partial(SCANNED["accumulo"].scan, connection, timeout_s=60, fetch_size=fetch_size)
    source = ScannedSource(namespace=connection.namespace, scan=scan, views=views)
    name = BACKEND.table_name(connection, "facts")
    frame = source.relation(spark, sql.format(name), "q", {})
    rows = [tuple(row) for row in frame.collect()]
    return rows, plan_metrics(frame, views)


# A condition, the rows it keeps, and whether the scan hands out no others.
CONDITIONS = [
    ("t.a = 7", 2, True),
    ("t.a = 7 AND t.d = DATE '2020-01-02'", 1, True),
    ("t.a IN (1, 5, 1999, 70000)", 6, True),
    ("t.a >= 10 AND t.a < 20", 20, True),
    ("t.a > 1989", 20, True),
    ("t.a BETWEEN 20 AND 10", 0, True),
    ("t.a BETWEEN 10 AND 19 OR t.a BETWEEN 15 AND 24 OR t.a >= 1990", 50, True),
    ("(t.a < 5 OR t.a = 1000 OR t.a > 1997) AND t.d = DATE '2020-01-02'", 8, True),
    ("t.a = 7 AND (t.d < DATE '2020-01-02' OR t.d > DATE '2020-01-02')", 1, True),
    ("t.a < 5 OR t.a IS NULL", 10, True),
    ("t.n IS NULL", ROWS // 10, True),
    ("t.n IS NOT NULL", ROWS - ROWS // 10, True),
    ("NOT (t.n < 3000)", 900, True),
    ("t.n < 10 OR t.word = 'w99'", 9 + ROWS // 100, True),
    ("t.word LIKE 'w9%'", 11 * ROWS // 100, True),
    ("t.price > 39.98", 1, True),
    ("t.d = DATE '2020-01-02' AND t.word IN ('w1', 'w2')", ROWS // 100, True),
    # Spark has an order of its own for floating-point numbers.
    ("t.ratio < 1", 3, False),
]


@pytest.mark.parametrize("options", PLACES)
def test_conditions_keep_the_right_rows_and_leave_the_others_in_the_store(
    spark: "SparkSession", connection: Connection, facts: Table, options: dict[str, str]
):
    connection = replace(connection, options=options)
    BACKEND.load(connection, facts)
    for condition, kept, alone in CONDITIONS:
        rows, counted = asked(
            spark, connection, f"SELECT t.a AS a, t.word AS w FROM {{}} AS t WHERE {condition}"
        )
        assert len(rows) == kept, condition
        assert counted.rows["q"] == (kept if alone else ROWS), condition


@pytest.fixture
def one_tablet(facts: Table, monkeypatch: pytest.MonkeyPatch) -> Table:
    """The table in one tablet, of more rows than a server hands out in one entry."""
    monkeypatch.setattr(tablets, "_ROWS_EACH", ROWS)
    return facts


@pytest.mark.parametrize("options", PLACES)
@pytest.mark.parametrize("fetch_size", [100, 1500, 100_000])
def test_a_scan_goes_on_behind_the_last_row_that_it_was_handed(
    spark: "SparkSession",
    connection: Connection,
    one_tablet: Table,
    options: dict[str, str],
    fetch_size: int,
):
    connection = replace(connection, options=options)
    BACKEND.load(connection, one_tablet)
    select = "SELECT t.a AS a, t.d AS d, t.word AS w FROM {} AS t"
    rows, counted = asked(spark, connection, select, fetch_size=fetch_size)
    assert counted.scans["q"].partitions == 1
    assert len({row[:2] for row in rows}) == len(rows) == ROWS
    kept = asked(spark, connection, f"{select} WHERE t.word < 'w5'", fetch_size=fetch_size)[0]
    assert sorted(kept) == sorted(row for row in rows if row[2] < "w5")
    assert asked(spark, connection, "SELECT count(*) AS c FROM {} AS t")[0] == [(ROWS,)]


def test_a_range_of_the_key_is_read_from_its_tablets_alone(
    spark: "SparkSession", connection: Connection, facts: Table
):
    BACKEND.load(connection, facts)
    every = asked(spark, connection, "SELECT t.n AS n FROM {} AS t")[1].scans["q"]
    few = asked(spark, connection, "SELECT t.n AS n FROM {} AS t WHERE t.a < 100")[1].scans["q"]
    assert (every.partitions, every.rows) == (4, ROWS)
    assert (few.partitions, few.rows) == (1, 200)
    either = "SELECT t.n AS n FROM {} AS t WHERE t.a BETWEEN 0 AND 49 OR t.a BETWEEN 1900 AND 1949"
    apart = asked(spark, connection, either)[1].scans["q"]
    assert (apart.partitions, apart.rows) == (2, 200)
    assert every.fetch_s > 0


def test_spark_is_told_how_large_a_table_is_and_what_is_pushed(
    spark: "SparkSession", connection: Connection, facts: Table
):
    BACKEND.load(connection, facts)
    scan = BACKEND.scan(connection, "facts", timeout_s=60, fetch_size=1000)
    frame: Any = spark.read.format(scan.format).options(**scan.options).load()
    plan = frame._jdf.queryExecution().optimizedPlan()
    # Five columns of eight bytes, and a text.
    assert plan.stats().sizeInBytes() == ROWS * (5 * 8 + 20)
    shown = frame.where("a = 7").select("n")._jdf.queryExecution().executedPlan().toString()
    assert "PushedFilters: [IsNotNull(a), EqualTo(a,7)]" in shown


@pytest.mark.parametrize("layout", tablets.LAYOUTS)
def test_what_spark_writes_it_reads_as_it_was(
    spark: "SparkSession", connection: Connection, tmp_path: Path, layout: str
):
    for table in (every_type(tmp_path), texts(tmp_path)):
        read = spark.read.parquet(str(table.parquet))
        options = {
            **BACKEND.scan(connection, table.name, timeout_s=60, fetch_size=1000).options,
            "layout": layout,
            "key": "id",
        }
        for _ in range(2):
            read.write.format(FORMAT).options(**options).mode("overwrite").save()
        again = spark.read.format(FORMAT).options(**options).load()
        assert again.schema == read.schema
        assert sorted(map(tuple, again.collect())) == sorted(map(tuple, read.collect()))
        with session(connection, "a test") as opened:
            opened.execute("drop", table=qualified(connection.namespace, table.name))


def test_rows_are_not_added_to_a_table_that_is_complete(
    spark: "SparkSession", connection: Connection, facts: Table
):
    BACKEND.load(connection, facts)
    options = BACKEND.scan(connection, "facts", timeout_s=60, fetch_size=1000).options
    rows = spark.read.parquet(str(facts.parquet))
    with pytest.raises(Exception, match="write in the mode 'overwrite'"):
        rows.write.format(FORMAT).options(**options).mode("append").save()


def test_a_complete_table_that_was_not_yet_named_is_named_by_the_next_start(
    connection: Connection, facts: Table
):
    loaded = BACKEND.load(connection, facts)
    name = qualified(connection.namespace, "facts")
    staging = qualified(connection.namespace, f"{STAGING}x")
    with session(connection, "a test") as opened:
        # As it is when the server ends between two steps: complete, and still called otherwise.
        opened.execute("publish", table=name, name=staging, known={"final": name})
        known = opened.execute("list", namespace=connection.namespace)
    assert list(known) == [staging]
    assert json.loads(known[staging]["schema"])["key"] == [0, 1]
    assert BACKEND.loaded(connection) == {}
    BACKEND.prepare(connection)
    assert BACKEND.loaded(connection) == {"facts": replace(loaded, found=True)}


def test_names_of_any_characters_are_told_apart():
    names = ["store_sales", "store__sales", "store sales", "a_", "a_ ", "a__20", "é", "_a", "a.b"]
    assert spelled("store_sales") == "store_sales"
    assert len({spelled(name) for name in names}) == len(names)
    assert all(set(spelled(name)) <= set("abcdefghijklmnopqrstuvwxyz0123456789_") for name in names)
