"""TPC-DS at scale factor 0.01, generated once a machine."""

from pathlib import Path

import pytest

from evaluation.judging.oracle import Oracle
from evaluation.servers.artifacts import cache_folder
from workloads import tpcds
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.workload import Query, Workload


@pytest.fixture(scope="session")
def tiny() -> Catalog:
    """The catalog of TPC-DS at scale factor 0.01."""
    return tpcds.generate(0.01, Path(cache_folder()), Silent())


@pytest.fixture(scope="session")
def queries() -> Workload:
    """All 99 queries."""
    return tpcds.queries("all")


@pytest.fixture(scope="session")
def tiny_oracle(tiny: Catalog) -> Oracle:
    """DuckDB over the tiny catalog."""
    return Oracle(tiny)


def statement(sql: str, name: str = "q") -> Query:
    """A query for a test."""
    return Query(name=name, sql=sql, origin=f"{name}.sql")
