"""Which subqueries reduce the sources that they are compared with, and which do not."""

import pytest

from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.reductions import reduced_fragments
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Query

MONTH = "SELECT DISTINCT d_month_seq FROM date_dim WHERE d_year = 2001 AND d_moy = 1"
FACTS = "store_sales, date_dim d WHERE ss_sold_date_sk = d_date_sk"
SALES = f"SELECT sum(ss_quantity) AS q FROM {FACTS}"


@pytest.fixture(autouse=True)
def _few_rows_are_many(monkeypatch: pytest.MonkeyPatch):
    """Reduce even the tiny tables of the tests."""
    monkeypatch.setattr("placement.fragments.reductions.FEWEST_DROPPED", 0)


def reduced(catalog: Catalog, sql: str) -> dict[str, tuple[str, ...]]:
    """Return source → what reduces its scan."""
    found = footprint(Query(name="q", sql=sql, origin="q"), catalog, "duckdb")
    estimator = Estimator(catalog, found)
    every = reduced_fragments(found, estimator, enumerate_fragments(found, estimator))
    return {each.sources[0]: each.reduction.reducers for each in every if len(each.sources) == 1}


def test_a_value_reduces_what_it_is_compared_with_and_what_that_is_joined_with(tiny: Catalog):
    found = reduced(tiny, f"{SALES} AND d.d_month_seq = ({MONTH})")
    assert "b0._u_0" in found["b0.d"]
    assert found["b0.store_sales"] == ("b0.d", "b0._u_0")


def test_two_values_reduce_what_lies_between_them(tiny: Catalog):
    between = f"d.d_month_seq BETWEEN ({MONTH}) AND ({MONTH.replace('_seq FROM', '_seq + 3 FROM')})"
    found = reduced(tiny, f"{SALES} AND {between}")
    assert found["b0.d"][-2:] == ("b0._u_0", "b0._u_1")
    assert found["b0.store_sales"] == ("b0.d", "b0._u_0", "b0._u_1")


def test_a_list_reduces_what_has_to_be_in_it(tiny: Catalog):
    week = "SELECT d_date FROM date_dim WHERE d_week_seq = 5270"
    found = reduced(tiny, f"{SALES} AND d.d_date IN ({week})")
    assert found["b0.d"][-1:] == ("b0._u_0",)


@pytest.mark.parametrize(
    "condition",
    [
        f"(d.d_month_seq = ({MONTH}) OR ss_quantity = 1)",
        f"d.d_month_seq <> ({MONTH})",
        f"NOT d.d_month_seq = ({MONTH})",
        f"d.d_month_seq + 1 = ({MONTH})",
        f"d.d_month_seq NOT IN ({MONTH})",
        "d.d_month_seq = (SELECT max(x.d_month_seq) FROM date_dim x WHERE x.d_year < d.d_year)",
        "d.d_day_name = (SELECT max(d_day_name) FROM date_dim)",
        "d.d_dow > (SELECT avg(d_dow) FROM date_dim)",
    ],
    ids=["or", "unequal", "not", "computed", "not_in", "correlated", "text", "average"],
)
def test_other_comparisons_reduce_nothing(tiny: Catalog, condition: str):
    found = reduced(tiny, f"{SALES} AND {condition}")
    assert not any("_u_" in reducer for reducers in found.values() for reducer in reducers)


def test_a_source_that_an_outer_join_may_lack_is_not_reduced(tiny: Catalog):
    found = reduced(
        tiny,
        "SELECT count(*) AS n FROM store_sales LEFT JOIN date_dim d ON ss_sold_date_sk = d_date_sk "
        f"WHERE d.d_month_seq = ({MONTH}) OR d.d_month_seq IS NULL",
    )
    assert found == {}
    found = reduced(
        tiny,
        "SELECT count(*) AS n FROM store_sales LEFT JOIN date_dim d "
        f"ON ss_sold_date_sk = d_date_sk AND d.d_month_seq = ({MONTH})",
    )
    assert found == {}


def test_a_subquery_that_no_store_may_be_able_to_run_alone_reduces_nothing(tiny: Catalog):
    """Its two tables may be in two stores."""
    inner = (
        "SELECT max(d_date_sk) FROM date_dim, store_returns "
        "WHERE sr_returned_date_sk = d_date_sk AND d_year = 2001"
    )
    found = reduced(tiny, f"{SALES} AND ss_sold_date_sk = ({inner})")
    assert "b0._u_0" not in found.get("b0.store_sales", ())
    one = "SELECT max(d_date_sk) FROM date_dim WHERE d_year = 2001"
    found = reduced(tiny, f"{SALES} AND ss_sold_date_sk = ({one})")
    assert "b0._u_0" in found["b0.store_sales"]


def test_a_subquery_that_reads_more_than_the_query_reduces_nothing(tiny: Catalog):
    inner = "SELECT max(d_date_sk) FROM date_dim"
    sql = f"SELECT count(*) AS n FROM store WHERE s_closed_date_sk = ({inner})"
    assert reduced(tiny, sql) == {}
