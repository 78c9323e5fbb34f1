"""Rows of a fragment that several statements read: each comes once, whatever its value is."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evaluation.federation.portions import Ranged
from evaluation.kinds import BACKENDS
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from placement.transfer.link import TransferSettings
from placement.transfer.streams import Streams
from tests.spark.runtime_queries import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

# A third of the values is NULL, and each other one has about 13 rows.
ROWS, VALUE = 1_000, "CASE WHEN x % 3 = 0 THEN NULL ELSE x % 50 END"
SERIES = {
    "pg": f"SELECT {VALUE} AS n, x AS v FROM generate_series(1, {ROWS}) AS s(x)",
    "maria": f"SELECT {VALUE} AS n, x AS v FROM (SELECT seq AS x FROM seq_1_to_{ROWS}) AS s",
}
VALUES = [None if x % 3 == 0 else x % 50 for x in range(1, ROWS + 1)]
ANSWER = (
    ROWS,
    sum(each is not None for each in VALUES),
    sum(each or 0 for each in VALUES),
    ROWS * (ROWS + 1) // 2,
    ROWS,
)
COMBINED = "SELECT count(*), count(n), sum(n), sum(v), count(DISTINCT v) FROM f0"


@pytest.mark.parametrize("store", ["pg", "maria"])
@pytest.mark.parametrize(("low", "high"), [(0, 49), (10, 20)])
def test_no_row_is_lost_or_doubled_by_nulls_equal_values_and_those_beyond_the_statistics(
    spark: "SparkSession", embedded: Mapping[str, Connection], store: str, low: int, high: int
):
    BACKENDS[embedded[store].kind].prepare(embedded[store])
    query = compiled({store: SERIES[store]}, COMBINED)
    (one,) = query.fragments
    with Federation(spark, embedded, timeout_s=60) as federation:
        for count in (1, 2, 4):
            streams = Streams(count=count, column="s.n")
            divided = replace(
                one,
                ranged=Ranged(column="n", low=low, high=high, rows=1.0, statements=count),
                transfer=TransferSettings(fetch_rows=7, message_bytes=32_768, streams=streams),
            )
            done = federation.run(replace(query, fragments=(divided,)))
            assert [tuple(row) for row in done.rows] == [ANSWER]
            assert [each.partitions for each in done.fragments] == [count]
