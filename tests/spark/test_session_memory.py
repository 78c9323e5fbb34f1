"""A fragment's session has the working memory that its plan states, and others their server's."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evaluation.kinds import BACKENDS
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from tests.spark.runtime_queries import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

ASKED = {
    "pg": "SELECT pg_size_bytes(current_setting('work_mem')) AS n",
    "maria": "SELECT CAST(@@join_buffer_size AS SIGNED) AS n",
}


def told(
    spark: "SparkSession", stores: Mapping[str, Connection], store: str, memory: int | None
) -> int:
    """The working memory that a store's session says it has."""
    BACKENDS[stores[store].kind].prepare(stores[store])
    query = compiled({store: ASKED[store]}, "SELECT n FROM f0")
    (one,) = query.fragments
    asked = replace(query, fragments=(replace(one, memory_bytes=memory),))
    with Federation(spark, {store: stores[store]}, timeout_s=60) as federation:
        ((found,),) = federation.run(asked).rows
    return int(str(found))


def test_a_session_of_postgresql_has_the_memory_that_is_stated(
    spark: "SparkSession", embedded: Mapping[str, Connection]
):
    own = told(spark, embedded, "pg", None)
    assert own == 64 << 20
    assert told(spark, embedded, "pg", 768 << 10) == 768 << 10
    # What one session had is not another's.
    assert told(spark, embedded, "pg", None) == own


def test_a_store_without_such_a_setting_keeps_its_own(
    spark: "SparkSession", embedded: Mapping[str, Connection]
):
    own = told(spark, embedded, "maria", None)
    assert told(spark, embedded, "maria", own // 4) == own
