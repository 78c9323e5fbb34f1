"""Rows of Spark arrive whoever else connects to the port that they are handed out at."""

import socket
from typing import TYPE_CHECKING, Any

import pytest
from pyspark import util
from pyspark.errors import ArithmeticException

from evaluation.spark.arrow import arrow_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_rows_arrive_in_their_order_and_types_and_so_do_none(spark: "SparkSession"):
    frame = spark.range(0, 5000, numPartitions=3).selectExpr("id", "CAST(id AS DECIMAL(9,2)) AS d")
    assert arrow_table(frame).equals(frame.toArrow())
    assert arrow_table(frame.where("id < 0")).equals(frame.where("id < 0").toArrow())


def test_an_error_of_the_job_is_sparks_own(spark: "SparkSession"):
    frame = spark.range(9).selectExpr("id / (id - 5) AS n")
    with pytest.raises(ArithmeticException, match="DIVIDE_BY_ZERO"):
        arrow_table(frame)


@pytest.mark.parametrize("strangers", [1, 2])
def test_where_a_stranger_connects_first_the_frame_is_begun_again(
    spark: "SparkSession", monkeypatch: pytest.MonkeyPatch, strangers: int
):
    connect, ports = util.local_connect_and_auth, list[int]()

    def late(port: int, secret: str) -> Any:
        ports.append(port)
        if len(ports) <= strangers:
            stranger = socket.create_connection(("127.0.0.1", port))
            stranger.close()
        return connect(port, secret)

    monkeypatch.setattr(util, "local_connect_and_auth", late)
    assert arrow_table(spark.range(7)).num_rows == 7
    assert len(ports) == strangers + 1


def test_a_port_that_is_never_ours_is_an_error_and_no_wait(
    spark: "SparkSession", monkeypatch: pytest.MonkeyPatch
):
    def refused(port: int, secret: str) -> Any:
        socket.create_connection(("127.0.0.1", port)).close()
        raise EOFError

    monkeypatch.setattr(util, "local_connect_and_auth", refused)
    with pytest.raises(EOFError):
        arrow_table(spark.range(7))
