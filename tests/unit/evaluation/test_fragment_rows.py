"""What the estimator counts is what a store would return, where samples hold all rows."""

import pytest

from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from workloads.estimation.cardinality import Estimator
from workloads.estimation.sample_database import SampleDatabase

MOST_SOURCES = 4
EVERY = 4


@pytest.fixture(scope="module")
def samples(tiny):
    with SampleDatabase(tiny) as database:
        assert all(database.is_whole(table) for table in tiny.tables.values())
        yield database


@pytest.mark.parametrize("part", range(EVERY))
def test_scans_and_joins_over_whole_samples_are_counted_exactly(
    tiny, tiny_database, samples, tiny_queries, part
):
    checked, wrong = 0, []
    for name in list(tiny_queries.footprints)[part::EVERY]:
        made = tiny_queries.footprints[name]
        estimator = Estimator(tiny, made, samples=samples)
        for fragment in enumerate_fragments(made, estimator, limit_per_block=40):
            parts = fragment.kind in (Capability.SCAN, Capability.JOIN)
            if not parts or len(fragment.sources) > MOST_SOURCES:
                continue
            routed = RoutedFragment(fragment=fragment, store="duck", predicted_s=0.0)
            sql = tiny_queries.compiler.fragment_sql(name, routed)
            rows = max(1, tiny_database.execute(f"SELECT count(*) FROM ({sql})").fetchone()[0])
            checked += 1
            # A join of millions of rows (q85's of two customer_demographics) is thinned.
            if fragment.work.rows_out != pytest.approx(rows, rel=1e-3):
                wrong.append((fragment.name, fragment.work.rows_out, rows))
    assert checked > 200
    assert wrong == []


def test_estimates_lie_between_one_row_and_the_cross_product(tiny, samples, tiny_queries):
    for made in tiny_queries.footprints.values():
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
