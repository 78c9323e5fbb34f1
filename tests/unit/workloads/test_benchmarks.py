from pathlib import Path

import duckdb
import pytest

from evaluation.installation.artifacts import cache_folder
from tests.corpora import tables_by_duckdb
from workloads.benchmarks import tpch
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError
from workloads.progress import Silent
from workloads.sources.benchmarks import BENCHMARKS
from workloads.sql.statements import understand


@pytest.fixture(scope="module", params=list(BENCHMARKS))
def published(request):
    return BENCHMARKS[request.param]


@pytest.fixture(scope="module")
def generated(published) -> Catalog:
    """As it lies in the machine's cache: `test_tpcds.py` generates anew."""
    return published.generate(0.01, Path(cache_folder()), Silent())


def count(sql: str) -> int:
    row = duckdb.sql(sql).fetchone()
    assert row is not None
    return row[0]


def test_the_catalog_has_the_tables_of_the_specification(published, generated):
    assert set(generated.tables) == set(published.rows) == set(published.keys)
    for table in generated.tables.values():
        assert count(f"SELECT count(*) FROM '{table.parquet}'") == table.rows


def test_primary_keys_are_unique(generated):
    for table in generated.tables.values():
        keys = ", ".join(table.primary_key)
        sql = f"SELECT count(*) FROM (SELECT DISTINCT {keys} FROM '{table.parquet}')"
        assert count(sql) == table.rows


def test_foreign_keys_are_found_where_they_point(generated):
    checked = 0
    for table in generated.tables.values():
        for key in table.foreign_keys:
            other = generated.tables[key.table]
            pairs = zip(key.columns, key.references, strict=True)
            on = " AND ".join(f"a.{left} = b.{right}" for left, right in pairs)
            filled = " AND ".join(f"a.{column} IS NOT NULL" for column in key.columns)
            sql = (
                f"SELECT count(*) FROM '{table.parquet}' AS a WHERE {filled}"
                f" AND NOT EXISTS (SELECT 1 FROM '{other.parquet}' AS b WHERE {on})"
            )
            assert count(sql) == 0, (table.name, key)
            checked += 1
    assert checked >= 10


def test_every_query_is_understood_and_reads_what_duckdb_says(published, generated):
    queries = published.queries("all")
    understood = understand(queries, generated, Silent())
    assert understood.skipped == ()
    read = {footprint.query: footprint.tables for footprint in understood.footprints}
    assert list(read) == [f"q{number}" for number in range(1, published.last_query + 1)]
    assert read == {query.name: tables_by_duckdb(query.sql) for query in queries.queries}


def test_tpch_has_numbered_queries_and_no_others():
    assert [query.name for query in tpch.queries([22, 1, 22]).queries] == ["q22", "q1"]
    with pytest.raises(ConfigurationError, match="TPC-H has no query 23: take numbers from 1 to"):
        tpch.queries([23])


def test_a_line_item_belongs_to_an_order_and_to_what_a_supplier_sells():
    catalog = tpch.generate(0.01, Path(cache_folder()), Silent())
    keys = {key.columns: key.table for key in catalog.table("lineitem").foreign_keys}
    assert keys[("l_orderkey",)] == "orders"
    assert keys[("l_partkey", "l_suppkey")] == "partsupp"
    assert catalog.name == "tpch-sf0.01"
