from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from evaluation.spark.planned_once import MOST_BYTES, PARTITION_BYTES, planned_once

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

KEYS = ("spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions")


def fragments(*sizes):
    """Return fragments that are predicted to hand out so many bytes."""
    works = [SimpleNamespace(bytes_out=size) for size in sizes]
    return [SimpleNamespace(fragment=SimpleNamespace(work=work)) for work in works]


def settings(spark):
    return tuple(spark.conf.get(key) for key in KEYS)


def test_a_small_query_is_planned_once_and_the_session_is_as_it_was(spark: "SparkSession"):
    before = settings(spark)
    with planned_once(spark, fragments(1e3, 1e4)):
        assert settings(spark) == ("false", "1")
    assert settings(spark) == before
    with pytest.raises(ZeroDivisionError), planned_once(spark, fragments(1.0)):
        raise ZeroDivisionError
    assert settings(spark) == before


def test_more_bytes_have_more_partitions_up_to_the_cores(spark: "SparkSession"):
    cores = spark.sparkContext.defaultParallelism
    with planned_once(spark, fragments(PARTITION_BYTES * 1.5)):
        assert settings(spark)[1] == str(min(2, cores, int(spark.conf.get(KEYS[1]))))
    before = settings(spark)
    try:
        spark.conf.set(KEYS[1], "1")
        with planned_once(spark, fragments(MOST_BYTES)):
            assert settings(spark) == ("false", "1")
    finally:
        spark.conf.set(KEYS[1], before[1])


def test_a_large_query_is_planned_as_it_goes(spark: "SparkSession"):
    before = settings(spark)
    with planned_once(spark, fragments(MOST_BYTES, 1.0)):
        assert settings(spark) == before


def test_one_plan_gives_the_rows_of_the_other(spark: "SparkSession"):
    spark.range(10_000).selectExpr("id", "id % 7 AS k").createOrReplaceTempView("once")
    sql = (
        "SELECT a.k, count(*) AS n, sum(b.id) AS s FROM once a JOIN (SELECT k, max(id) AS id "
        "FROM once GROUP BY k) b ON a.k = b.k GROUP BY a.k ORDER BY a.k"
    )
    try:
        adaptive = spark.sql(sql).collect()
        with planned_once(spark, fragments(1e5)):
            frame = spark.sql(sql)
            assert frame.collect() == adaptive
            assert "Adaptive" not in frame._jdf.queryExecution().executedPlan().toString()
    finally:
        spark.catalog.dropTempView("once")
