"""Published benchmarks: every statement is understood, and every base table found."""

import pytest

from tests.corpora import spark_catalog, spark_queries, tables_by_duckdb, tables_by_words
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sql.statements import understand
from workloads.workload import Workload

SPARK = [("tpcds", "tpcds", 103), ("tpcds-v2.7.0", "tpcds", 32), ("tpch", "tpch", 22)]
SPARK += [("ssb", "ssb", 13), ("tpcds-modifiedQueries", "tpcds", 21)]


@pytest.mark.parametrize(("folder", "schema", "count"), SPARK)
def test_all_of_sparks_queries_are_understood_and_read_what_other_readers_say(
    folder: str, schema: str, count: int
):
    catalog = spark_catalog(schema)
    workload = Workload(name=folder, dialect="spark", queries=spark_queries(folder))
    understood = understand(workload, catalog, Silent())
    assert [(each.source, each.reason) for each in understood.skipped] == []
    assert len(understood.footprints) == count
    wrong = {}
    for query, found in zip(workload.queries, understood.footprints, strict=True):
        expected = tables_by_duckdb(query.sql)
        if expected is None:
            expected = tables_by_words(query.sql, catalog)
        if found.tables != expected:
            wrong[query.name] = found.tables ^ expected
    assert wrong == {}


@pytest.mark.parametrize("folder", ["tpcds", "tpcds-v2.7.0", "tpcds-modifiedQueries"])
def test_sparks_tpcds_queries_are_understood_over_our_own_catalog_too(tiny: Catalog, folder: str):
    """Spark's q30 calls a column as the first version of the specification did."""
    workload = Workload(name=folder, dialect="spark", queries=spark_queries(folder))
    understood = understand(workload, tiny, Silent())
    assert [(each.source, each.reason) for each in understood.skipped] == []


@pytest.mark.parametrize(("schema", "count"), [("tpcds", 24), ("tpch", 8), ("ssb", 5)])
def test_sparks_schemas_are_whole(schema: str, count: int):
    assert len(spark_catalog(schema).tables) == count
