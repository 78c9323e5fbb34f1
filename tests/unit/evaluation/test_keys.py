"""Fragments restricted to the keys of others give the answer of the whole query."""

import random
from dataclasses import replace

import duckdb
import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.keys import MOST_FETCHED_ROWS
from evaluation.federation.split import split
from evaluation.federation.store_dialect import StoreDialect
from evaluation.judging.oracle import Oracle
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.reductions import reduced_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.answers import refused_sql
from tests.data_fixtures import ReadQueries
from tests.unit.evaluation.keyed_fragments import fetch
from tests.unit.evaluation.test_split import random_cut
from tests.unit.placement.problems import changed
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Query, Workload


@pytest.fixture
def few_rows_are_many(monkeypatch: pytest.MonkeyPatch):
    """Reduce even the tiny tables of the tests."""
    monkeypatch.setattr("placement.fragments.reductions.FEWEST_DROPPED", 0)


def with_keys(cut, reduced, choose):
    """Exchange parts of a cut for the same reduced by keys, and make some too large to keep."""
    by_sources = {each.sources: each for each in reduced}
    found = []
    for routed in cut:
        fragment = by_sources.get(routed.fragment.sources)
        if fragment is not None and routed.fragment.kind in (Capability.SCAN, Capability.JOIN):
            found.append(replace(routed, fragment=fragment))
        else:
            rows = choose.choice([1.0, MOST_FETCHED_ROWS + 1.0])
            found.append(replace(routed, fragment=changed(routed.fragment, rows_out=rows)))
    return found


@pytest.mark.usefixtures("few_rows_are_many")
def test_every_reduced_cut_of_every_tpcds_query_gives_its_answer(
    queries: Workload,
    tiny_oracle: Oracle,
    tiny_database: duckdb.DuckDBPyConnection,
    tiny_queries: ReadQueries,
):
    database = tiny_database
    wrong, reduced_queries, dropped = {}, set(), 0
    for number, query in enumerate(queries.queries):
        found = tiny_queries.footprints[query.name]
        estimated = tiny_queries.estimated(query.name)
        reduced = reduced_fragments(found, estimated.estimator, estimated.fragments)
        for seed in range(3):
            choose = random.Random(seed)
            cut = with_keys(random_cut(found, number * 3 + seed), reduced, choose)
            if not any(each.fragment.reduction.reducers for each in cut):
                continue
            compiled = tiny_queries.compiler.compile(query.name, cut)
            if compiled.combine_sql is None or not any(each.keys for each in compiled.fragments):
                continue
            reduced_queries.add(query.name)
            fetch(database, compiled.fragments)
            for fragment in compiled.fragments:
                if fragment.keys:
                    (whole,) = database.execute(f"SELECT count(*) FROM ({fragment.sql})").fetchone()
                    (kept,) = database.execute(f"SELECT count(*) FROM {fragment.view}").fetchone()
                    dropped += whole - kept
            _, combining = split(tiny_queries.compiler.tree(query.name), cut)
            sql = combining.sql("duckdb", identify=True)
            said = refused_sql(tiny_oracle, query, database, sql)
            if said is not None:
                wrong[query.name, seed] = said
    assert wrong == {}
    assert len(reduced_queries) > 60
    assert dropped > 100_000


def reduced_of(queries: Workload, catalog: Catalog, name: str) -> set[str]:
    found = footprint(queries.query(name), catalog, queries.dialect)
    estimator = Estimator(catalog, found)
    return {
        each.name
        for each in reduced_fragments(found, estimator, enumerate_fragments(found, estimator))
    }


@pytest.mark.usefixtures("few_rows_are_many")
def test_a_fact_is_reduced_by_its_filtered_dimensions(tiny: Catalog, queries: Workload):
    assert "q3/b0.store_sales by b0.dt+b0.item" in reduced_of(queries, tiny, "q3")


@pytest.mark.usefixtures("few_rows_are_many")
def test_what_an_outer_join_keeps_is_not_reduced_by_what_it_may_lack(
    tiny: Catalog, queries: Workload
):
    """q80 joins returns to sales from the left: sales without returns stay."""
    for name in reduced_of(queries, tiny, "q80"):
        reducers = name.partition(" by ")[2]
        assert "returns" not in reducers


def test_few_rows_are_fetched_as_they_are(tiny: Catalog, queries: Workload):
    assert not any(name.startswith("q3/b0.item by") for name in reduced_of(queries, tiny, "q3"))


def test_keys_of_a_large_fragment_are_fetched_on_their_own(tiny: Catalog, queries: Workload):
    found = footprint(queries.query("q3"), tiny, queries.dialect)
    estimator = Estimator(tiny, found)
    every = enumerate_fragments(found, estimator)
    scans = {each.sources: each for each in every if each.kind is Capability.SCAN}
    sales = changed(scans["b0.store_sales",], reducers=("b0.dt", "b0.item"))
    dialects = {"duck": StoreDialect(dialect="duckdb", namespace="main")}
    for rows, alone in ((10.0, False), (MOST_FETCHED_ROWS + 1.0, True)):
        days = changed(scans["b0.dt",], rows_out=rows)
        routing = [
            RoutedFragment(fragment=each, store="duck", predicted_s=0.0)
            for each in (sales, days, scans["b0.item",])
        ]
        compiled = Compiler(queries, tiny, dialects).compile("q3", routing)
        sql = {key.source.column: key.source.sql for key in compiled.fragments[0].keys}
        assert (sql["dt__d_date_sk"] is not None) == alone
        assert sql["item__i_item_sk"] is None
        if alone:
            assert sql["dt__d_date_sk"].startswith('SELECT DISTINCT "s"."dt__d_date_sk"')
            assert '"d_moy" = 11' in sql["dt__d_date_sk"]


def test_text_that_joins_sources_beside_keys_is_not_sent(tiny: Catalog, queries: Workload):
    """q85 joins two demographics with each other by text, and each with returns by a key."""
    found = footprint(queries.query("q85"), tiny, queries.dialect)
    every = enumerate_fragments(found, Estimator(tiny, found))
    scans = {each.sources: each for each in every if each.kind is Capability.SCAN}
    both = tuple(sorted(("b0.cd1", "b0.web_returns")))
    (joined,) = (each for each in every if each.sources == both and each.kind is Capability.JOIN)
    reduced = changed(joined, reducers=("b0.cd2",))
    rest = (each for name, each in scans.items() if not set(name) & set(both))
    routing = [
        RoutedFragment(fragment=each, store="duck", predicted_s=0.0) for each in (reduced, *rest)
    ]
    dialects = {"duck": StoreDialect(dialect="duckdb", namespace="main")}
    compiled = Compiler(queries, tiny, dialects).compile("q85", routing)
    (sent,) = (each for each in compiled.fragments if each.fragment.reduction.reducers)
    assert [key.source.column for key in sent.keys] == ["cd2__cd_demo_sk"]


VALUE = "SELECT {} FROM date_dim WHERE {}"
MONTH_OF_2001 = "d_year = 2001 AND d_moy = {}"
SALES_OF = (
    "SELECT count(*) AS n, sum(ss_quantity) AS q FROM store_sales, date_dim d "
    "WHERE ss_sold_date_sk = d_date_sk AND d.{}"
)
MONTH = VALUE.format("DISTINCT d_month_seq", MONTH_OF_2001.format(1))
LATER = VALUE.format("DISTINCT d_month_seq + 2", MONTH_OF_2001.format(1))


@pytest.mark.usefixtures("few_rows_are_many")
@pytest.mark.parametrize("large", [False, True], ids=["view", "own_sql"])
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "in_parts"])
@pytest.mark.parametrize(
    "condition",
    [
        f"d_month_seq = ({MONTH})",
        f"d_month_seq BETWEEN ({MONTH}) AND ({LATER})",
        f"d_month_seq > ({MONTH})",
        f"d_date IN ({VALUE.format('d_date', 'd_week_seq = 5310')})",
        f"d_month_seq = ({VALUE.format('max(d_month_seq)', 'd_year = 1800')})",
        f"d_month_seq = ({VALUE.format('d_month_seq', 'd_year = 1800')})",
        f"d_month_seq BETWEEN ({MONTH}) AND ({VALUE.format('d_month_seq', 'd_year = 1800')})",
        f"d_month_seq IN ({VALUE.format('NULLIF(d_month_seq, 1212)', 'd_year = 2001')})",
    ],
    ids=["equal", "between", "beyond", "list", "null", "empty", "empty_bound", "some_null"],
)
def test_the_values_of_subqueries_reduce_and_keep_the_answer(
    tiny: Catalog,
    tiny_oracle: Oracle,
    tiny_database: duckdb.DuckDBPyConnection,
    condition: str,
    *,
    large: bool,
    whole: bool,
):
    """Their blocks are read as a whole, or in parts: then the values are asked for on their own."""
    query = Query(name=condition, sql=SALES_OF.format(condition), origin="q")
    workload = Workload(name="one", dialect="duckdb", queries=(query,))
    found = footprint(query, tiny, "duckdb")
    estimator = Estimator(tiny, found)
    every = enumerate_fragments(found, estimator)
    scans = {each.sources: each for each in reduced_fragments(found, estimator, every)}
    days = changed(
        next(each for each in every if each.sources == ("b0.d",)),
        rows_out=MOST_FETCHED_ROWS + 1.0 if large else 10.0,
    )
    inner = [
        each
        for each in every
        if each.kind is (Capability.BLOCK if whole else Capability.SCAN)
        and each.coverage.block != "b0"
    ]
    routing = [
        RoutedFragment(fragment=each, store="duck", predicted_s=0.0)
        for each in (scans["b0.store_sales",], days if large else scans["b0.d",], *inner)
    ]
    dialects = {"duck": StoreDialect(dialect="duckdb", namespace="main")}
    compiler = Compiler(workload, tiny, dialects)
    compiled = compiler.compile(condition, routing)
    database = tiny_database
    fetch(database, compiled.fragments)
    (kept,) = database.execute(f"SELECT count(*) FROM {compiled.fragments[0].view}").fetchone()
    (sold,) = database.execute("SELECT count(*) FROM store_sales").fetchone()
    assert kept < 0.9 * sold
    _, combining = split(compiler.tree(condition), routing)
    sql = combining.sql("duckdb", identify=True)
    assert refused_sql(tiny_oracle, query, database, sql) is None
    ((matching,),) = database.execute(f"SELECT n FROM ({query.sql})").fetchall()
    ((fetched,),) = database.execute("SELECT count(*) FROM fragment_0").fetchall()
    assert fetched == matching
