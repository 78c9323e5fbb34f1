"""Statements that only their own server can run: their tables, and what is not one."""

from contextlib import closing
from dataclasses import replace
from decimal import Decimal

import duckdb
import pytest

from tests.catalogs import shop
from tests.unit.workloads.passing import JSONB, query, read, with_data
from workloads.errors import SqlError
from workloads.sql.parsing.as_checked import as_checked
from workloads.sql.parsing.parse import tokens_of
from workloads.sql.parsing.relations import named_relations
from workloads.sql.passing_through import passed_through
from workloads.sql.translate import meant


@pytest.mark.parametrize(
    ("dialect", "sql", "tables"),
    [
        ("postgres", JSONB, {"customer"}),
        ("postgres", "SELECT to_tsvector(c_name) @@ to_tsquery('a') FROM customer", {"customer"}),
        (
            "postgres",
            "SELECT e.value FROM orders o, customer c, jsonb_each(c.c_name::jsonb) e",
            {"orders", "customer"},
        ),
        (
            "postgres",
            "WITH item AS (SELECT o_id FROM orders) SELECT jsonb_agg(o_id) FROM item",
            {"orders"},
        ),
        ("mysql", "SELECT c_id FROM customer WHERE MATCH (c_name) AGAINST ('x')", {"customer"}),
        ("mysql", "SELECT JSON_OVERLAPS(c_name, '[1]') FROM customer", {"customer"}),
        ("mysql", "SELECT nosuchfunc(c_id), @a := 1 FROM customer", {"customer"}),
        (
            "mysql",
            "SELECT @n := @n + 1 AS n, c_id FROM customer, (SELECT @n := 0) r",
            {"customer"},
        ),
        ("mysql", "SELECT c_id FROM customer WHERE c_name = @`my name`", {"customer"}),
        ("mysql", "SELECT @@sql_mode, c_id FROM customer", {"customer"}),
    ],
)
def test_a_statement_that_duckdb_cannot_answer_is_passed_through_for_its_tables(
    dialect: str, sql: str, tables: set[str]
):
    for catalog in (with_data(), shop()):
        found = read(sql, dialect, catalog)
        assert (found.skipped, found.footprints) == ((), ())
        (passed,) = found.passed_through
        assert (passed.tables, passed.dialect) == (tables, dialect)
        assert passed.footprint.executions == 3
        assert passed.reason


def test_what_writes_with_such_a_query_counts_for_the_table_that_it_writes():
    sql = "INSERT INTO item SELECT jsonb_object_length(c_name) FROM customer"
    (passed,) = read(sql).passed_through
    assert (passed.tables, passed.footprint.writes) == ({"customer"}, {"item"})


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT c_ident FROM customer WHERE c_name::jsonb ? 'vip'",
        "SELECT c_id FROM custommer WHERE c_name::jsonb ? 'vip'",
        "SELECT pg_read_file('/etc/passwd') FROM customer WHERE c_name::jsonb ? 'vip'",
        "SELECT c_id FROM customer WHERE c_name::jsonb ? = 'vip'",
        "SELECT o.c_id FROM customer, orders o",
        "SELECT customer.c_id FROM customer c",
        "SELECT c_id FROM customer, customer c",
        "SELECT c_id FROM customer WHERE foo 'x'",
    ],
)
def test_a_statement_that_its_own_server_would_refuse_too_is_not_understood(sql: str):
    found = read(sql)
    assert found.passed_through == ()
    (skipped,) = found.skipped
    assert skipped.kind == "invalid"


def test_statements_of_other_dialects_are_passed_through_to_nobody():
    for dialect in ("duckdb", "spark", "trino"):
        assert passed_through(query(JSONB), with_data(), dialect, "why") is None


def test_a_text_that_does_not_parse_is_taken_from_a_server_that_ran_it():
    sql = "SELECT o_id FROM orders WHERE o_id IS NORMALIZED NFC ??? 3"
    assert passed_through(query(sql), shop(), "postgres", "why") is None
    passed = passed_through(query(sql, latency_s=0.1), shop(), "postgres", "why")
    assert passed is not None
    assert passed.tables == {"orders"}


def test_a_text_with_a_value_of_a_type_that_is_not_known_is_passed_through():
    (passed,) = read(
        "SELECT o_id FROM orders WHERE point(o_id, 1) <@ box '((0,0),(5,5))'"
    ).passed_through
    assert passed.tables == {"orders"}


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT extract(year FROM d) FROM a JOIN s.b ON a.x IS DISTINCT FROM b.y", ["a", "s.b"]),
        ("SELECT 1 FROM (a CROSS JOIN b), ONLY c, (SELECT 1 FROM d) e, f(g) h", list("abcd")),
        (
            "WITH a(x) AS MATERIALIZED (SELECT 1 FROM b) SELECT trim(both FROM x) FROM a, c",
            ["b", "a", "c"],
        ),
        ("SELECT 1 FROM a WHERE x IN (SELECT y FROM b, c) ORDER BY 1, d", ["a", "b", "c"]),
        ("SELECT 1 FROM a, (VALUES (1), (2)) v, unnest(array[1, 2]) u", ["a"]),
    ],
)
def test_tables_are_found_by_the_tokens_of_a_text(sql: str, names: list[str]):
    found = named_relations(tokens_of(query(sql), "postgres"))
    assert [".".join(filter(None, (each.schema, each.name))) for each in found] == names
    assert [sql[each.start : each.end] for each in found] == names


def test_a_statement_that_reads_what_no_copy_has_is_told_so():
    customer = replace(with_data().tables["customer"], left_out={"photo": "BLOB"})
    catalog = replace(with_data(), tables={**with_data().tables, "customer": customer})
    (passed,) = read("SELECT photo FROM customer WHERE c_id = 1", catalog=catalog).passed_through
    assert passed.uncopied == ("photo",)
    assert "photo" in passed.reason
    (whole,) = read(JSONB, catalog=catalog).passed_through
    assert whole.uncopied == ()


WHERE = "FROM customer WHERE c_name::jsonb ? 'a'"


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("postgres", rf"SELECT E'a' '\'' , pg_read_file('/etc/passwd') --' {WHERE}"),
        ("postgres", f"SELECT E'a'\n'b' {WHERE}"),
        ("postgres", rf"SELECT E'\' , 1 --' {WHERE}"),
        ("postgres", f"SELECT $a$ x $a$ {WHERE}"),
        ("postgres", rf"""SELECT U&"pg_read\005ffile"('/etc/passwd') {WHERE}"""),
        ("postgres", f"SELECT table_to_xml('pg_authid', true, true, '') {WHERE}"),
        ("postgres", f"SELECT pg_switch_wal() {WHERE}"),
        ("postgres", f"SELECT \"set_config\"('a.b', 'c', false) {WHERE}"),
        ("postgres", f"SELECT lo_unlink(1) {WHERE}"),
        ("mysql", "SELECT get_lock('a', 1) FROM customer WHERE MATCH (c_name) AGAINST ('x')"),
        (
            "mysql",
            "SELECT load_file('/etc/passwd') FROM customer WHERE MATCH (c_name) AGAINST ('x')",
        ),
    ],
)
def test_a_text_that_may_do_more_than_was_seen_is_not_passed_through(dialect: str, sql: str):
    with pytest.raises(SqlError):
        as_checked(query(sql), dialect)
    (skipped,) = read(sql, dialect).skipped
    assert skipped.kind == "invalid"


@pytest.mark.parametrize(
    "sql",
    [
        "WITH a AS (SELECT 1 FROM item), item AS (SELECT 1 FROM orders) SELECT 1 FROM a, item",
        "SELECT count(*) OVER item FROM item, orders WINDOW item AS (ORDER BY o_id)",
        "SELECT 1 FROM orders WHERE o_id IN (TABLE item)",
    ],
)
def test_a_text_whose_tables_the_tokens_do_not_tell_is_not_passed_through(sql: str):
    typed = f"SELECT * FROM ({sql}) x WHERE point(1, 1) <@ box '((0,0),(5,5))'"
    assert passed_through(query(typed, latency_s=1.0), with_data(), "postgres", "why") is None
    of_cte = "WITH x AS (SELECT 1 FROM item) SELECT 1 FROM x, orders WHERE p <@ box '(0,0)'"
    passed = passed_through(query(of_cte), with_data(), "postgres", "why")
    assert passed is not None
    assert passed.tables == {"item", "orders"}


def test_why_a_statement_is_not_passed_through_is_said_too():
    (skipped,) = read(f"SELECT pg_switch_wal() {WHERE}").skipped
    assert "the operator ? is PostgreSQL's; and pg_switch_wal() is in none" in skipped.reason


@pytest.mark.parametrize(
    ("dialect", "sql", "said"),
    [
        (
            "postgres",
            "SELECT o.o_id::text::jsonb @> '1' FROM orders o WHERE o_id = $1",
            "parameters",
        ),
        (
            "postgres",
            "SELECT o.o_id::text::jsonb @> '1' FROM orders o WHERE o_id = ?",
            "parameters",
        ),
        (
            "postgres",
            "SELECT o.o_id::text::jsonb @> '1' FROM orders o WHERE o_id IN (?, ?)",
            "parameters",
        ),
        ("mysql", "SELECT JSON_OVERLAPS(c_name, ?) FROM customer", "parameters"),
        (
            "postgres",
            "SELECT o.o_id::text::jsonb @> '1' FROM orders o TABLESAMPLE SYSTEM (1)",
            "TABLESAMPLE",
        ),
        ("postgres", "SELECT ctid FROM orders o WHERE o.o_id::text::jsonb @> '1'", "ctid"),
        ("postgres", "SELECT o.xmin FROM orders o WHERE o.o_id::text::jsonb @> '1'", "xmin"),
        (
            "postgres",
            "SELECT o.o_id::text::jsonb @> '1' FROM orders o ORDER BY random() LIMIT 3",
            "random()",
        ),
        ("mysql", "SELECT JSON_OVERLAPS(c_name, '[1]') FROM customer ORDER BY RAND()", "rand()"),
        ("mysql", "SELECT JSON_OVERLAPS(c_name, 'a') FROM customer PARTITION (p1)", "partition"),
        ("postgres", JSONB, ""),
        ("postgres", "SELECT c_name::jsonb ?| '{a}', 'random()' AS \"rand\" FROM customer", ""),
        ("mysql", "SELECT JSON_OVERLAPS(c_name, '?') AS ctid FROM customer", ""),
    ],
)
def test_what_a_copy_answers_otherwise_is_not_run_there(dialect: str, sql: str, said: str):
    (passed,) = read(sql, dialect).passed_through
    assert said in passed.incomparable
    assert bool(said) == bool(passed.incomparable)


@pytest.mark.parametrize(
    ("sql", "moment"),
    [
        (
            "SELECT o_id::text::jsonb @> '1' FROM orders WHERE o_day < now() - interval '1 day'",
            "now()",
        ),
        (
            "SELECT o.o_id::text::jsonb @> '1' FROM orders o WHERE o_day < CURRENT_DATE",
            "current_date",
        ),
        ("SELECT o.o_id::text::jsonb @> '1' AS now, 'now()' FROM orders o", ""),
    ],
)
def test_the_moment_on_which_an_answer_depends_is_told(sql: str, moment: str):
    (passed,) = read(sql).passed_through
    assert (passed.moment, passed.incomparable) == (moment, "")


def test_a_text_of_any_digits_is_a_number_on_its_server_alone():
    found = read("SELECT c_id FROM customer WHERE c_name::numeric > 1", "postgres")
    assert [each.reason for each in found.passed_through] == [
        "NUMERIC of a text: say its digits, as in NUMERIC(20, 4)"
    ]
    digits = "1234567890123456789012.34567891"
    exact = read(f"SELECT numeric '{digits}' AS n FROM customer", "postgres")
    (query,) = exact.workload.queries
    text = meant(query, exact.catalog, "postgres")
    assert f"CAST('{digits}' AS DECIMAL(30, 8))" in text
    with closing(duckdb.connect()) as connection:
        (value,) = connection.execute(f"SELECT CAST('{digits}' AS DECIMAL(30, 8))").fetchone()
    assert value == Decimal(digits)
