"""Stores that run no SQL: Spark runs their fragments over scans, each counted as its own."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from evaluation.engines.spark_native import refuse_unlisted
from evaluation.engines.trino_catalogs import trino_catalog
from evaluation.measuring.plan_metrics import plan_metrics
from evaluation.running.job import Job
from evaluation.running.relations import Relations, ScannedSource
from evaluation.store_protocol.backend import Scan
from evaluation.store_protocol.connection import Connection
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PARTITIONS, ROWS_EACH = 3, 100
NAMESPACE = "n`s"


class Part(InputPartition):
    def __init__(self, number: int) -> None:
        self.number = number


class Numbers(DataSource):
    """Whole numbers from 0, in partitions."""

    @classmethod
    def name(cls) -> str:
        return "numbers_of_a_test"

    def schema(self) -> str:
        return "n bigint, word string"

    def reader(self, schema: Any) -> DataSourceReader:
        return NumbersReader()


class NumbersReader(DataSourceReader):
    def partitions(self) -> list[InputPartition]:
        return [Part(number) for number in range(PARTITIONS)]

    def read(self, partition: Any) -> Iterator[tuple[int, str]]:
        first = partition.number * ROWS_EACH
        yield from ((n, f"w{n}") for n in range(first, first + ROWS_EACH))


@pytest.fixture
def read(spark: "SparkSession") -> tuple[Relations, dict[int, str]]:
    spark.dataSource.register(Numbers)
    views: dict[int, str] = {}
    source = ScannedSource(
        namespace=NAMESPACE, scan=lambda _: Scan(format=Numbers.name(), options={}), views=views
    )
    return Relations(spark, {"scanned": source}), views


def test_rows_are_counted_by_the_fragment_that_reads_them(
    spark: "SparkSession", read: tuple[Relations, dict[int, str]]
):
    relations, views = read
    one = relations.frame(
        "scanned", "SELECT a.n AS n FROM `n``s.t` AS a WHERE a.n < 10", "f0", few=True
    )
    other = relations.frame("scanned", "SELECT count(*) AS c FROM `n``s.t` AS b", "f1", few=True)
    one.createOrReplaceTempView("f0")
    other.createOrReplaceTempView("f1")
    frame = spark.sql("SELECT sum(n) AS s, max(c) AS c FROM f0, f1")
    assert [tuple(row) for row in frame.collect()] == [(45, PARTITIONS * ROWS_EACH)]
    counted = plan_metrics(frame, views)
    # What leaves the store is what the scan gives: this one cannot filter.
    assert counted.rows == {"f0": PARTITIONS * ROWS_EACH, "f1": PARTITIONS * ROWS_EACH}
    assert counted.scans["f0"].partitions == PARTITIONS


def test_a_view_is_gone_once_its_statement_is_made(
    spark: "SparkSession", read: tuple[Relations, dict[int, str]]
):
    relations, _ = read
    frame = relations.frame("scanned", "SELECT a.word FROM `n``s.t` AS a", "f0", few=False)
    assert "n`s.t" not in {each.name for each in spark.catalog.listTables()}
    assert frame.columns == ["word"]
    assert frame.count() == PARTITIONS * ROWS_EACH


def test_engines_that_only_send_sql_refuse_such_a_store():
    scanned = Connection(store="acc", kind="objects")
    job = Job(
        workload=Workload(name="w", dialect="duckdb", queries=()),
        catalog=Catalog(name="c", tables={}),
        connections={"acc": scanned},
    )
    for engine in ("spark-native", "trino"):
        with pytest.raises(ConfigurationError, match=f"'{engine}' cannot read store 'acc'"):
            refuse_unlisted(job, engine)
    with pytest.raises(ConfigurationError, match="no connector for kind 'objects'"):
        trino_catalog(scanned)
