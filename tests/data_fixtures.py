"""TPC-DS at scale factor 0.01, generated once a machine."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.store_dialect import StoreDialect
from evaluation.installation.artifacts import cache_folder
from evaluation.judging.oracle import Oracle
from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from workloads.benchmarks import tpcds
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.footprint import Footprint
from workloads.progress import Silent
from workloads.sql import footprint
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


@pytest.fixture(scope="session")
def tiny_database(tiny: Catalog) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database of DuckDB with the tables of the tiny catalog; tests add their own.

    They are in memory: thousands of statements would open the files again. On tables of this size
    a second thread costs more than it gives.
    """
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        for table in tiny.tables.values():
            connection.execute(f"CREATE TABLE {table.name} AS FROM read_parquet('{table.parquet}')")
        yield connection


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadQueries:
    """What all 99 queries are read as: each is read once a session.

    `compiler` is for one DuckDB, the store `duck`, and keeps canonical forms.
    """

    catalog: Catalog
    footprints: Mapping[str, Footprint]
    compiler: Compiler
    _estimated: dict[str, "EstimatedQuery"] = field(default_factory=dict)

    def estimated(self, query: str) -> "EstimatedQuery":
        """Return the fragments of a query, which are enumerated when they are first asked for."""
        if query not in self._estimated:
            read = self.footprints[query]
            estimator = Estimator(self.catalog, read)
            self._estimated[query] = EstimatedQuery(
                estimator=estimator, fragments=enumerate_fragments(read, estimator)
            )
        return self._estimated[query]


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedQuery:
    """All fragments of a query, and by what their rows are estimated: formulas, no samples."""

    estimator: Estimator
    fragments: tuple[Fragment, ...]


@pytest.fixture(scope="session")
def tiny_queries(tiny: Catalog, queries: Workload) -> ReadQueries:
    """All 99 queries over the tiny catalog."""
    dialects = {"duck": StoreDialect(dialect="duckdb", namespace="main")}
    return ReadQueries(
        catalog=tiny,
        footprints={each.name: footprint(each, tiny, queries.dialect) for each in queries.queries},
        compiler=Compiler(queries, tiny, dialects),
    )


def statement(sql: str, name: str = "q") -> Query:
    """A query for a test."""
    return Query(name=name, sql=sql, origin=f"{name}.sql")
