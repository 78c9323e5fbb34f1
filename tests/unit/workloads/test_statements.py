"""Statements that are left out, each with its place and reason."""

import pytest

from tests.catalogs import shop
from tests.unit.workloads.understanding import only_skipped, understood
from workloads.progress import Silent
from workloads.sql.statements import understand
from workloads.workload import Query, Skipped, Workload


@pytest.mark.parametrize(
    ("sql", "dialect", "kind"),
    [
        ("DROP TABLE customer", "postgres", "definition"),
        ("ALTER TABLE customer ADD COLUMN a int", "postgres", "definition"),
        ("CREATE INDEX i ON customer (c_id)", "postgres", "definition"),
        ("CREATE TABLE t (a int)", "postgres", "definition"),
        (
            "CREATE FUNCTION f() RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql",
            "postgres",
            "definition",
        ),
        ("GRANT SELECT ON customer TO u", "postgres", "definition"),
        ("COMMENT ON TABLE customer IS 'x'", "postgres", "definition"),
        ("VACUUM ANALYZE customer", "postgres", "maintenance"),
        ("ANALYZE", "postgres", "maintenance"),
        ("REINDEX TABLE customer", "postgres", "maintenance"),
        ("REFRESH MATERIALIZED VIEW CONCURRENTLY totals", "postgres", "maintenance"),
        ("CHECKPOINT", "postgres", "maintenance"),
        ("OPTIMIZE TABLE customer", "mysql", "maintenance"),
        ("/* nightly */ ANALYZE TABLE customer", "mysql", "maintenance"),
        ("MSCK REPAIR TABLE customer", "spark", "maintenance"),
        ("COPY customer (c_id) TO STDOUT", "postgres", "dump"),
        ('COPY "shop"."a (b)" ("c)", d) TO stdout', "postgres", "dump"),
        ("COPY item FROM STDIN", "postgres", "load"),
        ("copy staging.rows ( a, b ) from 's3://x'", "redshift", "load"),
        ("COPY INTO staging FROM @stage", "snowflake", "load"),
        ("LOAD DATA LOCAL INFILE 'x' INTO TABLE item", "mysql", "load"),
        ("SET search_path = shop", "postgres", "session"),
        ("START TRANSACTION", "postgres", "session"),
        ("SAVEPOINT a", "postgres", "session"),
        ("SHOW TABLES", "mysql", "session"),
        ("USE shop", "mysql", "session"),
        ("PRAGMA threads=4", "duckdb", "session"),
        ("CALL f()", "mysql", "session"),
        ("FETCH 100 FROM c", "postgres", "session"),
        ("EXPLAIN SELECT c_id FROM customer", "postgres", "session"),
        (r"\timing on", "postgres", "session"),
        ("SELECT 1", "postgres", "session"),
        ("/* keep alive */ SELECT now()", "postgres", "session"),
        ("SELECT SYSDATE FROM dual", "oracle", "session"),
        ("SELECT * FROM generate_series(1, 3)", "postgres", "session"),
        ("SELECT * FROM pg_stat_activity", "postgres", "catalog"),
        (
            "SELECT last_value FROM pg_catalog.pg_sequence, pg_get_sequence_data(seqrelid)",
            "postgres",
            "catalog",
        ),
        ("SELECT table_name FROM information_schema.tables", "mysql", "catalog"),
        ("SELECT name FROM sys.tables", "tsql", "catalog"),
        ("SELECT user, host FROM mysql.user", "mysql", "catalog"),
        (
            "WITH n AS (SELECT oid FROM pg_namespace) SELECT relname FROM pg_catalog.pg_class, n",
            "postgres",
            "catalog",
        ),
    ],
)
def test_what_reads_no_table_is_skipped_and_counted(sql: str, dialect: str, kind: str):
    skipped = only_skipped(sql, dialect)
    assert skipped.kind == kind
    assert skipped.reason


@pytest.mark.parametrize(
    ("sql", "column", "reason"),
    [
        ("SELEC c_id FROM customer", 1, "did you mean 'SELECT'"),
        ("SELECT c_id FROM custmer", 18, "did you mean 'customer'"),
        ("SELECT c_nam FROM customer", 8, "did you mean 'c_name'"),
        ("INSERT INTO custmer VALUES (1)", 13, "did you mean 'customer'"),
        ("UPDATE custmer SET c_id = 1", 8, "did you mean 'customer'"),
        ("DELETE FROM customer WHERE nope = 1", 28, "unknown column 'nope'"),
        ("INSERT INTO item SELECT nope FROM customer", 25, "unknown column 'nope'"),
        ("INSERT INTO item SELECT FROM WHERE", 30, ""),
        ("CREATE VIEW v AS SELECT nope FROM customer", 25, "unknown column 'nope'"),
        ("CREATE VIEW v AS SELECT * FROM v", 32, "reads itself"),
        ("MERGE INTO item USING nope ON true WHEN MATCHED THEN DELETE", 23, "unknown table 'nope'"),
        ("42", 1, "no statement"),
        ("INSERT INTO item (i_order, i_nope) VALUES (1, 2)", 28, "unknown column 'i_nope'"),
        ("UPDATE orders SET o_totl = 1", 19, "did you mean 'o_total'"),
        ("UPDATE orders o SET o.o_totl = 1", 21, "did you mean 'o_total'"),
    ],
)
def test_what_is_not_understood_is_listed_with_its_place_and_reason(
    sql: str, column: int, reason: str
):
    skipped = only_skipped(sql)
    assert (skipped.source, skipped.line, skipped.column) == ("w.sql", 1, column)
    assert skipped.kind == "invalid"
    assert reason in skipped.reason


def test_one_bad_statement_does_not_hide_the_others():
    found = understood(
        ["SELECT c_id FROM customer", "SELECT FROM WHERE", "SELECT o_id FROM orders"]
    )
    assert [query.name for query in found.workload.queries] == ["s1", "s3"]
    assert [footprint.query for footprint in found.footprints] == ["s1", "s3"]
    assert [(skipped.line, skipped.executions) for skipped in found.skipped] == [(2, 2.0)]


def test_what_the_source_left_out_is_listed_with_the_rest():
    before = Skipped(source="log.csv", line=3, reason="no statement")
    workload = Workload(name="w", dialect="duckdb", queries=(), skipped=(before,))
    assert understand(workload, shop(), Silent()).skipped == (before,)


def test_several_statements_in_one_text_are_read_one_by_one():
    query = Query(
        name="log",
        sql="BEGIN; SELECT c_id FROM customer;\nSELECT nope FROM customer; COMMIT",
        origin="w.sql",
        line=5,
        column=3,
    )
    found = understand(Workload(name="w", dialect="duckdb", queries=(query,)), shop(), Silent())
    assert [each.name for each in found.workload.queries] == ["log/2"]
    assert [(each.kind, each.line, each.column) for each in found.skipped] == [
        ("session", 5, 3),
        ("invalid", 6, 8),
        ("session", 6, 28),
    ]


@pytest.mark.parametrize("sql", ["", "  \n", "-- nothing", "/* nothing */", ";;"])
def test_an_empty_statement_is_skipped(sql: str):
    assert only_skipped(sql).kind == "session"


@pytest.mark.parametrize("sql", ["SELECT 'open; SELECT 1", "SELECT c_id FROM customer; SELECT 'x"])
def test_a_text_that_cannot_be_split_is_invalid(sql: str):
    assert only_skipped(sql).kind == "invalid"


@pytest.mark.parametrize("made", ["CREATE TABLE notes (x int)", "CREATE TEMP TABLE notes (x int)"])
def test_what_names_a_table_that_a_later_statement_creates_is_understood(made):
    """The statistics of a server are in the order of their costs."""
    statements = ["SELECT x FROM notes", "INSERT INTO notes VALUES (1)", made]
    found = understood([*statements, "SELECT x FROM nowhere"])
    assert [(each.line, each.kind) for each in found.skipped] == [
        (3, "definition"),
        (4, "invalid"),
        (1, "definition"),
        (2, "definition"),
    ]
    assert "'notes' is a table that the workload itself creates" in found.skipped[2].reason


def test_what_joins_a_table_that_a_later_statement_creates_is_left_out_once():
    joined = "SELECT c_id FROM customer JOIN notes ON x = c_id JOIN gone ON g = x"
    found = understood([joined, "CREATE TABLE notes (x int)"])
    assert [each.line for each in found.skipped] == [2, 1]
    assert found.footprints == ()
