"""Each rewrite for a dialect: what a statement in DuckDB's SQL becomes there."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlglot import exp, parse_one

from evaluation.federation.compile import Compiler
from evaluation.federation.dialects import ENGINE_RULES, spark
from evaluation.federation.store_dialect import StoreDialect
from evaluation.kinds import BACKENDS, JDBC, KINDS
from evaluation.store_protocol.connection import Connection
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.pricing import able
from placement.stores import Capability, Store
from tests.awkward_values import FORMS
from tests.awkward_values import catalog as awkward_catalog
from tests.awkward_values import statement as awkward_statement
from tests.data_fixtures import statement
from tests.dialect_facts import catalog
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.features import REASONS, all_but
from workloads.sql import footprint
from workloads.sql.canonical.rules import canonical
from workloads.sql.features import lacked_by
from workloads.workload import Workload

WRITTEN = [
    (
        "round(ratio, 1)",
        "postgres",
        "(SIGN(ratio) * FLOOR(ABS(ratio) * 10 + 0.49999999999999994)) / 10",
    ),
    ("round(price, 2)", "postgres", "(SIGN(price) * FLOOR(ABS(price) * 100 + 0.5)) * 0.01"),
    ("round(ratio)", "mysql", "SIGN(ratio) * FLOOR(ABS(ratio) + 0.49999999999999994)"),
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
ALL = {"postgresql", "mysql", "spark"}
NESTED = """SELECT id FROM fact WHERE EXISTS (
    SELECT 1 FROM other AS o WHERE k = 1 AND EXISTS (
        SELECT 1 FROM other AS p WHERE p.v < o.v AND p.k > id))"""
RECURSIVE = """WITH RECURSIVE r(i, s) AS (
    SELECT n, 0 FROM fact UNION ALL SELECT i + 1, s + i FROM r WHERE i < 5) SELECT * FROM r"""
LACKING = [
    ("SELECT make_date(2000, 1, n) AS a FROM fact", "function", ALL),
    ("SELECT first(id ORDER BY id) AS a FROM fact", "function", ALL),
    ("SELECT CAST(ratio AS VARCHAR) AS a FROM fact", "value_text", ALL),
    ("SELECT CAST(d - 800000 AS VARCHAR) AS a FROM fact", "value_text", ALL),
    ("SELECT CAST(n AS VARCHAR) AS a FROM fact", None, set()),
    ("SELECT CAST(price AS VARCHAR) AS a FROM fact", None, set()),
    (
        "SELECT CAST(q.x AS VARCHAR) AS a FROM (SELECT coalesce(price, 0.125) AS x FROM fact) AS q",
        "value_text",
        ALL,
    ),
    ("SELECT flag || 'x' AS a FROM fact", "value_text", ALL),
    ("SELECT date_trunc('month', d) AS a FROM fact", "date_function", {"mysql"}),
    (
        "SELECT date_diff('month', d, DATE '2000-01-01') AS a FROM fact",
        "month_difference",
        {"postgresql", "mysql"},
    ),
    ("SELECT d + 5 AS a, d - INTERVAL 3 MONTH AS b FROM fact", None, set()),
    ("SELECT d + n AS a FROM fact", "day_of_any_year", {"mysql"}),
    ("SELECT d + 3000000 AS a FROM fact", "day_of_any_year", {"mysql"}),
    ("SELECT ts + INTERVAL 8000 YEAR AS a FROM fact", "day_of_any_year", {"mysql"}),
    ("SELECT d - 800000 AS a FROM fact", "day_of_any_year", {"mysql"}),
    ("SELECT e.f + 1 AS a FROM (SELECT d + 2900000 AS f FROM fact) AS e", None, set()),
    ("SELECT e.f + 99999 AS a FROM (SELECT max(d) + 2900000 AS f FROM fact) AS e",
     "day_of_any_year", {"mysql"}),
    ("SELECT DATE '9999-12-01' + INTERVAL 1 MONTH > d AS a FROM fact", "day_of_any_year",
     {"mysql"}),
    ("SELECT date_diff('day', d, DATE '2000-01-01') AS a FROM fact", None, set()),
    ("SELECT id FROM fact WHERE regexp_matches(grp, 'a')", "regular_expression", ALL),
    ("SELECT id FROM fact WHERE grp SIMILAR TO '[aA].*'", "regular_expression", ALL),
    ("SELECT id FROM fact WHERE grp GLOB 'a*'", "function", ALL),
    ("SELECT id FROM fact WHERE starts_with(grp, 'a')", "text_function", {"mysql"}),
    ("SELECT median(n) AS a FROM fact", "statistic", {"mysql"}),
    ("SELECT substr(grp, -1, 1) AS a FROM fact", "negative_position", ALL),
    ("SELECT substr(grp, 0, 2) AS a FROM fact", "negative_position", ALL),
    ("SELECT left(grp, -1) AS a FROM fact", "negative_position", ALL),
    ("SELECT left(grp, n) AS a FROM fact", "negative_position", ALL),
    ("SELECT substr(grp, 2, 1) AS a FROM fact", None, set()),
    ("SELECT count(DISTINCT (n, flag)) AS a FROM fact", "row_value", {"mysql"}),
    (
        "SELECT e.v FROM fact, LATERAL (SELECT v FROM other WHERE k = id) AS e",
        "lateral",
        {"mysql", "spark"},
    ),
    ("SELECT id FROM fact WHERE (n, m) = (m, n)", "row_comparison", ALL),
    ("SELECT id FROM fact WHERE (n, m) NOT IN (SELECT k, v FROM other)", "row_comparison", ALL),
    ("SELECT id, n IN (SELECT v FROM other) AS a FROM fact", "in_as_value", {"spark"}),
    ("SELECT id FROM fact WHERE n NOT IN (SELECT v FROM other)", None, set()),
    ("SELECT id FROM fact WHERE m NOT IN (SELECT v FROM other)", "narrower_subquery", {"mysql"}),
    ("SELECT id FROM fact WHERE m IN (SELECT v FROM other)", None, set()),
    ("SELECT id FROM fact WHERE n > ALL (SELECT v FROM other)", "quantified_comparison",
     {"mysql", "spark"}),
    ("SELECT id FROM fact WHERE grp ILIKE 'É'", "case_insensitive_like", ALL),
    ("SELECT id FROM fact WHERE grp LIKE 'a!%' ESCAPE '!'", "like_escape", ALL),
    ("SELECT id FROM fact WHERE grp LIKE grp", "like_pattern", ALL),
    (r"SELECT id FROM fact WHERE grp LIKE 'a\b%'", None, set()),
    ("SELECT CAST(n AS REAL) = 0.1 AS a FROM fact", "single_float", ALL),
    ("SELECT ratio / n AS a FROM fact", "quotient_by_zero", {"mysql"}),
    ("SELECT ratio / NULLIF(n, 0) AS a FROM fact", None, set()),
    ("SELECT ratio / 2 AS a FROM fact", None, set()),
    ("SELECT CASE WHEN n > 0 THEN ratio / n END AS a FROM fact", None, set()),
    ("SELECT m / n AS a FROM fact WHERE n <> 0", None, set()),
    ("SELECT trim(grp) AS a FROM fact", "trimmed_characters", ALL),
    ("SELECT reverse(grp) AS a FROM fact", "function", ALL),
    ("SELECT dayname(d) AS a, monthname(d) AS b FROM fact", "name_of_date_part", ALL),
    ("SELECT extract(isodow FROM d) AS a FROM fact", "iso_date_part", {"mysql", "spark"}),
    ("SELECT extract(second FROM ts) AS a FROM fact", None, set()),
    ("SELECT TRY_CAST(grp AS INTEGER) AS a FROM fact", "try_cast", ALL),
    ("SELECT CAST(grp AS INTEGER) AS a FROM fact", "text_to_number", ALL),
    ("SELECT id FROM fact WHERE n = '7'", "text_to_number", ALL),
    ("SELECT id FROM fact WHERE d = grp", "text_to_date", ALL),
    ("SELECT id FROM fact WHERE d = '2000-01-31'", None, set()),
    ("SELECT CAST(ratio AS DECIMAL(12,1)) AS a FROM fact", "float_to_decimal", ALL),
    ("SELECT count(DISTINCT n) OVER (PARTITION BY flag) AS a FROM fact", "window_distinct", ALL),
    ("SELECT first_value(n IGNORE NULLS) OVER (ORDER BY id) AS a FROM fact", "ignore_nulls", ALL),
    (
        "SELECT sum(n) OVER (ORDER BY id RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) AS a FROM fact",
        "window_frame",
        ALL,
    ),
    ("SELECT id FROM fact FULL JOIN other ON n < v", "full_join_condition",
     {"postgresql", "mysql"}),
    ("SELECT id FROM fact FULL JOIN other ON n IS NOT DISTINCT FROM v", "full_join_condition",
     {"postgresql", "mysql"}),
    ("SELECT id, k FROM fact FULL JOIN other ON id = k", "full_join", {"mysql"}),
    (
        "SELECT id FROM fact SEMI JOIN other AS o ON n = o.v RIGHT JOIN other AS p ON id = p.k",
        "semi_join_order",
        {"postgresql", "mysql"},
    ),
    ("SELECT n // 2 AS a FROM fact GROUP BY n // 2 HAVING n // 2 > 0", "having_expression",
     {"mysql"}),
    ("SELECT n, sum(m) AS s FROM fact GROUP BY n HAVING n > 0 AND sum(m) > 1", None, set()),
    ("SELECT DISTINCT ON (flag) flag, id FROM fact ORDER BY flag, id", "distinct_on",
     {"mysql", "spark"}),
    (
        "SELECT id, (SELECT v FROM other WHERE k = n ORDER BY v LIMIT 1) AS a FROM fact",
        "correlated_limit",
        {"spark"},
    ),
    ("SELECT id FROM fact WHERE EXISTS (SELECT 1 FROM other WHERE k = n OFFSET 5)",
     "correlated_limit", {"mysql", "spark"}),
    (
        NESTED,
        "nested_correlation",
        {"mysql", "spark"},
    ),
    ("SELECT n FROM fact UNION SELECT NULL", None, set()),
    ("SELECT n FROM fact UNION SELECT DISTINCT NULL", "mixed_columns", ALL),
    ("SELECT n FROM fact UNION SELECT grp FROM fact", "mixed_columns", ALL),
    (
        RECURSIVE,
        "recursion",
        ALL,
    ),
    ("SELECT id FROM fact ORDER BY id LIMIT (SELECT count(*) FROM other)", "limit_expression", ALL),
    ("SELECT id FROM fact USING SAMPLE 3", "sample", ALL),
    (
        "SELECT flag, count(*) AS c FROM fact GROUP BY ROLLUP (flag) HAVING grouping(flag) = 1",
        "grouping_in_having",
        {"mysql", "spark"},
    ),
    (
        "SELECT flag, (SELECT max(v) FROM other) AS c FROM fact GROUP BY ROLLUP (flag)",
        "grouping_sets_over_no_rows",
        {"mysql", "spark"},
    ),
    ("SELECT 'a' AS a, n FROM fact GROUP BY ROLLUP ('a', n) HAVING 'a' IS NULL",
     "constant_in_grouping_sets", ALL),
    ("SELECT DISTINCT 1 AS a FROM fact LIMIT 5 OFFSET 1", "skipped_constants", {"mysql"}),
    ("SELECT DISTINCT 1 AS a, n FROM fact LIMIT 5 OFFSET 1", None, set()),
    ("SELECT DISTINCT 1 AS a FROM fact LIMIT 5", None, set()),
    ("SELECT n & 3 AS a FROM fact", "bit_operation", ALL),
    ("SELECT current_timestamp > ts AS a FROM fact", "time_zone", ALL),
    ("SELECT coalesce(CAST(n AS DECIMAL(38,0)), 0.0001) AS a FROM fact", "cut_decimal", ALL),
    ("SELECT coalesce(CAST(n AS DECIMAL(38,0)), 0) AS a FROM fact", None, set()),
    ("SELECT id FROM fact WHERE price NOT IN (SELECT CAST(v AS DECIMAL(38,0)) FROM other)",
     "cut_decimal", ALL),
    ("SELECT id FROM fact WHERE price < ALL (SELECT CAST(v AS DECIMAL(38,0)) FROM other)",
     "cut_decimal", ALL),
    ("SELECT id FROM fact WHERE price < CAST(n AS DECIMAL(38,0))", None, set()),
    ("SELECT coalesce(sum(price), 1.2345) AS a FROM fact", "cut_decimal", ALL),
    ("SELECT coalesce(sum(price), 0) AS a, coalesce(sum(price), 0.01) AS c FROM fact", None, set()),
    ("SELECT greatest(q.s, 0.12345) AS a FROM (SELECT sum(price) AS s FROM fact) AS q",
     "cut_decimal", ALL),
    ("SELECT price FROM fact UNION SELECT CAST(v AS DECIMAL(38,0)) FROM other", "cut_decimal", ALL),
    ("SELECT string_agg(grp, ',' ORDER BY id) AS a FROM fact", "text_aggregate", ALL),
]  # fmt: skip


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return catalog(tmp_path_factory.mktemp("facts"))


def compiler(facts: Catalog, sql: str, dialect: str, lacks: frozenset[str]) -> Compiler:
    return Compiler(
        Workload(name="w", dialect="duckdb", queries=(statement(sql),)),
        facts,
        {"store": replace(written_for(dialect), lacks=lacks)},
    )


def written_for(dialect: str) -> StoreDialect:
    kinds = (kind for kind in KINDS.values() if kind.backend.dialect == dialect)
    return next(kinds).dialect("ns")


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


@pytest.mark.parametrize(("sql", "feature", "systems"), LACKING)
def test_what_a_system_cannot_say_is_a_feature_that_it_lacks(
    facts: Catalog, sql: str, feature: str | None, systems: set[str]
):
    (whole,) = routed(facts, sql, Capability.QUERY)
    assert feature is None or feature in whole.fragment.work.features
    refusing = {kind for kind in JDBC if not able(store(kind), whole.fragment)}
    if lacked_by(canonical(statement(sql), facts, "duckdb"), spark.LACKS, schema(facts)):
        refusing.add("spark")
    assert refusing == systems


def schema(facts: Catalog) -> dict[str, dict[str, str]]:
    return {
        table.name.lower(): {column.name.lower(): column.type for column in table.columns}
        for table in facts.tables.values()
    }


def store(kind: str) -> Store:
    backend = BACKENDS[kind]
    return Store(name=kind, kind=kind, strength=backend.strength, lacks=backend.lacks)


def test_every_feature_has_its_reason(tmp_path: Path):
    awkward = awkward_catalog(tmp_path)
    lacked = spark.LACKS.union(*(backend.lacks for backend in BACKENDS.values()))
    assert lacked <= REASONS.keys()
    assert all(reason.endswith(".") for reason in REASONS.values())
    for form in FORMS:
        blocks = footprint(awkward_statement([form]), awkward, "duckdb").blocks
        assert all(block.features <= REASONS.keys() for block in blocks), form.name
    with pytest.raises(KeyError, match="windo"):
        all_but("windo")


def test_the_condition_of_an_outer_join_is_held_against_the_store(facts: Catalog):
    sql = "SELECT id, v FROM fact LEFT JOIN other ON id = k AND starts_with(name, 'a')"
    (join,) = routed(facts, sql, Capability.JOIN)
    assert not able(store("mysql"), join.fragment)
    assert able(store("postgresql"), join.fragment)
    plain = "SELECT id, v FROM fact LEFT JOIN other ON id = k AND v > 1"
    (join,) = routed(facts, plain, Capability.JOIN)
    assert able(store("mysql"), join.fragment)


def test_the_views_of_fragments_have_types(facts: Catalog):
    tree = parse_one("SELECT v.a / v.b AS x FROM fragment_0 AS v WHERE v.s = v.a", dialect="duckdb")
    assert isinstance(tree, exp.Query)
    columns = {"a": "INTEGER", "b": "BIGINT", "s": "VARCHAR"}
    assert lacked_by(tree, spark.LACKS, {"fragment_0": columns}) == {"text_to_number"}
    assert lacked_by(tree, spark.LACKS, {"fragment_0": {**columns, "s": "INTEGER"}}) == frozenset()
    assert lacked_by(tree, spark.LACKS, {}) == {"unknown_type"}


def test_a_filter_that_the_store_cannot_say_stays_with_the_engine(facts: Catalog):
    sql = "SELECT id FROM fact WHERE starts_with(grp, 'a') AND n > 3"
    scans = routed(facts, sql, Capability.SCAN)
    refusing = compiler(facts, sql, "mysql", BACKENDS["mysql"].lacks).compile("q", scans)
    assert "n > 3" in bare(refusing.fragments[0].sql)
    assert "STARTS" not in refusing.fragments[0].sql
    assert refusing.combine_sql is not None
    assert "STARTSWITH" in refusing.combine_sql
    taking = compiler(facts, sql, "postgres", BACKENDS["postgresql"].lacks).compile("q", scans)
    assert "STARTS_WITH" in taking.fragments[0].sql
    assert taking.combine_sql is not None
    assert "STARTSWITH" not in taking.combine_sql


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
    assert "split_materialized=off" in options["mysql"]["sessionInitStatement"]
