"""Filters that move to what they restrict: each with its answer, and with what must not move."""

import duckdb
import pytest

from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.sql.canonical.rules import canonical

DATA = """
CREATE TABLE customer AS SELECT i AS c_id, 'n' || (i % 4) AS c_name FROM range(8) t(i);
CREATE TABLE orders AS SELECT i AS o_id, CASE WHEN i % 7 = 0 THEN NULL ELSE i % 6 END AS o_customer,
    DATE '2000-01-01' + i::INT AS o_day, CAST(i AS DECIMAL(9,2)) AS o_total FROM range(20) t(i);
CREATE TABLE item AS SELECT i % 15 AS i_order, i AS i_line, CAST(i % 5 AS DECIMAL(9,2)) AS i_price
    FROM range(30) t(i);
"""


def rewritten(sql):
    """Return the canonical text of `sql`, once both are seen to give the same rows."""
    text = canonical(statement(sql), shop(), "duckdb").sql("duckdb")
    with duckdb.connect(":memory:") as connection:
        connection.execute(DATA)
        expected, found = (connection.execute(each).fetchall() for each in (sql, text))
    assert expected
    assert sorted(map(str, found)) == sorted(map(str, expected))
    return text


def test_an_or_restricts_each_of_its_relations():
    text = rewritten(
        "SELECT c_id, o_id FROM customer, orders WHERE c_id = o_customer AND "
        "((c_name = 'n1' AND o_total > 3) OR (c_name = 'n2' AND o_total > 10))"
    )
    assert "(customer.c_name = 'n1' OR customer.c_name = 'n2')" in text
    assert "(orders.o_total > 3 OR orders.o_total > 10)" in text


@pytest.mark.parametrize(
    "arms",
    [
        "(c_name = 'n1' AND o_total > 3) OR o_total > 10",
        "(c_name = 'n1' AND o_total > 3) OR (c_name = 'n2' AND o_total > (SELECT 10))",
        "(c_name = 'n1' AND o_total > random() - 1) OR (c_name = 'n2' AND o_total > random() - 1)",
    ],
)
def test_an_or_restricts_no_relation_that_an_arm_leaves_open(arms):
    text = rewritten(
        f"SELECT c_id, o_id FROM customer, orders WHERE c_id = o_customer AND ({arms})"
    )
    assert text.count("c_name = 'n1'") == 1


def test_operands_of_sets_are_distinct():
    for operator in ("UNION", "INTERSECT", "EXCEPT"):
        text = rewritten(
            f"SELECT c_id FROM customer {operator} SELECT o_customer FROM orders WHERE o_id > 17"
        )
        assert text.count("SELECT DISTINCT") == 2


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT c_id FROM customer UNION ALL SELECT o_customer FROM orders",
        (
            "SELECT c_id FROM customer GROUP BY c_id INTERSECT "
            "(SELECT o_customer FROM orders ORDER BY o_id LIMIT 5)"
        ),
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION SELECT i + 1 FROM n WHERE i < 4) SELECT i FROM n",
    ],
)
def test_duplicates_stay_where_they_count_or_cannot_be_many(sql):
    assert "DISTINCT" not in rewritten(sql)


YEARLY = """
WITH totals AS (
    SELECT 'o' AS kind, o_customer AS id, o_id % 4 AS part, sum(o_total) AS total FROM orders
    GROUP BY o_customer, o_id % 4
    UNION ALL SELECT 'i', i_order, i_line % 4, sum(i_price) FROM item GROUP BY i_order, i_line % 4
)
"""


def test_a_cte_is_asked_for_what_any_reader_wants():
    text = rewritten(
        f"{YEARLY} SELECT a.id, b.total FROM totals a, totals b WHERE a.id = b.id "
        "AND a.kind = 'o' AND b.kind = 'i' AND a.part = 1 AND b.part = 2 AND a.total > 1"
    )
    first, second = text.split("UNION ALL")
    assert "WHERE (orders.o_id % 4) = 1 GROUP BY" in first
    assert "WHERE (item.i_line % 4) = 2 GROUP BY" in second
    assert "orders.o_total > 1" not in text


@pytest.mark.parametrize(
    "reading",
    [
        # A reader that wants all of it.
        "SELECT a.id, b.total FROM totals a, totals b WHERE a.id = b.id AND a.part = 1",
        # An aggregate is known after groups are made.
        "SELECT a.id FROM totals a WHERE a.total > 20",
        # The side of an outer join that may be missing.
        (
            "SELECT c_id, a.part FROM customer LEFT JOIN totals a ON a.id = c_id "
            "WHERE a.part = 1 OR a.part IS NULL"
        ),
        "SELECT a.id FROM totals a WHERE a.part = (SELECT 1)",
    ],
)
def test_a_cte_is_not_asked_for_less_than_its_readers_want(reading):
    before = rewritten(f"{YEARLY} SELECT id, part FROM totals").split(")\n")[0]
    head = before.split("SELECT totals")[0]
    assert rewritten(YEARLY + reading).startswith(head)


def test_what_a_left_join_adds_is_asked_for_what_its_condition_wants():
    text = rewritten(
        f"{YEARLY} SELECT c.c_id, a.total FROM (SELECT * FROM customer) c LEFT JOIN totals a "
        "ON a.id = c.c_id AND a.part = 1 WHERE c.c_id < 5"
    )
    first, second = text.split("UNION ALL")
    assert "WHERE (orders.o_id % 4) = 1 GROUP BY" in first
    assert "(item.i_line % 4) = 1" in second
    assert "FROM customer AS customer WHERE customer.c_id < 5)" in second


@pytest.mark.parametrize("equal", ["c_id = 3", "3 = c_id"])
@pytest.mark.parametrize("join", ["LEFT JOIN", "JOIN", "SEMI JOIN", "ANTI JOIN"])
def test_a_number_that_a_column_is_is_that_of_columns_equal_to_it(equal, join):
    totals = "SELECT o_customer AS id, sum(o_total) AS total FROM orders GROUP BY o_customer"
    text = rewritten(
        f"SELECT c_name FROM customer {join} ({totals} UNION ALL SELECT 9, 9) a "
        f"ON a.id = c_id {'AND a.total < 0' if join == 'ANTI JOIN' else ''} WHERE {equal}"
    )
    assert "WHERE orders.o_customer = 3 GROUP BY" in text


@pytest.mark.parametrize(
    ("join", "where"),
    [
        ("LEFT JOIN totals a ON a.id = c_id AND c_name = 'n1'", "c_name = 'n1' AND c_id > 0"),
        ("LEFT JOIN totals a ON a.id < c_id", "c_id = 3"),
        ("LEFT JOIN totals a ON a.id = c_id", "c_id = 3 OR c_id = 4"),
        ("LEFT JOIN totals a ON a.id = c_id + 1", "c_id = 3"),
        ("FULL JOIN totals a ON a.id = c_id AND a.part = 1", "c_id = 3"),
        ("RIGHT JOIN totals a ON a.id = c_id AND a.part = 1", "a.total > 1"),
        ("LEFT JOIN totals a ON a.id::VARCHAR = c_id::VARCHAR", "c_id::VARCHAR = '3'"),
    ],
)
def test_other_conditions_of_joins_move_nothing(join, where):
    head = rewritten(f"{YEARLY} SELECT id, part FROM totals").split("SELECT totals")[0]
    text = rewritten(f"{YEARLY} SELECT c_id, a.total FROM customer {join} WHERE {where}")
    assert text.startswith(head)


@pytest.mark.parametrize(
    "inner",
    [
        "SELECT o_customer AS id, o_total AS t FROM orders ORDER BY o_id LIMIT 12",
        "SELECT o_customer AS id, rank() OVER (ORDER BY o_id) AS t FROM orders",
        "SELECT o_customer AS id, sum(o_total) AS t FROM orders GROUP BY ROLLUP (o_customer)",
        "SELECT count(*) AS id, 1 AS t FROM orders",
        "(SELECT o_customer AS id, o_total AS t FROM orders ORDER BY o_id) LIMIT 12",
        (
            "SELECT DISTINCT ON (o_id % 3) o_customer AS id, o_total AS t FROM orders "
            "ORDER BY o_id % 3, o_id"
        ),
        "SELECT 7 AS id, 1 AS t FROM orders HAVING count(*) > 3",
    ],
)
def test_limits_windows_rollups_and_lone_aggregates_see_all_rows(inner):
    wanted = "d.id IS NULL OR d.id > 2"
    text = rewritten(f"SELECT id, t FROM ({inner}) AS d WHERE {wanted}")
    assert text.count("IS NULL OR") + text.count("> 2") <= 2
    named = rewritten(f"WITH d AS ({inner}) SELECT id, t FROM d WHERE {wanted}")
    assert named.count("> 2") == 1


def test_a_derived_table_is_asked_for_what_its_reader_wants():
    text = rewritten(
        "SELECT id, t FROM (SELECT id, t FROM (SELECT o_customer AS id, max(o_total) AS t "
        "FROM orders GROUP BY o_customer) AS e) AS d WHERE d.id > 2 AND d.t < 18"
    )
    assert "WHERE orders.o_customer > 2 GROUP BY" in text
    assert "orders.o_total < 18" not in text


def test_a_left_join_whose_missing_rows_are_dropped_is_inner():
    text = rewritten(
        "SELECT o_id, i_line FROM orders LEFT JOIN item ON i_order = o_id, customer "
        "WHERE i_line = c_id"
    )
    assert "LEFT" not in text
    chain = rewritten(
        "SELECT c_id, i_line FROM customer LEFT JOIN orders ON o_customer = c_id "
        "LEFT JOIN item ON i_order = o_id WHERE i_price > 1"
    )
    assert "LEFT" not in chain


@pytest.mark.parametrize(
    "where",
    [
        "i_price IS NULL OR i_price > 2",
        "coalesce(i_price, 9) > 2",
        "i_price IS NULL",
        "o_total > 3 AND i_line IS DISTINCT FROM 4",
        "CASE WHEN i_price IS NULL THEN 1 ELSE 0 END = 1",
    ],
)
def test_a_left_join_whose_missing_rows_may_stay_is_left(where):
    text = rewritten(
        f"SELECT o_id, i_line FROM orders LEFT JOIN item ON i_order = o_id WHERE {where}"
    )
    assert "LEFT" in text


def test_what_an_anti_join_compares_may_be_missing():
    text = rewritten(
        "SELECT o_id, i_line FROM orders LEFT JOIN item ON i_order = o_id "
        "ANTI JOIN customer ON i_line = c_id WHERE o_id > 2"
    )
    assert "LEFT" in text
