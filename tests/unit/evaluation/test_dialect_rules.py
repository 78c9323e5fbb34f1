"""Each rewrite for a dialect: what a statement in DuckDB's SQL becomes there."""

import pytest

from evaluation.connection import Connection
from evaluation.federation.compile import Compiler, StoreDialect
from evaluation.federation.dialects import ENGINE_RULES, STORE_RULES
from evaluation.stores import BACKENDS, JDBC
from placement.fragments import enumerate_fragments
from placement.plan import RoutedFragment
from placement.pricing import able
from placement.stores import Capability, Store
from tests.data_fixtures import statement
from tests.dialect_facts import catalog
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Workload

WRITTEN = [
    ("round(ratio, 1)", "postgres", "(SIGN(ratio) * FLOOR(ABS(ratio) * 10 + 0.5)) / 10"),
    ("round(ratio)", "mysql", "SIGN(ratio) * FLOOR(ABS(ratio) + 0.5)"),
    (
        "n / m",
        "postgres",
        "CASE WHEN (m) = 0 THEN CAST((n) AS DOUBLE PRECISION) * CAST('Infinity' AS DOUBLE",
    ),
    ("n / 2", "postgres", "CAST((n) AS DOUBLE PRECISION) / 2"),
    ("n / nullif(m, 0)", "postgres", "CAST((n) AS DOUBLE PRECISION) / NULLIF(m, 0)"),
    ("n % m", "postgres", "n % NULLIF(m, 0)"),
    ("max(flag)", "postgres", "BOOL_OR(flag)"),
    ("min(flag)", "postgres", "BOOL_AND(flag)"),
    ("max(n)", "postgres", "MAX(n)"),
    ("upper(grp)", "postgres", "UPPER((grp) COLLATE default) COLLATE C"),
    ("upper(grp)", "mysql", "UPPER(grp)"),
    ("d + 5", "mysql", "d + INTERVAL (5) DAY"),
    ("d - n", "mysql", "d - INTERVAL (n) DAY"),
    ("d - DATE '2000-01-01'", "mysql", "DATEDIFF(d, CAST('2000-01-01' AS DATE))"),
    ("n - m", "mysql", "n - m"),
    ("greatest(n, m)", "mysql", "GREATEST(COALESCE(n, m), COALESCE(m, n))"),
    ("log(n)", "mysql", "LOG(10, n)"),
    ("count(*) FILTER (WHERE n > 3)", "mysql", "COUNT(CASE WHEN n > 3 THEN 1 END)"),
    (
        "sum(DISTINCT n) FILTER (WHERE flag)",
        "mysql",
        "SUM(DISTINCT CASE WHEN flag THEN n END)",
    ),
]
COMBINED = [
    ("CAST(price AS INTEGER)", "CAST(ROUND(CAST(price AS DECIMAL(38, 6))) AS INT)"),
    ("CAST(n / 2 AS BIGINT)", "CAST(RINT(CAST((n) AS DOUBLE) / 2) AS BIGINT)"),
    ("d - DATE '2000-01-01'", "DATEDIFF(DAY, CAST('2000-01-01' AS DATE), d)"),
    ("n // m", "n DIV NULLIF(m, 0)"),
    ("log(n)", "LOG(10, n)"),
    ("concat('-', n)", "CAST(n AS STRING)"),
    ("quantile_cont(n, 0.5)", "PERCENTILE(n, 0.5)"),
    ("extract(dow FROM d)", "(EXTRACT(DOW FROM d) - 1)"),
    (
        "date_diff('month', d, d + 1)",
        "((YEAR(d + 1) * 12 + MONTH(d + 1)) - (YEAR(d) * 12 + MONTH(d)))",
    ),
    (
        "n / m",
        "(m) = 0 THEN CAST((n) AS DOUBLE) * CAST('Infinity' AS DOUBLE) ELSE CAST((n) AS DOUBLE)",
    ),
]
LACKING = [
    ("SELECT make_date(2000, 1, n) AS a FROM fact", "function", {"postgresql", "mysql"}),
    ("SELECT CAST(ratio AS VARCHAR) AS a FROM fact", "value_text", {"postgresql", "mysql"}),
    ("SELECT CAST(n AS VARCHAR) AS a FROM fact", None, set()),
    ("SELECT flag || 'x' AS a FROM fact", "value_text", {"postgresql", "mysql"}),
    ("SELECT date_trunc('month', d) AS a FROM fact", "date_function", {"mysql"}),
    ("SELECT date_diff('month', d, DATE '2000-01-01') AS a FROM fact", "date_function", {"mysql"}),
    ("SELECT date_diff('day', d, DATE '2000-01-01') AS a FROM fact", None, set()),
    ("SELECT id FROM fact WHERE regexp_matches(grp, 'a')", "text_function", {"mysql"}),
    ("SELECT median(n) AS a FROM fact", "statistic", {"mysql"}),
    ("SELECT substr(grp, -1, 1) AS a FROM fact", "function", {"postgresql", "mysql"}),
    ("SELECT count(DISTINCT (n, flag)) AS a FROM fact", "row_value", {"mysql"}),
    ("SELECT e.v FROM fact, LATERAL (SELECT v FROM other WHERE k = id) AS e", "lateral", {"mysql"}),
]


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return catalog(tmp_path_factory.mktemp("facts"))


def compiler(facts: Catalog, sql: str, dialect: str, lacks: frozenset[str]) -> Compiler:
    return Compiler(
        Workload(name="w", dialect="duckdb", queries=(statement(sql),)),
        facts,
        {"store": StoreDialect(dialect=dialect, namespace="ns", lacks=lacks)},
    )


def routed(facts: Catalog, sql: str, kind: Capability) -> list[RoutedFragment]:
    found = footprint(statement(sql), facts, "duckdb")
    return [
        RoutedFragment(fragment=each, store="store", predicted_s=0.0)
        for each in enumerate_fragments(found, Estimator(facts, found))
        if each.kind is kind
    ]


def bare(sql: str) -> str:
    return sql.replace('"', "").replace("`", "").replace("fact.", "").replace("fragment_0.", "")


@pytest.mark.parametrize(("expression", "dialect", "expected"), WRITTEN)
def test_a_store_is_sent(facts: Catalog, expression: str, dialect: str, expected: str):
    sql = f"SELECT {expression} AS x FROM fact"
    whole = routed(facts, sql, Capability.QUERY)
    compiled = compiler(facts, sql, dialect, frozenset()).compile("q", whole)
    assert expected in bare(compiled.fragments[0].sql)


@pytest.mark.parametrize(("expression", "expected"), COMBINED)
def test_the_engine_combines_by(facts: Catalog, expression: str, expected: str):
    sql = f"SELECT {expression} AS x FROM fact"
    scans = routed(facts, sql, Capability.SCAN)
    compiled = compiler(facts, sql, "postgres", frozenset()).compile("q", scans)
    assert compiled.combine_sql is not None
    assert expected in bare(compiled.combine_sql).replace("fact__", "")


@pytest.mark.parametrize(("sql", "feature", "kinds"), LACKING)
def test_what_a_store_cannot_say_is_a_feature_that_it_lacks(
    facts: Catalog, sql: str, feature: str | None, kinds: set[str]
):
    (whole,) = routed(facts, sql, Capability.QUERY)
    assert feature is None or feature in whole.fragment.features
    refusing = {kind for kind in JDBC if not able(store(kind), whole.fragment)}
    assert refusing == kinds


def store(kind: str) -> Store:
    backend = BACKENDS[kind]
    return Store(name=kind, kind=kind, strength=backend.strength, lacks=backend.lacks)


def test_a_filter_that_the_store_cannot_say_stays_with_the_engine(facts: Catalog):
    sql = "SELECT id FROM fact WHERE regexp_matches(grp, 'a') AND n > 3"
    scans = routed(facts, sql, Capability.SCAN)
    refusing = compiler(facts, sql, "mysql", BACKENDS["mysql"].lacks).compile("q", scans)
    assert "n > 3" in bare(refusing.fragments[0].sql)
    assert "REGEXP" not in refusing.fragments[0].sql
    assert refusing.combine_sql is not None
    assert "RLIKE" in refusing.combine_sql
    taking = compiler(facts, sql, "postgres", BACKENDS["postgresql"].lacks).compile("q", scans)
    assert "~ 'a'" in taking.fragments[0].sql
    assert taking.combine_sql is not None
    assert "RLIKE" not in taking.combine_sql


def test_statements_of_other_dialects_are_left_as_they_are(facts: Catalog):
    sql = "SELECT round(ratio, 1) AS x, n % m AS y FROM fact"
    whole = routed(facts, sql, Capability.QUERY)
    workload = Workload(name="w", dialect="postgres", queries=(statement(sql),))
    written = Compiler(
        workload, facts, {"store": StoreDialect(dialect="postgres", namespace="ns")}
    ).compile("q", whole)
    assert "FLOOR" not in written.fragments[0].sql


def test_every_dialect_of_a_back_end_has_its_rules():
    assert {backend.dialect for backend in BACKENDS.values()} | {"spark"} == STORE_RULES.keys()
    assert ENGINE_RULES


def test_sessions_keep_stores_from_plans_that_never_end():
    options = {
        kind: JDBC[kind].jdbc(
            Connection(store="s", kind=kind, host="127.0.0.1"), timeout_s=5, fetch_size=100
        )
        for kind in ("postgresql", "mysql")
    }
    assert "-c enable_nestloop=off" in options["postgresql"]["options"]
    assert "split_materialized=off" in options["mysql"]["sessionInitStatement"]
