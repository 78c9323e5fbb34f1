"""What the queries of TPC-DS and TPC-H take that a system lacks: no more than is known here."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from evaluation.federation.dialects import spark
from evaluation.installation.artifacts import cache_folder
from evaluation.kinds import BACKENDS
from tests.data_fixtures import ReadQueries
from workloads.benchmarks import tpch
from workloads.catalog import Catalog
from workloads.footprint import Footprint
from workloads.progress import Silent
from workloads.sql import footprint
from workloads.sql.canonical.rules import canonical
from workloads.sql.features import lacked_by
from workloads.workload import Workload

MYSQL_LACKS = {
    "tpcds": {
        "rollup": "5 14 18 22 67 70 77 80 86",
        "grouping": "70 86",
        "full_join": "51 97",
        "window_nulls_last": "36 44 47 49 51 57",
        "several_windows": "47 49 57",
        # MariaDB has no number for an infinity. Their other blocks are sent to it all the same.
        "quotient_by_zero": "2 12 17 20 31 36 49 58 59 61 66 75 78 83 90 98",
    },
    "tpch": {"quotient_by_zero": "8 14"},
}
"""Benchmark → feature that MySQL lacks → the numbers of the queries that take it."""


@pytest.fixture(scope="module")
def tiny_tpch() -> Catalog:
    """The catalog of TPC-H at scale factor 0.01."""
    return tpch.generate(0.01, Path(cache_folder()), Silent())


@pytest.fixture(scope="module")
def read(tiny_queries: ReadQueries, tiny_tpch: Catalog) -> Mapping[str, Iterable[Footprint]]:
    """The queries of each benchmark, as they are read."""
    small = [footprint(query, tiny_tpch, "duckdb") for query in tpch.queries("all").queries]
    return {"tpcds": tiny_queries.footprints.values(), "tpch": small}


def taken(footprints: Iterable[Footprint], lacks: frozenset[str]) -> dict[str, str]:
    """Return feature → the numbers of the queries in which a block takes it."""
    found: dict[str, list[int]] = defaultdict(list)
    for each in footprints:
        for feature in frozenset[str]().union(*(block.features for block in each.blocks)) & lacks:
            found[feature].append(int(each.query.strip("q")))
    return {name: " ".join(map(str, sorted(numbers))) for name, numbers in found.items()}


@pytest.mark.parametrize("kind", ["postgresql", "duckdb"])
def test_a_store_lacks_nothing_of_the_benchmarks(
    read: Mapping[str, Iterable[Footprint]], kind: str
):
    for name, footprints in read.items():
        assert taken(footprints, BACKENDS[kind].lacks) == {}, name


def test_mysql_lacks_no_more_of_the_benchmarks_than_is_known(
    read: Mapping[str, Iterable[Footprint]],
):
    lacks = BACKENDS["mysql"].lacks
    assert {name: taken(footprints, lacks) for name, footprints in read.items()} == MYSQL_LACKS


def test_spark_lacks_nothing_of_the_benchmarks(
    queries: Workload, tiny: Catalog, tiny_tpch: Catalog
):
    both = ((queries, tiny), (tpch.queries("all"), tiny_tpch))
    for workload, catalog in both:
        schema = {
            table.name.lower(): {each.name.lower(): each.type for each in table.columns}
            for table in catalog.tables.values()
        }
        for query in workload.queries:
            tree = canonical(query, catalog, workload.dialect)
            assert lacked_by(tree, spark.LACKS, schema) == frozenset(), query.name
