"""Names of tables that the files of a folder of Parquet give."""

from pathlib import Path

import duckdb
import pytest

from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources import parquet
from workloads.sql.statements import understand
from workloads.workload import Query, Workload

FILES = ("shop.weird.name", "billing.weird.name", "shop.a.b.c", "shop.customer", "plain")
JOINED = (
    "SELECT w.id FROM shop.`weird.name` JOIN billing.`weird.name` AS w ON w.id = `weird.name`.id"
)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory) -> Catalog:
    folder: Path = tmp_path_factory.mktemp("data")
    with duckdb.connect() as connection:
        for name in FILES:
            connection.execute(f"COPY (SELECT 1 AS id) TO '{folder / name}.parquet'")
    return parquet.catalog(folder, cache=tmp_path_factory.mktemp("cache"), progress=Silent())


def test_a_table_with_dots_in_its_name_is_called_as_its_file(catalog):
    assert sorted((each.name, each.schema) for each in catalog.tables.values()) == [
        ("billing.weird.name", "billing"),
        ("customer", "shop"),
        ("plain", ""),
        ("shop.a.b.c", "shop"),
        ("shop.weird.name", "shop"),
    ]


@pytest.mark.parametrize(
    ("dialect", "sql", "tables"),
    [
        ("postgres", 'SELECT id FROM shop."weird.name"', {"shop.weird.name"}),
        ("postgres", 'SELECT id FROM "billing"."weird.name"', {"billing.weird.name"}),
        ("postgres", 'SELECT id FROM "shop.weird.name"', {"shop.weird.name"}),
        ("postgres", 'SELECT "a.b.c".id FROM "a.b.c"', {"shop.a.b.c"}),
        ("postgres", 'DELETE FROM shop."a.b.c"', {"shop.a.b.c"}),
        ("mysql", JOINED, {"shop.weird.name", "billing.weird.name"}),
        ("postgres", 'SELECT id FROM "weird.name"', set()),
        ("postgres", 'SELECT id FROM crm."weird.name"', set()),
    ],
)
def test_a_statement_finds_it_behind_its_schema_and_whole(catalog, dialect, sql, tables):
    query = Query(name="q", sql=sql, origin="q.sql")
    found = understand(Workload(name="w", dialect=dialect, queries=(query,)), catalog, Silent())
    each_one = (*found.footprints, *found.writes)
    assert {name for each in each_one for name in each.tables | each.writes} == tables
