"""Features of statements: what a system cannot say, it lacks."""

from pathlib import Path

import pytest
from sqlglot import exp, parse_one

from evaluation.federation.dialects import spark
from evaluation.kinds import BACKENDS, JDBC
from placement.pricing import able
from placement.stores import Capability
from tests.awkward_values import FORMS
from tests.awkward_values import catalog as awkward_catalog
from tests.awkward_values import statement as awkward_statement
from tests.data_fixtures import statement
from tests.unit.evaluation.over_facts import bare, compiler, routed, store
from workloads.catalog import Catalog
from workloads.features import REASONS, all_but
from workloads.sql import footprint
from workloads.sql.canonical.rules import canonical
from workloads.sql.features import lacked_by

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
    ("SELECT stddev_samp(DISTINCT n) AS a FROM fact", "statistic", {"mysql"}),
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
