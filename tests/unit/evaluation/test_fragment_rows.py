"""What the estimator counts is what a store would return, where samples hold all rows."""

import duckdb
import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.store_dialect import StoreDialect
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from workloads.estimation.cardinality import Estimator
from workloads.estimation.sample_database import SampleDatabase
from workloads.sql import footprint

MOST_SOURCES = 4
EVERY = 4


@pytest.fixture(scope="module")
def duck(tiny):
    with duckdb.connect() as connection:
        for name, table in tiny.tables.items():
            connection.execute(f"CREATE TABLE \"{name}\" AS FROM '{table.parquet}'")
        yield connection


@pytest.fixture(scope="module")
def samples(tiny):
    with SampleDatabase(tiny) as database:
        assert all(database.is_whole(table) for table in tiny.tables.values())
        yield database


@pytest.mark.parametrize("part", range(EVERY))
def test_scans_and_joins_over_whole_samples_are_counted_exactly(tiny, queries, duck, samples, part):
    compiler = Compiler(queries, tiny, {"duck": StoreDialect(dialect="duckdb", namespace="")})
    checked, wrong = 0, []
    for query in queries.queries[part::EVERY]:
        made = footprint(query, tiny, queries.dialect)
        estimator = Estimator(tiny, made, samples=samples)
        for fragment in enumerate_fragments(made, estimator, limit_per_block=40):
            parts = fragment.kind in (Capability.SCAN, Capability.JOIN)
            if not parts or len(fragment.sources) > MOST_SOURCES:
                continue
            routed = RoutedFragment(fragment=fragment, store="duck", predicted_s=0.0)
            sql = compiler.fragment_sql(query.name, routed)
            rows = max(1, duck.execute(f"SELECT count(*) FROM ({sql})").fetchone()[0])
            checked += 1
            # A join of millions of rows (q85's of two customer_demographics) is thinned.
            if fragment.work.rows_out != pytest.approx(rows, rel=1e-3):
                wrong.append((fragment.name, fragment.work.rows_out, rows))
    assert checked > 200
    assert wrong == []


def test_estimates_lie_between_one_row_and_the_cross_product(tiny, queries, samples):
    for query in queries.queries:
        made = footprint(query, tiny, queries.dialect)
        for database in (samples, None):
            estimator = Estimator(tiny, made, samples=database)
            tables = {source.name: estimator.table(source) for source in made.sources()}
            for fragment in enumerate_fragments(made, estimator, limit_per_block=20):
                assert fragment.work.rows_out >= 1, fragment.name
                assert fragment.work.row_bytes_out >= 1, fragment.name
                if fragment.kind in (Capability.SCAN, Capability.JOIN):
                    most = 1.0
                    for source in fragment.sources:
                        most *= max(1, tables[source].rows)
                    assert fragment.work.rows_out <= most, fragment.name
