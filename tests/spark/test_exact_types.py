"""A wrong type is not made right on the way from a store to the judge."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from evaluation.federation.compiled import Combiner, CompiledQuery
from evaluation.kinds import BACKENDS
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.execution import Federation
from evaluation.store_protocol.connection import Connection
from tests.spark.runtime_queries import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

WRONG = {
    "pg": ("SELECT 2.0::float8 AS n", "BIGINT", "arrives as double"),
    "maria": ("SELECT 2.5 AS n", "DOUBLE", "arrives as decimal"),
    "duck": ("SELECT '2' AS n", "INTEGER", "arrives as string"),
}
BEYOND = {
    "pg": ("SELECT 3000000000 AS n", "INTEGER"),
    "maria": ("SELECT 2 AS n", "BOOLEAN"),
    "duck": ("SELECT 300 AS n", "UTINYINT"),
}
HELD = {
    "pg": ("SELECT 3000000000::numeric(38, 0) AS n", "HUGEINT", 3000000000),
    "maria": ("SELECT 1 AS n", "BOOLEAN", True),
    "duck": ("SELECT 200 AS n", "UTINYINT", 200),
}


def typed(
    store: str, sql: str, type_: str, combine: str | None = None, by: Combiner = "spark"
) -> CompiledQuery:
    """A query of one fragment, whose column is of `type_`, as is the query's."""
    query = compiled({store: sql}, combine)
    fragments = tuple(replace(each, types=(type_,)) for each in query.fragments)
    return replace(query, fragments=fragments, names=("n",), types=(type_,), combiner=by)


@pytest.fixture
def federation(spark: "SparkSession", embedded: Mapping[str, Connection]):
    for connection in embedded.values():
        BACKENDS[connection.kind].prepare(connection)
    with Federation(spark, embedded, timeout_s=60) as opened:
        yield opened


@pytest.mark.parametrize("store", ["pg", "maria", "duck"])
@pytest.mark.parametrize("by", ["spark", "duckdb", None])
def test_a_wrong_type_of_a_store_is_an_outcome(
    federation: Federation, store: str, by: Combiner | None
):
    sql, type_, said = WRONG[store]
    query = typed(store, sql, type_, "SELECT n FROM f0" if by else None, by or "spark")
    with pytest.raises(QueryFailedError, match=f"Store '{store}'.*{said}.*no {type_} can be made"):
        federation.run(query)


@pytest.mark.parametrize("store", ["pg", "maria", "duck"])
def test_a_value_beyond_its_type_is_an_outcome(federation: Federation, store: str):
    with pytest.raises(QueryFailedError):
        federation.run(typed(store, *BEYOND[store]))


@pytest.mark.parametrize("store", ["pg", "maria", "duck"])
def test_what_is_exact_arrives(federation: Federation, store: str):
    sql, type_, value = HELD[store]
    done = federation.run(typed(store, sql, type_))
    assert [(each.name, each.type) for each in done.columns] == [("n", type_)]
    assert [tuple(row) for row in done.rows] == [(value,)]


def test_a_wrong_type_of_the_combining_query_is_an_error_of_the_query(federation: Federation):
    query = typed("pg", "SELECT 2::int8 AS n", "BIGINT", "SELECT CAST(n AS DOUBLE) AS n FROM f0")
    with pytest.raises(QueryFailedError, match="no BIGINT can be made") as raised:
        federation.run(query)
    # DuckDB answers over whole tables then, where the query has a second try.
    assert raised.value.of_query


def test_a_day_is_its_midnight_where_a_moment_is_wanted(federation: Federation):
    sql = "SELECT DATE '1500-02-28' AS n"
    query = typed("pg", "SELECT 1::int8 AS n", "BIGINT", f"{sql} FROM f0")
    done = federation.run(replace(query, types=("TIMESTAMP",)))
    assert done.rows[0][0] == datetime(1500, 2, 28)  # noqa: DTZ001 - it has no zone
