"""Two tables of one name, in two schemas, in every kind of store: answers are those of each."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from evaluation.engines.fragments import dialects
from evaluation.federation.compile import Compiler
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from tests.fuzzing.on_stores import federations_of
from tests.fuzzing.placements import NAME, analysis_of, project, routings
from tests.stores.copies import copied
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources import parquet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

TABLES = {
    "sales.address": "SELECT i AS id, 'c' || (i % 7) AS city FROM range(60) t(i)",
    "crm.address": "SELECT i AS id, i * 3 AS customer, 'c' || (i % 5) AS city FROM range(40) t(i)",
    "sales.orders": "SELECT i AS id, i % 60 AS address, i % 11 AS total FROM range(200) t(i)",
}
STATEMENTS = (
    "SELECT city, count(*) AS n FROM crm.address GROUP BY city",
    (
        "SELECT sales.address.city, sum(total) AS t FROM sales.orders "
        "JOIN sales.address ON sales.orders.address = sales.address.id GROUP BY 1"
    ),
    (
        "SELECT s.city, crm.address.customer FROM sales.address s "
        "JOIN crm.address ON s.id = crm.address.id WHERE s.city < 'c4'"
    ),
    (
        "SELECT address.city FROM sales.address WHERE address.id IN "
        "(SELECT address.customer FROM crm.address WHERE address.city = 'c1')"
    ),
)
WAYS = 4


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schemas")
    with duckdb.connect(":memory:") as connection:
        for name, sql in TABLES.items():
            connection.execute(f"COPY ({sql}) TO '{folder}/{name}.parquet'")
    return folder


@pytest.fixture(scope="module")
def catalog(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return parquet.catalog(written, cache=tmp_path_factory.mktemp("cache"), progress=Silent())


@pytest.fixture(scope="module")
def real() -> Iterator[duckdb.DuckDBPyConnection]:
    """The tables in schemas as they are, for statements as they were written."""
    with duckdb.connect(":memory:") as connection:
        for name, sql in TABLES.items():
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {name.partition('.')[0]}")
            connection.execute(f"CREATE TABLE {name} AS {sql}")
        yield connection


@pytest.fixture(scope="module")
def connections(
    every_kind: Mapping[str, Connection], catalog: Catalog
) -> Iterator[Mapping[str, Connection]]:
    with copied(catalog, every_kind, "two schemas") as found:
        yield found


def test_every_store_keeps_tables_of_one_name_apart(
    spark: "SparkSession",
    connections: Mapping[str, Connection],
    catalog: Catalog,
    real: duckdb.DuckDBPyConnection,
):
    assert set(catalog.tables) == {"sales.address", "crm.address", "orders"}
    wrong = []
    with federations_of(spark, connections) as federations:
        for seed, sql in enumerate(STATEMENTS):
            expected = sorted(real.execute(sql).fetchall())
            assert expected
            analysis = analysis_of(sql, catalog, project())
            job = Job(workload=analysis.workload, catalog=analysis.catalog, connections=connections)
            compiler = Compiler(analysis.workload, analysis.catalog, dialects(job))
            for way in routings(analysis, project(), seed, WAYS):
                answer = federations[way.combine].run(compiler.compile(NAME, way.routing)).answer
                if sorted(tuple(row) for row in answer.rows) != expected:
                    wrong.append(f"{sql}: {way.told()}")
    assert not wrong, "\n".join(wrong)
