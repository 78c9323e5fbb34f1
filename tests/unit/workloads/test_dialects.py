import logging
import subprocess
import sys

import duckdb
import pytest

from workloads.benchmarks import tpcds
from workloads.sql.parsing.dialects import detect
from workloads.sql.translate import translate
from workloads.workload import Query


@pytest.mark.parametrize(
    ("dialect", "statements"),
    [
        ("mysql", ["SELECT `a` FROM `t` LIMIT 5, 10", 'SELECT a FROM t WHERE b = "x"']),
        ("mysql", ["SELECT STR_TO_DATE(a, '%Y') FROM t WHERE b > CURDATE()"]),
        ("postgres", ["SELECT a::int FROM t WHERE b ~* 'x' AND c = $1"]),
        ("tsql", ["SELECT TOP 10 [a] FROM [dbo].[t] WITH (NOLOCK) WHERE b > GETDATE()"]),
        ("snowflake", ["SELECT v:a.b::string FROM t, LATERAL FLATTEN(input => t.x) f"]),
        ("bigquery", ["SELECT * EXCEPT (a) FROM `p.d.t`, UNNEST(b) WHERE SAFE_CAST(c AS INT64)=1"]),
        ("oracle", ["SELECT NVL(a, 0) FROM t WHERE ROWNUM < 5 AND b > SYSDATE"]),
        ("trino", ["SELECT approx_distinct(a) FROM c.s.t CROSS JOIN UNNEST(b) AS u (x)"]),
        ("spark", ["SELECT a FROM t LATERAL VIEW explode(b) x AS c", "SELECT `a` FROM t"]),
        ("clickhouse", ["SELECT countIf(a > 1) FROM t FINAL PREWHERE b = 1"]),
        ("duckdb", ["SELECT * EXCLUDE (a) FROM read_parquet('x') GROUP BY ALL"]),
        ("sqlite", ["SELECT [a], julianday(b) FROM t LIMIT 1, 2"]),
    ],
)
def test_telling_constructs_decide(dialect, statements):
    found = detect(statements)
    assert found.dialect == dialect, found.reason
    assert "sampled statements parse" in found.reason


def test_what_any_dialect_has_is_taken_for_the_first_of_the_order():
    found = detect(["SELECT a FROM t WHERE b = 1"])
    assert found.dialect == "duckdb"
    assert "nothing speaks against postgres, mysql, spark either" in found.reason


def test_what_stands_in_strings_and_comments_tells_nothing():
    assert detect(["SELECT '`a`', 'x::y' FROM t -- TOP 5 `b`"]).dialect == "duckdb"


def test_tpcds_is_told_to_be_duckdbs():
    queries = tpcds.queries("all").queries
    assert detect([query.sql for query in queries[:40]]).dialect == "duckdb"


def test_looking_for_a_dialect_says_nothing(caplog):
    with caplog.at_level(logging.DEBUG):
        detect(["ALTER SYSTEM SET x = 1", "select ((", "'"])
    assert caplog.text == ""


@pytest.mark.parametrize(
    "condition",
    [
        "placed >= TIMESTAMP '2026-03-01 00:00:00'::date",
        "placed >= DATE (1 + 1)::date",
        "a = {x",
        "extract(FROM a)",
        "CAST(a AS)",
        "a[",
        "INTERVAL",
        "a LIKE ESCAPE",
    ],
)
def test_what_no_parser_makes_sense_of_is_no_crash(condition):
    found = detect([f"SELECT count(*) FROM orders WHERE {condition}"])
    assert "of 1 sampled statements parse" in found.reason


def test_a_statement_that_one_parser_stumbles_over_is_read_by_others():
    sql = "SELECT count(*) AS n FROM orders WHERE day >= TIMESTAMP '2026-03-01 00:00:00'::date"
    found = detect([sql])
    assert found.dialect == "duckdb"
    assert found.reason.startswith("1 of 1")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) AS n FROM orders WHERE at >= '2026-03-01'::date",
        "SELECT o.id AS n, pivot FROM orders o WHERE o.x ~ 'a'",
        "SELECT id at FROM orders ORDER BY at",
    ],
)
def test_what_duckdb_itself_cannot_read_is_not_its_dialect(sql):
    found = detect([sql])
    assert found.dialect == "postgres", found.reason
    translated = translate(Query(name="q", sql=sql, origin="q.sql"), found.dialect, "duckdb")
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE orders (id INT, x VARCHAR, "at" DATE, "pivot" INT)')
        connection.execute(translated)
        with pytest.raises(duckdb.ParserException):
            connection.execute(sql)


def test_names_that_another_dialect_reserves_leave_duckdbs_statements_alone():
    assert (
        detect(["SELECT o.at AS at, rank, limit_ FROM orders o GROUP BY ALL"]).dialect == "duckdb"
    )


# As deep as the command line lets Python go: more than sqlglot's compiled parser has stack for.
NESTED = """
import sys
from workloads.sql.parsing.dialects import detect
sys.setrecursionlimit(10_000)
for opening in ("(", "[", "CASE ", "IF ", "NOT ", "(SELECT "):
    assert detect(["SELECT " + opening * 20_000 + "1", "SELECT a FROM t"]).reason, opening
"""


def test_nesting_as_deep_as_one_likes_is_no_crash():
    done = subprocess.run(
        [sys.executable, "-c", NESTED], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
