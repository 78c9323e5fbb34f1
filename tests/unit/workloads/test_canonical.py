import duckdb
import pytest

from evaluation.judging.oracle import Oracle
from tests.answers import differ, refused
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql.canonical.rules import canonical
from workloads.workload import Query, Workload


def test_all_99_queries_mean_the_same_in_canonical_form(
    tiny: Catalog, queries: Workload, tiny_oracle: Oracle
):
    wrong = {}
    for query in queries.queries:
        rewritten = canonical(query, tiny, queries.dialect).sql("duckdb")
        again = Query(name=f"{query.name} canonical", sql=rewritten, origin=query.origin)
        found = refused(tiny_oracle, query, tiny_oracle.answer(again))
        if found is not None:
            wrong[query.name] = found
    assert wrong == {}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT c_name, (SELECT max(o_total) FROM orders WHERE o_customer = c_id) FROM customer",
        "SELECT c_name FROM customer WHERE c_id IN (SELECT o_customer FROM orders)",
        (
            "SELECT c_name FROM customer WHERE c_id NOT IN "
            "(SELECT o_customer FROM orders WHERE o_customer IS NOT NULL)"
        ),
        (
            "SELECT c_name FROM customer c WHERE NOT EXISTS "
            "(SELECT 1 FROM orders o WHERE o.o_customer = c.c_id AND o.o_total > 15)"
        ),
        (
            "SELECT c_name AS n, count(*) AS k FROM customer, orders WHERE c_id = o_customer "
            "GROUP BY c_name ORDER BY CASE WHEN k > 1 THEN n END, k LIMIT 3"
        ),
        (
            "SELECT c_name, o_total FROM customer, orders LEFT JOIN item ON o_id = i_order "
            "WHERE c_id = o_customer AND (i_price IS NULL OR i_price > 2)"
        ),
    ],
)
def test_rewrites_keep_the_answer(sql: str):
    connection = duckdb.connect(":memory:")
    connection.execute(
        "CREATE TABLE customer AS SELECT i AS c_id, 'n' || (i % 4) AS c_name FROM range(8) t(i);"
        "CREATE TABLE orders AS SELECT i AS o_id, CASE WHEN i % 7 = 0 THEN NULL ELSE i % 6 END AS "
        "o_customer, DATE '2000-01-01' + i::INT AS o_day, CAST(i AS DECIMAL(9,2)) AS o_total "
        "FROM range(20) t(i);"
        "CREATE TABLE item AS SELECT i % 15 AS i_order, i AS i_line, CAST(i % 5 AS DECIMAL(9,2)) "
        "AS i_price FROM range(30) t(i)"
    )
    rewritten = canonical(statement(sql), shop(), "duckdb").sql("duckdb")
    assert connection.execute(sql).fetchone()
    assert differ(connection, sql, rewritten) is None


def test_columns_are_never_merged_with_those_of_tables_before_a_comma():
    sql = "SELECT * FROM orders a, orders b JOIN orders c USING (o_id)"
    with pytest.raises(SqlError, match="USING or NATURAL JOIN behind a comma"):
        canonical(statement(sql), shop(), "duckdb")


@pytest.mark.parametrize(
    ("sql", "end"),
    [
        ("FROM item ORDER BY ALL LIMIT 2", "ORDER BY 1, 2, 3 LIMIT 2"),
        (
            "SELECT c_id FROM customer UNION SELECT o_id FROM orders ORDER BY ALL DESC",
            "BY c_id DESC",
        ),
    ],
)
def test_order_by_all_names_the_columns_of_stars_and_set_operations(sql: str, end: str):
    assert canonical(statement(sql), shop(), "duckdb").sql("duckdb").endswith(end)


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        ("SELECT max(o_total) AS a FROM orders GROUP BY ()", False),
        ("SELECT o_id, max(o_total) AS a FROM orders GROUP BY o_id, ()", False),
        ("SELECT 1 AS a FROM orders GROUP BY ()", True),
    ],
)
def test_an_empty_set_of_keys_is_written_where_it_makes_a_group(sql, written):
    form = canonical(statement(sql), shop(), "duckdb").sql("duckdb")
    assert form.endswith("GROUP BY ()") is written
    assert "()" not in form.removesuffix("GROUP BY ()")
