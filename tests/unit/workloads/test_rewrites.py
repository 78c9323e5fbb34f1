"""Canonical form never changes an answer: both texts run in DuckDB on the same small tables."""

import random
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from sqlglot import exp

from evaluation.installation.artifacts import cache_folder
from evaluation.judging.oracle import Oracle
from tests.answers import differ, refused
from tests.catalogs import shop
from tests.data_fixtures import statement
from tests.unit.workloads.rewritten import kept, one_line, rewritten
from workloads.benchmarks import tpch
from workloads.errors import SqlError
from workloads.progress import Silent
from workloads.sql.canonical.rules import canonical
from workloads.workload import Query

# Duplicates, NULLs in every column that is compared, keys without partners, a tie in every order.
DATA = """
CREATE TABLE customer AS SELECT CASE WHEN i = 5 THEN NULL ELSE i END AS c_id,
    CASE WHEN i % 3 = 2 THEN NULL ELSE 'n' || (i % 4) END AS c_name FROM range(8) t(i);
CREATE TABLE orders AS SELECT i AS o_id, CASE WHEN i % 7 = 0 THEN NULL ELSE i % 6 END AS o_customer,
    DATE '2000-01-01' + (i % 9)::INT AS o_day,
    CASE WHEN i % 5 = 4 THEN NULL ELSE CAST(i % 11 AS DECIMAL(9,2)) END AS o_total
    FROM range(20) t(i);
CREATE TABLE item AS SELECT CASE WHEN i % 13 = 0 THEN NULL ELSE i % 15 END AS i_order, i AS i_line,
    CAST(i % 5 AS DECIMAL(9,2)) AS i_price FROM range(30) t(i);
"""


KEPT = tuple(kept())


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect(":memory:")
    connection.execute(DATA)
    yield connection
    connection.close()


def check(database: duckdb.DuckDBPyConnection, sql: str) -> int:
    """Compare the answers of a query and of its canonical form; return the rows."""
    form = rewritten(sql)
    found = differ(database, sql, form)
    assert found is None, f"{sql}\n{form}\n{found}"
    return len(database.execute(sql).fetchall())


@pytest.mark.parametrize(("sql", "form"), KEPT)
def test_rewrites_keep_the_answer(database: duckdb.DuckDBPyConnection, sql: str, form: str):
    check(database, sql)
    assert one_line(rewritten(sql)) == form


def test_all_22_tpch_queries_mean_the_same_in_canonical_form():
    catalog = tpch.generate(0.01, Path(cache_folder()), Silent())
    oracle = Oracle(catalog)
    wrong = {}
    for query in tpch.queries("all").queries:
        rewritten = canonical(query, catalog, "duckdb").sql("duckdb")
        again = Query(name=f"{query.name} canonical", sql=rewritten, origin=query.origin)
        found = refused(oracle, query, oracle.answer(again))
        if found is not None:
            wrong[query.name] = found
    assert wrong == {}


INNER = {
    "any": "orders",
    "none": "(SELECT * FROM orders WHERE o_id < 0)",
    "no nulls": "(SELECT * FROM orders WHERE o_customer IS NOT NULL AND o_total IS NOT NULL)",
}


def random_subquery(draw: random.Random) -> str:
    """A condition on customer `c` that has a subquery over orders."""
    table = f"{draw.choice(list(INNER.values()))} o"
    linked = draw.choice(
        ["", "o.o_customer = c.c_id", "o.o_id = c.c_id + 1", "o.o_total > c.c_id", "c.c_id = 3"]
    )
    filtered = draw.choice(
        [
            "",
            "o.o_total > 4",
            "o.o_day < DATE '2000-01-05'",
            "(o.o_total > 4 OR o.o_id < 9)",
            "(o.o_day < DATE '2000-01-05' OR o.o_total > 2 AND o.o_id < 15)",
            "(o.o_total > 4 OR o.o_id = c.c_id)",
        ]
    )
    where = " AND ".join(filter(None, [linked, filtered]))
    where = f" WHERE {where}" if where else ""
    value = draw.choice(["o_customer", "o_id", "o_id % 4", "o_customer + 1"])
    aggregate = draw.choice(
        ["max(o_customer)", "min(o_total)", "count(*)", "avg(o_id)", "count(o_total)"]
    )
    compare = draw.choice(["=", "<", ">=", "<>"])
    return draw.choice(
        [
            f"EXISTS (SELECT {value} FROM {table}{where})",
            f"c.c_id IN (SELECT {value} FROM {table}{where})",
            f"c.c_id NOT IN (SELECT {value} FROM {table}{where})",
            f"c.c_id = ANY (SELECT {value} FROM {table}{where})",
            f"c.c_id <> ALL (SELECT {value} FROM {table}{where})",
            f"c.c_id {compare} (SELECT {aggregate} FROM {table}{where})",
            f"(SELECT {aggregate} FROM {table}{where}) IS NULL",
            f"coalesce((SELECT {aggregate} FROM {table}{where}), 1) < 3",
        ]
    )


def random_condition(draw: random.Random, depth: int = 2) -> str:
    if depth == 0 or draw.random() < 0.4:
        return draw.choice(
            [random_subquery(draw), random_subquery(draw), "c.c_id < 4", "c.c_name = 'n1'"]
        )
    left, right = (random_condition(draw, depth - 1) for _ in range(2))
    return draw.choice([f"({left} AND {right})", f"({left} OR {right})", f"NOT ({left})"])


def random_query(draw: random.Random) -> str:
    condition = random_condition(draw)
    joined = "SELECT c.c_id, i_line FROM"
    return draw.choice(
        [
            f"SELECT c.c_id, c.c_name FROM customer c WHERE {condition}",
            f"SELECT c.c_name, count(*) FROM customer c WHERE {condition} GROUP BY c.c_name",
            f"SELECT count(*), max(c.c_id) FROM customer c WHERE {condition}",
            f"SELECT c_id, {condition} AS held, CASE WHEN {condition} THEN 1 END FROM customer c",
            f"{joined} customer c JOIN item ON i_order = c.c_id AND {condition}",
            f"{joined} customer c LEFT JOIN item ON i_order = c.c_id WHERE {condition}",
            f"{joined} customer c LEFT JOIN item ON i_order = c.c_id AND {condition}",
            f"{joined} item RIGHT JOIN customer c ON i_order = c.c_id WHERE {condition}",
            f"SELECT DISTINCT c.c_name FROM customer c WHERE {condition} ORDER BY c.c_name",
        ]
    )


@pytest.mark.parametrize("seed", range(10))
def test_random_subqueries_keep_their_answers(database: duckdb.DuckDBPyConnection, seed: int):
    draw = random.Random(seed)
    compared = rows = 0
    while compared < 60:
        sql = random_query(draw)
        try:
            found = check(database, sql)
        except (duckdb.BinderException, duckdb.NotImplementedException):
            with pytest.raises(duckdb.Error):
                database.execute(sql)
            continue
        compared, rows = compared + 1, rows + found
    assert rows > compared


@pytest.mark.parametrize(
    "condition",
    [
        "o_customer = c_id AND (o_total > 4 OR o_id < 9)",
        "(o_customer = c_id AND o_total > 4) OR (c_id = o_customer AND o_id < 9)",
    ],
)
def test_a_filter_with_or_hinders_no_join(database: duckdb.DuckDBPyConnection, condition: str):
    sql = f"SELECT c_id FROM customer WHERE (SELECT count(*) FROM orders WHERE {condition}) > 1"
    assert check(database, sql) > 0
    tree = canonical(statement(sql), shop(), "duckdb")
    (joined,) = tree.args["joins"]
    assert joined.find(exp.Or) is not None
    assert tree.args["where"].find(exp.Query) is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM orders PIVOT (sum(o_total) FOR o_customer IN (1, 2))",
        "PIVOT orders ON o_day USING sum(o_total) GROUP BY o_customer ORDER BY o_customer",
        "UNPIVOT orders ON o_id, o_customer INTO NAME n VALUE v",
    ],
)
def test_what_depends_on_the_data_for_its_columns_is_our_own_error(sql: str):
    with pytest.raises(SqlError, match="PIVOT is not supported: write it with GROUP BY"):
        canonical(statement(sql), shop(), "duckdb")


def test_keys_in_a_parenthesis_are_grouped_by_one_by_one():
    sql = "SELECT o_day, count(*) AS n FROM orders GROUP BY (o_day, o_customer), o_id"
    group = canonical(statement(sql), shop(), "duckdb").args["group"]
    assert [each.name for each in group.expressions] == ["o_day", "o_customer", "o_id"]
