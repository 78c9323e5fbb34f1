"""Values of a subquery that is read in parts: asked for on their own where one store can."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.store_dialect import StoreDialect
from placement.fragments import reductions
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.reductions import reduced_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.data_fixtures import statement
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Workload


@pytest.fixture
def few_rows_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduce tables of a few thousand rows too."""
    monkeypatch.setattr(reductions, "FEWEST_DROPPED", 0)


DUCK = StoreDialect(dialect="duckdb", namespace="main")
QUOTIENT = "quotient_by_zero"


SQL = (
    "SELECT count(*) AS n FROM store_sales, date_dim d WHERE ss_sold_date_sk = d_date_sk "
    "AND d.d_date IN (SELECT d_date FROM date_dim w WHERE {} w.d_week_seq = "
    "(SELECT d_week_seq FROM date_dim o WHERE o.d_date = '2000-01-03'){})"
)
"""The sales of one week."""
WEEK = {"b0.d": "maria", "b1.w": "maria", "b2.o": "maria"}


def sales_of(
    sql: str,
    catalog: Catalog,
    stores: Mapping[str, str],
    maria: StoreDialect = DUCK,
) -> CompiledFragment:
    """Return the scan of store_sales by the days of the week; all else are scans too.

    `stores` is source → store, "pg" for all others.
    """
    found = footprint(statement(sql), catalog, "duckdb")
    estimator = Estimator(catalog, found)
    every = enumerate_fragments(found, estimator)
    scans = {each.sources: each for each in every if each.kind is Capability.SCAN}
    reduced = reduced_fragments(found, estimator, every)
    (scans["b0.store_sales",],) = (each for each in reduced if each.sources == ("b0.store_sales",))
    routing = [
        RoutedFragment(fragment=each, store=stores.get(name, "pg"), predicted_s=0.0)
        for (name,), each in scans.items()
    ]
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    compiled = Compiler(workload, catalog, {"pg": DUCK, "maria": maria}).compile("q", routing)
    (sales,) = (each for each in compiled.fragments if each.keys)
    return sales


@pytest.mark.usefixtures("few_rows_are_many")
def test_days_are_restricted_to_the_values_before_they_are_sent(tiny: Catalog):
    sales = sales_of(SQL.format("", ""), tiny, WEEK)
    (days,) = sales.keys
    assert days.source.sql is not None
    (values,) = days.source.keys
    assert values.source.store == "maria"
    assert values.source.is_day
    assert "d_week_seq" in str(values.source.sql)
    assert "2000-01-03" in str(values.source.sql)


@pytest.mark.usefixtures("few_rows_are_many")
@pytest.mark.parametrize(
    ("more", "stores", "maria"),
    [
        (("", ""), {**WEEK, "b2.o": "pg"}, DUCK),
        (("", ""), WEEK, replace(DUCK, scanned=True)),
        (("w.d_year / w.d_moy > 1 AND", ""), WEEK, replace(DUCK, lacks=frozenset({QUOTIENT}))),
        # Asked for twice, it may give other days the second time, and no row has both.
        (("", " LIMIT 3"), WEEK, DUCK),
        (("random() < 0.5 AND", ""), WEEK, DUCK),
    ],
    ids=["in_two_stores", "without_sql", "lacking", "limited", "random"],
)
def test_no_store_is_asked_for_values_that_it_cannot_find(
    tiny: Catalog, more: tuple[str, str], stores: Mapping[str, str], maria: StoreDialect
):
    sales = sales_of(SQL.format(*more), tiny, stores, maria)
    assert [key.source.keys for key in sales.keys] == [()]
