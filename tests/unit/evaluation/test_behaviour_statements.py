"""What tells how a store behaves: rows that are there, statements that are not one another's."""

from pathlib import Path

import duckdb
import pytest

from evaluation.calibration.behaviour_statements import (
    KEYS,
    LARGE,
    LARGE_TABLE,
    WITH_INDEX,
    WITHOUT_INDEX,
    behaviour_workload,
    table_of,
    working,
)
from evaluation.installation.artifacts import cache_folder
from workloads.benchmarks import tpch
from workloads.progress import Silent
from workloads.sql import footprint


@pytest.fixture(scope="module")
def catalog():
    return tpch.generate(0.01, Path(cache_folder()), Silent())


@pytest.fixture(scope="module")
def data(catalog):
    with duckdb.connect() as connection:
        for name, table in catalog.tables.items():
            connection.execute(f"CREATE VIEW {name} AS FROM read_parquet('{table.parquet}')")
        yield connection


def test_every_key_is_of_an_order_with_and_without_index(catalog, data):
    workload = behaviour_workload(catalog, 4)
    for name in (WITH_INDEX, WITHOUT_INDEX):
        assert data.execute(workload.query(name).sql).fetchall() == [(KEYS,)]


def test_statements_at_once_do_equal_work_and_none_is_another_s(catalog, data):
    workload = behaviour_workload(catalog, 4)
    texts = [workload.query(working(number)).sql for number in range(4)]
    assert len(set(texts)) == 4
    rows = [data.execute(text).fetchall()[0][0] for text in texts]
    assert min(rows) > 0.98 * max(rows) > 0.8 * catalog.table(LARGE_TABLE).rows


def test_each_reads_the_table_that_it_is_said_to_read(catalog):
    workload = behaviour_workload(catalog, 2)
    assert {query.name for query in workload.queries} == {
        LARGE, WITH_INDEX, WITHOUT_INDEX, working(0), working(1),
    }  # fmt: skip
    for query in workload.queries:
        found = footprint(query, catalog, workload.dialect)
        assert {source.table for block in found.blocks for source in block.sources} == {
            table_of(query.name)
        }
