"""Each rewrite for a dialect: what a statement in DuckDB's SQL becomes there."""

from dataclasses import replace

import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.dialects import ENGINE_RULES
from evaluation.kinds import BACKENDS, JDBC, KINDS
from evaluation.store_protocol.connection import Connection
from placement.stores import Capability
from tests.data_fixtures import statement
from tests.unit.evaluation.over_facts import bare, compiler, routed, written_for
from workloads.catalog import Catalog
from workloads.workload import Workload

WRITTEN = [
    (
        "round(ratio, 1)",
        "postgres",
        "(SIGN(ratio) * FLOOR(ABS(ratio) * 10 + 0.49999999999999994)) / 10",
    ),
    ("round(price, 2)", "postgres", "(SIGN(price) * FLOOR(ABS(price) * 100 + 0.5)) * 0.01"),
    ("round(ratio)", "mysql", "SIGN(ratio) * FLOOR(ABS(ratio) + 0.49999999999999994)"),
    ("stddev_samp(n)", "mysql", "STDDEV_SAMP(CAST(n AS DOUBLE))"),
    ("var_pop(price * 2)", "mysql", "VAR_POP(CAST(price * 2 AS DOUBLE))"),
    ("var_samp(ratio)", "mysql", "VAR_SAMP(CAST(ratio AS DOUBLE))"),
    ("stddev_samp(n)", "postgres", "STDDEV_SAMP(n)"),
    (
        "n / m",
        "postgres",
        "CASE WHEN (m) = 0 THEN CAST((n) AS DOUBLE PRECISION) * CAST('Infinity' AS DOUBLE",
    ),
    (
        "n / ratio",
        "postgres",
        "* CASE WHEN ATAN2(0, ratio) > 1 THEN CAST('-Infinity' AS DOUBLE PRECISION) ELSE CAST('Inf",
    ),
    ("n / 2", "postgres", "CAST((n) AS DOUBLE PRECISION) / 2"),
    ("n / nullif(m, 0)", "postgres", "CAST((n) AS DOUBLE PRECISION) / NULLIF(m, 0)"),
    ("lag('a') OVER (ORDER BY id)", "postgres", "LAG(CAST('a' AS TEXT)) OVER (ORDER BY id"),
    ("n * 1e-1", "postgres", "n * CAST(1e-1 AS DOUBLE PRECISION)"),
    ("n * CAST(1e0 AS DOUBLE)", "postgres", "n * CAST(1e0 AS DOUBLE PRECISION)"),
    ("n % m", "postgres", "n % NULLIF(m, 0)"),
    (
        "avg(price)",
        "postgres",
        "CAST(SUM(price) * 100 AS DOUBLE PRECISION) / NULLIF(COUNT(price) * 100, 0)",
    ),
    ("avg(n)", "postgres", "CAST(SUM(n) AS DOUBLE PRECISION) / NULLIF(COUNT(n), 0)"),
    ("avg(ratio)", "postgres", "AVG(CAST(ratio AS DOUBLE PRECISION))"),
    (
        "avg(DISTINCT n) FILTER (WHERE flag)",
        "mysql",
        "(CAST(SUM(DISTINCT CASE WHEN flag THEN n END) AS DOUBLE) / NULLIF(COUNT(DISTINCT CASE",
    ),
    (
        "avg(n) OVER (PARTITION BY m)",
        "mysql",
        "(CAST(SUM(n) OVER (PARTITION BY m) AS DOUBLE) / NULLIF(COUNT(n) OVER (PARTITION BY m), 0)",
    ),
    ("avg(price)", "duckdb", "AVG(price)"),
    ("max(flag)", "postgres", "BOOL_OR(flag)"),
    ("min(flag)", "postgres", "BOOL_AND(flag)"),
    ("max(n)", "postgres", "MAX(n)"),
    (
        "upper(grp)",
        "postgres",
        "CASE WHEN OCTET_LENGTH(grp) = LENGTH(grp) THEN UPPER(grp) ELSE TRANSLATE(grp, ' !#$",
    ),
    (
        "upper(grp)",
        "mysql",
        "CASE WHEN OCTET_LENGTH(grp) = CHAR_LENGTH(grp) THEN UPPER(grp) WHEN REGEXP_INSTR(grp, '[ƀ",
    ),
    ("upper(grp)", "mysql", "ELSE REPLACE(UPPER(grp), 'ß', 'ẞ') END"),
    ("upper('a')", "mysql", "SELECT UPPER('a')"),
    ("d + 5", "mysql", "d + INTERVAL (5) DAY"),
    ("d - n", "mysql", "d - INTERVAL (n) DAY"),
    ("d - DATE '2000-01-01'", "mysql", "DATEDIFF(d, CAST('2000-01-01' AS DATE))"),
    ("n - m", "mysql", "n - m"),
    ("greatest(n, m)", "mysql", "GREATEST(COALESCE(n, m), COALESCE(m, n))"),
    ("log(n)", "mysql", "LOG(10, n)"),
    ("count(DISTINCT ratio)", "mysql", "COUNT(DISTINCT (ratio + 0))"),
    ("count(DISTINCT price)", "mysql", "COUNT(DISTINCT price)"),
    ("count(DISTINCT ratio)", "postgres", "COUNT(DISTINCT ratio)"),
    ("ratio IN (SELECT ratio FROM fact)", "mysql", "(ratio + 0) IN (SELECT (ratio + 0) AS"),
    ("ratio = 0", "mysql", "ratio = 0"),
    ("ratio = n * ratio", "mysql", "(ratio + 0) = ((n * ratio) + 0)"),
    ("round(price)", "postgres", "FLOOR(ABS(price) + 0.5)"),
    ("quarter(d)", "postgres", "EXTRACT(QUARTER FROM d)"),
    ("d + n", "postgres", "d + CAST(n AS INT)"),
    ("contains(grp, 'a')", "postgres", "(POSITION('a' IN grp) > 0)"),
    ("extract(second FROM ts)", "postgres", "FLOOR(EXTRACT(SECOND FROM ts))"),
    (r"grp LIKE 'a\b%'", "postgres", r"grp LIKE 'a\\b%'"),
    (r"grp LIKE 'a\b%'", "mysql", r"grp LIKE 'a\\\\b%'"),
    (r"grp LIKE 'a\b%'", "duckdb", r"grp LIKE 'a\b%'"),
    (
        "ts = TIMESTAMP '2000-01-31 23:30:00.123456'",
        "mysql",
        "ts = CAST('2000-01-31 23:30:00.123456' AS DATETIME(6))",
    ),
    ("count(*) FILTER (WHERE n > 3)", "mysql", "COUNT(CASE WHEN n > 3 THEN 1 END)"),
    (
        "sum(DISTINCT n) FILTER (WHERE flag)",
        "mysql",
        "SUM(DISTINCT CASE WHEN flag THEN n END)",
    ),
]

COMBINED = [
    ("CAST(price AS INTEGER)", "CAST(ROUND(price) AS INT)"),
    ("CAST(ratio AS BIGINT)", "CAST(RINT(ratio) AS BIGINT)"),
    ("CAST(n AS BIGINT)", "CAST(n AS BIGINT)"),
    ("round(ratio, 2)", "ROUND((ratio) * CAST(100 AS DOUBLE)) / CAST(100 AS DOUBLE)"),
    ("round(price, 1)", "ROUND(price, 1)"),
    ("sign(n)", "CAST(SIGN(n) AS TINYINT)"),
    ("floor(n)", "SELECT CAST(n AS DOUBLE) AS x"),
    ("ceil(price)", "CEIL(price)"),
    ("grp || NULL || 'x'", "SELECT NULL AS x"),
    ("extract(second FROM ts)", "FLOOR(EXTRACT(SECOND FROM ts))"),
    (r"grp LIKE 'a\b%'", r"grp LIKE 'a\\\\b%'"),
    (
        "upper(grp)",
        "CASE WHEN OCTET_LENGTH(grp) = LENGTH(grp) THEN UPPER(grp) ELSE TRANSLATE(grp, ' !#$",
    ),
    ("sum(m)", "SUM(CAST(m AS DECIMAL(20, 0)))"),
    ("sum(m * n)", "SUM(CAST(m * n AS DECIMAL(20, 0)))"),
    ("sum(CAST(n AS BIGINT))", "SUM(CAST(CAST(n AS BIGINT) AS DECIMAL(20, 0)))"),
    ("sum(DISTINCT m)", "SUM(DISTINCT CAST(m AS DECIMAL(20, 0)))"),
    ("sum(CASE WHEN n > 1 THEN m ELSE 0 END)", "ELSE 0 END AS DECIMAL(20, 0)))"),
    ("sum(n)", "SUM(n)"),
    ("avg(m)", "(CAST(SUM(CAST(m AS DECIMAL(20, 0))) AS DOUBLE) / NULLIF(COUNT(m), 0))"),
    ("sum(length(grp))", "SUM(LENGTH(grp))"),
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
        "(m) = 0 THEN CAST((n) AS DOUBLE) * POWER(CAST((m) AS DOUBLE), -1) ELSE CAST((n) AS DOUB",
    ),
]


@pytest.mark.parametrize(("expression", "dialect", "expected"), WRITTEN)
def test_a_store_is_sent(facts: Catalog, expression: str, dialect: str, expected: str):
    sql = f"SELECT {expression} AS x FROM fact"
    whole = routed(facts, sql, Capability.QUERY)
    compiled = compiler(facts, sql, dialect, frozenset()).compile("q", whole)
    assert expected in bare(compiled.fragments[0].sql)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("'x', n", "GROUP BY CAST('x' AS TEXT), n"),
        ("-2.5, TRUE", "GROUP BY CAST(-2.5 AS TEXT), CAST(TRUE AS TEXT)"),
        ("NULL", "GROUP BY CAST(NULL AS TEXT)"),
        ("1", "GROUP BY 1"),
    ],
)
def test_postgresql_is_sent_no_constant_to_group_by(facts: Catalog, keys: str, expected: str):
    sql = f"SELECT 7 AS x, max(n) AS m FROM fact GROUP BY {keys}"
    (whole,) = routed(facts, sql, Capability.QUERY)
    compiled = compiler(facts, sql, "postgres", frozenset()).compile("q", [whole])
    assert bare(compiled.fragments[0].sql).endswith(expected)


@pytest.mark.parametrize(("expression", "expected"), COMBINED)
def test_the_engine_combines_by(facts: Catalog, expression: str, expected: str):
    sql = f"SELECT {expression} AS x FROM fact"
    scans = routed(facts, sql, Capability.SCAN)
    compiled = compiler(facts, sql, "postgres", frozenset()).compile("q", scans)
    assert compiled.combine_sql is not None
    assert expected in bare(compiled.combine_sql).replace("fact__", "")


def test_a_grand_total_of_no_rows_is_made_of_a_row_that_no_group_counts(facts: Catalog):
    sql = "SELECT grp, count(*) AS c, sum(n) AS s FROM fact WHERE n > 1 GROUP BY ROLLUP (grp)"
    scans = routed(facts, sql, Capability.SCAN)
    compiled = compiler(facts, sql, "mysql", BACKENDS["mysql"].lacks).compile("q", scans)
    assert compiled.combine_sql is not None
    written = bare(compiled.combine_sql).replace("marked_rows.", "")
    assert "COUNT(is_row) AS c, SUM(c1) AS s FROM (SELECT" in written
    assert "1 AS is_row FROM fragment_0 UNION ALL SELECT NULL AS c0, NULL AS c1" in written
    assert "HAVING COUNT(is_row) > 0 OR GROUPING_ID() = 1" in written


def test_statements_of_other_dialects_are_left_as_they_are(facts: Catalog):
    sql = "SELECT round(ratio, 1) AS x, n % m AS y FROM fact"
    whole = routed(facts, sql, Capability.QUERY)
    workload = Workload(name="w", dialect="oracle", queries=(statement(sql),))
    written = Compiler(
        workload, facts, {"store": replace(written_for("postgres"), lacks=frozenset())}
    ).compile("q", whole)
    assert "FLOOR" not in written.fragments[0].sql


def test_a_store_whose_fragments_the_engine_runs_has_the_engine_s_rules():
    by_engine = [kind for kind in KINDS.values() if kind.backend.dialect == "spark"]
    assert by_engine
    assert all(kind.dialect("ns").rules == ENGINE_RULES for kind in by_engine)


def test_a_dialect_other_than_duckdb_s_has_rules():
    assert {kind.backend.dialect for kind in KINDS.values() if not kind.rules} == {"duckdb"}


def test_sessions_keep_stores_from_plans_that_never_end():
    options = {
        kind: JDBC[kind].jdbc(
            Connection(store="s", kind=kind, host="127.0.0.1"), timeout_s=5, fetch_size=100
        )
        for kind in ("postgresql", "mysql")
    }
    assert "-c enable_nestloop=off" in options["postgresql"]["options"]
    assert "-c join_collapse_limit=100" in options["postgresql"]["options"]
    assert "-c geqo=on" in options["postgresql"]["options"]
    assert "split_materialized=off" in options["mysql"]["sessionInitStatement"]
