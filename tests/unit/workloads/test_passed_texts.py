"""The text that is passed through to a server: what is replaced, left out and kept."""

from dataclasses import replace

import pytest

from tests.catalogs import shop
from tests.unit.workloads.passing import COPIES, query, read, with_data
from workloads.catalog import View
from workloads.sql.parsing.as_checked import as_checked
from workloads.sql.passing_through import passed_through, text_over


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        (
            "SELECT orders.o_id FROM orders WHERE orders.o_id = 1",
            'SELECT orders.o_id FROM "copies"."orders" AS orders WHERE orders.o_id = 1',
        ),
        (
            "SELECT 1 FROM public.orders o, public.item WHERE public.item.i_line = 1",
            'SELECT 1 FROM "copies"."orders" o, "copies"."item" AS item WHERE item.i_line = 1',
        ),
        (
            'WITH orders AS (SELECT * FROM "orders") SELECT o_id FROM orders',
            'WITH orders AS (SELECT * FROM "copies"."orders" AS "orders") SELECT o_id FROM orders',
        ),
        (
            "SELECT 1 FROM item WHERE point(i_id, 1) <@ box '(0,0)'",
            'SELECT 1 FROM "copies"."item" AS item WHERE point(i_id, 1) <@ box \'(0,0)\'',
        ),
    ],
)
def test_only_the_names_of_tables_are_replaced(sql: str, written: str):
    assert text_over(query(sql), "postgres", shop(), COPIES) == written


def test_a_view_is_written_as_its_query():
    view = View(name="recent", sql="SELECT o_id FROM orders", dialect="postgres")
    catalog = replace(with_data(), views={"recent": view})
    sql = "SELECT jsonb_agg(o_id) FROM recent"
    (passed,) = read(sql, catalog=catalog).passed_through
    assert passed.tables == {"orders"}
    assert text_over(query(sql), "postgres", catalog, COPIES) == (
        'SELECT jsonb_agg(o_id) FROM (SELECT o_id FROM "copies"."orders" AS orders) AS recent'
    )


def test_comments_and_hints_are_not_sent():
    sql = (
        "SELECT /*+ SET_VAR(sql_mode='') */ c_id /*!50000 , load_file('/x') */ -- FROM x\n"
        "FROM customer WHERE MATCH (c_name) AGAINST ('/* x */') /*M! INTO OUTFILE '/x' */;"
    )
    passed = passed_through(query(sql), with_data(), "mysql", "why")
    assert passed is not None
    sent = "SELECT c_id FROM customer WHERE MATCH (c_name) AGAINST ('/* x */')"
    assert passed.query.sql.split() == sent.split()
    assert len(passed.query.sql) == len(sql)


def test_parameters_stay_and_locks_are_not_sent():
    sql = (
        "SELECT c_id FROM customer WHERE c_name::jsonb @> $1 AND c_id > $12 FOR UPDATE OF customer"
    )
    passed = passed_through(query(sql), with_data(), "postgres", "why")
    assert passed is not None
    assert passed.query.sql.rstrip() == sql.partition(" FOR UPDATE")[0]
    limited = as_checked(query(f"{sql} LIMIT 3"), "postgres")
    assert limited.sql.split() == f"{passed.query.sql} LIMIT 3".split()


def test_a_view_keeps_the_names_of_its_columns_and_may_be_of_no_other_sql():
    view = View(name="recent", sql="SELECT o_id FROM orders", dialect="postgres", columns=("a b",))
    catalog = replace(with_data(), views={"recent": view})
    sql = "SELECT jsonb_agg(r) FROM recent r"
    (passed,) = read(sql, catalog=catalog).passed_through
    assert text_over(passed.query, "postgres", catalog, COPIES) == (
        'SELECT jsonb_agg(r) FROM (SELECT * FROM (SELECT o_id FROM "copies"."orders" AS orders) '
        'AS named ("a b")) r'
    )
    other = replace(catalog, views={"recent": replace(view, dialect="mysql")})
    assert passed_through(query(sql), other, "postgres", "why") is None


CARRIED = {"orders": '(SELECT o_id FROM "copies"."orders")'}


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        ("SELECT 1 FROM ONLY orders", f"SELECT 1 FROM {CARRIED['orders']} AS orders"),
        (
            "SELECT 1 FROM only\n public.orders o, ONLY orders",
            f"SELECT 1 FROM {CARRIED['orders']} o, {CARRIED['orders']} AS orders",
        ),
    ],
)
def test_only_is_left_out_before_a_copy(sql: str, written: str):
    assert text_over(query(sql), "postgres", shop(), CARRIED) == written


@pytest.mark.parametrize(
    ("dialect", "sql", "sent"),
    [
        (
            "postgres",
            "SELECT x.a FROM (SELECT 1 a FROM orders FOR UPDATE OF orders SKIP LOCKED) x",
            "SELECT x.a FROM (SELECT 1 a FROM orders ) x",
        ),
        (
            "postgres",
            "WITH w AS (SELECT 1 FROM orders FOR NO KEY UPDATE LIMIT 2) TABLE w FOR KEY SHARE",
            "WITH w AS (SELECT 1 FROM orders LIMIT 2) TABLE w",
        ),
        (
            "postgres",
            "SELECT substring('abc' FROM 1 FOR share) FROM orders",
            "SELECT substring('abc' FROM 1 FOR share) FROM orders",
        ),
        (
            "mysql",
            "SELECT 1 FROM orders o USE INDEX FOR ORDER BY (a, b) JOIN item FORCE KEY (c) ON 1",
            "SELECT 1 FROM orders o JOIN item ON 1",
        ),
        (
            "mysql",
            "SELECT 1 FROM (SELECT 1 FROM item IGNORE INDEX (`x y`) LOCK IN SHARE MODE) x",
            "SELECT 1 FROM (SELECT 1 FROM item ) x",
        ),
        (
            "mysql",
            "SELECT `use`, `index` FROM orders WHERE `force` = 'USE INDEX (a)' FOR UPDATE",
            "SELECT `use`, `index` FROM orders WHERE `force` = 'USE INDEX (a)'",
        ),
    ],
)
def test_locks_and_index_hints_are_not_sent_at_any_depth(dialect: str, sql: str, sent: str):
    checked = as_checked(query(sql), dialect)
    assert checked.sql.split() == sent.split()
    assert len(checked.sql) == len(sql)


def test_variables_of_mysql_are_sent_as_they_are_written():
    sql = "SELECT @n := @n + 1 AS n, c_id FROM customer, (SELECT @n := 0) r WHERE c_id <> @`a b`"
    (passed,) = read(sql, "mysql").passed_through
    assert passed.reason == "@n is a variable, whose value the session has"
    copies = {"customer": "`copies`.`customer`"}
    assert text_over(passed.query, "mysql", with_data(), copies) == sql.replace(
        "FROM customer", "FROM `copies`.`customer` AS customer"
    )
    for text in ("SELECT @@version_comment LIMIT 1", "SELECT @a := 1", "SELECT @a FROM dual"):
        assert [each.kind for each in read(text, "mysql").skipped] == ["session"]
    (write,) = read("DELETE FROM customer WHERE c_id = @a", "mysql").passed_through
    assert write.footprint.writes == {"customer"}
