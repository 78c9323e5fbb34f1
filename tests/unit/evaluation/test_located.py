"""Whole queries for engines that reach the stores by themselves: Spark's catalogs and Trino's."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.layout import laid_out
from evaluation.federation.located import Writer
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.data_fixtures import ReadQueries, statement
from tests.dialect_facts import catalog
from workloads.catalog import Catalog, Origin
from workloads.estimation.cardinality import Estimator
from workloads.footprint import Footprint
from workloads.sql import footprint
from workloads.workload import Query, Workload

STORES = ("duck", "maria", "pg")
ENGINES = ("spark", "trino")
GOLDEN = Path(__file__).parent / "located"


def scans(query: Query, tables: Catalog, dialect: str = "duckdb") -> list[RoutedFragment]:
    """Every source alone, its table in the store that its place in the alphabet gives."""
    return scans_of(footprint(query, tables, dialect), tables)


def scans_of(found: Footprint, tables: Catalog) -> list[RoutedFragment]:
    names = sorted(tables.tables)
    return [
        RoutedFragment(
            fragment=each,
            store=STORES[names.index(next(iter(each.tables))) % len(STORES)],
            predicted_s=0.0,
        )
        for each in enumerate_fragments(found, Estimator(tables, found), limit_per_block=1)
        if each.kind is Capability.SCAN and not each.reduction.reducers
    ]


def writer(tables: Catalog, dialect: str, *, same_meaning: bool = True) -> Writer:
    return Writer(
        dialect=dialect,
        catalog=tables,
        namespaces=dict.fromkeys(STORES, "ns"),
        same_meaning=same_meaning,
    )


def written(workload: Workload, tables: Catalog, name: str, dialect: str) -> str:
    compiler = Compiler(workload, tables, {})
    routing = scans(workload.query(name), tables, workload.dialect)
    same = workload.dialect == "duckdb"
    engine = writer(tables, dialect, same_meaning=same)
    return engine.located(name, compiler.tree(name), routing).sql


@pytest.mark.parametrize("dialect", ENGINES)
@pytest.mark.parametrize("name", ["q3", "q54", "q72"])
def test_three_queries_of_tpcds(tiny: Catalog, queries: Workload, name: str, dialect: str):
    found = laid_out(written(queries, tiny, name, dialect), dialect)
    assert found + "\n" == (GOLDEN / f"{name}.{dialect}.sql").read_text(encoding="utf-8")


@pytest.mark.parametrize("dialect", ENGINES)
def test_all_99_queries_can_be_said(
    tiny: Catalog, queries: Workload, tiny_queries: ReadQueries, dialect: str
):
    engine = writer(tiny, dialect)
    for query in queries.queries:
        routing = scans_of(tiny_queries.footprints[query.name], tiny)
        tree = tiny_queries.compiler.tree(query.name, as_asked=True)
        located = engine.located(query.name, tree, routing)
        assert located.query == query.name
        assert located.stores == tuple(sorted({each.store for each in routing}))
        quote = "`" if dialect == "spark" else '"'
        for store in located.stores:
            assert f"{quote}{store}{quote}.{quote}ns{quote}." in located.sql


def test_aggregations_are_apart_for_an_engine_that_plans_the_whole_query(
    tiny: Catalog, tiny_queries: ReadQueries
):
    """Merging them is ours: engines are compared by the query as it was asked."""
    compiler = tiny_queries.compiler
    routing = [
        replace(each, store="maria") for each in scans_of(tiny_queries.footprints["q9"], tiny)
    ]
    located = writer(tiny, "trino").located("q9", compiler.tree("q9", as_asked=True), routing)
    assert located.sql.count('"maria"."ns"."store_sales"') == 15
    assert compiler.tree("q9").sql("duckdb").count("FROM store_sales") == 1


def test_each_source_is_read_where_it_is_routed(tiny: Catalog):
    sql = "SELECT a.d_year, b.d_year FROM date_dim a JOIN date_dim b ON a.d_date_sk = b.d_date_sk"
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    routing = scans(workload.query("q"), tiny)
    apart = [
        RoutedFragment(fragment=each.fragment, store=store, predicted_s=0.0)
        for each, store in zip(routing, ("pg", "maria"), strict=True)
    ]
    tree = Compiler(workload, tiny, {}).tree("q")
    located = writer(tiny, "trino").located("q", tree, apart)
    first = "a" if apart[0].fragment.sources == ("b0.a",) else "b"
    second = "b" if first == "a" else "a"
    assert f'"pg"."ns"."date_dim" AS "{first}"' in located.sql
    assert f'"maria"."ns"."date_dim" AS "{second}"' in located.sql
    assert located.stores == ("maria", "pg")


@pytest.mark.parametrize(("dialect", "quote"), [("spark", "`"), ("trino", '"')])
def test_a_live_table_is_read_under_its_own_name_and_its_copy_under_ours(
    tiny: Catalog, dialect: str, quote: str
):
    live = replace(
        tiny.table("date_dim"), name="Shop.date_dim", schema="Shop", origin=Origin(store="pg")
    )
    tables = Catalog(name="c", tables={live.name: live})
    sql = 'SELECT d_year FROM "Shop.date_dim"'
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    (scan,) = scans(workload.query("q"), tables)
    for store, parts in (("pg", "pg.Shop.date_dim"), ("duck", "duck.ns.Shop.date_dim")):
        tree = Compiler(workload, tables, {}).tree("q")
        found = writer(tables, dialect).located("q", tree, [replace(scan, store=store)]).sql
        names = parts.split(".", 2)
        assert ".".join(f"{quote}{name}{quote}" for name in names) + " AS" in found


FOR_TRINO = [
    ("d + 5", "DATE_ADD('DAY', 5, d)"),
    ("d - n", "DATE_ADD('DAY', CAST(-n AS BIGINT), d)"),
    ("d = '2000-02-29'", "d = CAST('2000-02-29' AS DATE)"),
    ("d IN ('2000-02-29')", "d IN (CAST('2000-02-29' AS DATE))"),
    ("ts BETWEEN '2000-02-29' AND '2001-01-01'", "BETWEEN CAST('2000-02-29' AS TIMESTAMP) AND"),
    ("grp = '2000-02-29'", "grp = '2000-02-29'"),
    (
        "CAST(ratio AS INTEGER)",
        "CASE WHEN ABS((ratio) - TRUNCATE(ratio)) = 0.5 THEN ROUND((ratio) / 2) * 2 ELSE ROUND(",
    ),
    ("CAST(round(ratio) AS INTEGER)", "CAST(ROUND(ratio) AS INTEGER)"),
    ("CAST(n AS BIGINT)", "CAST(n AS BIGINT)"),
    ("n % m", "n % NULLIF(m, 0)"),
    ("n // m", "CAST(n AS DOUBLE) / NULLIF(m, 0)"),
    ("n / m", "CAST((n) AS DOUBLE) / m"),
    ("log(n)", "LOG(10, n)"),
    ("greatest(n, m)", "GREATEST(COALESCE(n, m), COALESCE(m, n))"),
    ("extract(dow FROM d)", "(EXTRACT(DOW FROM d) % 7)"),
]


@pytest.mark.parametrize(("expression", "expected"), FOR_TRINO)
def test_what_trino_means_otherwise_is_rewritten(tmp_path: Path, expression: str, expected: str):
    tables = catalog(tmp_path)
    sql = f"SELECT {expression} AS x FROM fact"
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    found = plainly(written(workload, tables, "q", "trino"))
    assert expected in found


def test_no_infinity_is_written_for_spark_to_push_down(tmp_path: Path):
    tables = catalog(tmp_path)
    sql = "SELECT n / m AS x FROM fact"
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    found = written(workload, tables, "q", "spark").replace("`", "").replace("fact.", "")
    assert (
        "CASE WHEN (m) = 0 THEN CAST((n) AS DOUBLE) * POWER(CAST((m) AS DOUBLE), -1) "
        "ELSE CAST((n) AS DOUBLE) / m END" in found
    )


def test_statements_of_other_dialects_are_left_as_they_are(tmp_path: Path):
    tables = catalog(tmp_path)
    sql = "SELECT n % m AS x FROM fact WHERE d = '2000-02-29'"
    workload = Workload(name="w", dialect="trino", queries=(statement(sql),))
    found = plainly(written(workload, tables, "q", "trino"))
    assert "n % m" in found
    assert "d = '2000-02-29'" in found


def plainly(sql: str) -> str:
    return sql.replace('"fact".', "").replace('"', "")
