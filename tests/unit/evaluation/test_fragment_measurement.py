from dataclasses import replace

import pytest

from evaluation.federation.compiled import CompiledFragment
from evaluation.measuring.fragment_measurement import engine_s, fragment_measurements, medians
from evaluation.measuring.measurement import QueryMeasurement, QueryOutcome
from evaluation.measuring.plan_metrics import PlanMetrics, ScanMetrics, _view
from tests.unit.advisor import measurements as made

FRAGMENT = made.fragment("q1", ("store", "customer"), whole=False)


def compiled(view, store="pg"):
    return CompiledFragment(
        view=view, store=store, fragment=FRAGMENT, sql="SELECT 1", rows="SELECT 1", columns=("1",)
    )


def measured(**figures):
    scan = ScanMetrics(**{"rows": 10, "execute_s": 0.2, "fetch_s": 0.1, "partitions": 1, **figures})
    (found,) = fragment_measurements([compiled("fragment_0")], {"fragment_0": scan})
    return found


def test_a_fragments_bytes_are_its_rows_times_the_width_of_its_columns():
    found = measured(rows=10)
    assert (found.rows, found.bytes) == (10, 240)
    assert found.tables == ("customer", "store")
    assert found.seconds == pytest.approx(0.3)


def test_partitions_add_up_their_seconds_and_pass_at_once():
    found = measured(execute_s=1.2, fetch_s=0.8, partitions=4)
    assert found.seconds == pytest.approx(2.0)
    assert found.elapsed_s == pytest.approx(0.5)


def test_a_view_that_was_never_read_has_neither_rows_nor_partitions():
    (found,) = fragment_measurements([compiled("fragment_0")], {})
    assert (found.rows, found.seconds, found.partitions) == (0, 0.0, 0)


def test_repeats_are_medians_of_each_figure():
    runs = [(measured(execute_s=s, rows=rows),) for s, rows in ((0.5, 3), (0.1, 3), (0.2, 4))]
    (found,) = medians(runs)
    assert found.execute_s == pytest.approx(0.2)
    assert found.rows == 3
    assert medians([]) == ()


def test_a_fragment_that_moved_to_another_copy_has_the_figures_of_its_last_store():
    before, after = measured(execute_s=9.0), replace(measured(execute_s=0.5), store="maria")
    (found,) = medians([(before,), (after,)])
    assert (found.store, found.execute_s) == ("maria", 0.5)


def test_the_engine_has_what_the_longest_fragment_leaves():
    short, long = measured(), measured(execute_s=1.0, fetch_s=0.5)
    assert engine_s(2.0, [short, long]) == pytest.approx(0.5)
    assert engine_s(1.0, [long]) == 0


def test_the_engines_part_is_not_known_where_no_fragment_was_measured():
    assert engine_s(1.0, []) is None


def test_a_querys_stores_have_the_seconds_of_all_their_fragments():
    query = QueryMeasurement(
        query="q1",
        executions=1,
        outcome=QueryOutcome.VERIFIED,
        seconds=(1.0,),
        moved={},
        fragments=(measured(), measured(), replace(measured(), store="duck")),
    )
    assert query.stores_s == {"pg": pytest.approx(0.6), "duck": pytest.approx(0.3)}


@pytest.mark.parametrize(
    ("name", "view", "partitions"),
    [
        ("Scan JDBCRelation((SELECT a FROM t) fragment_0) [numPartitions=1]", "fragment_0", 1),
        ("Scan JDBCRelation((SELECT ')' AS x) fragment_12) [numPartitions=4] ", "fragment_12", 4),
        ("Scan JDBCRelation((SELECT 1) fragment_3)", "fragment_3", 1),
    ],
)
def test_a_scan_is_known_by_its_alias_and_tells_its_partitions(name, view, partitions):
    assert _view(name) == (view, partitions)


def test_rows_by_view_are_those_of_the_scans():
    assert PlanMetrics(scans={"fragment_0": ScanMetrics(rows=7)}).rows == {"fragment_0": 7}
