"""The computed columns of a fragment are cast to the types that DuckDB gives them."""

import duckdb
import pytest
from sqlglot import exp, parse_one

from evaluation.federation.result_types import NULL_TYPE, TypeOracle, cast_results
from evaluation.federation.rewrites.named_outputs import named_outputs
from tests.catalogs import shop
from workloads.errors import SqlError


def test_a_subquery_that_was_named_anew_is_cast_without_its_name():
    tree = parse_one("SELECT (SELECT max(x) FROM d) AS a FROM n", read="duckdb")
    assert isinstance(tree, exp.Query)
    cast = cast_results(named_outputs(tree, ("A",)), ("INTEGER",), "duckdb")
    assert cast.sql("duckdb") == "SELECT CAST((SELECT MAX(x) FROM d) AS BIGINT) AS A FROM n"


def _parsed(sql: str) -> exp.Query:
    tree = parse_one(sql, read="duckdb")
    assert isinstance(tree, exp.Query)
    return tree


@pytest.mark.parametrize(
    "rewritten", ["SELECT CAST(o_id AS TEXT) AS x FROM orders", "SELECT q.o_id AS x FROM orders"]
)
def test_what_a_statement_is_rewritten_to_has_its_types(rewritten: str):
    oracle = TypeOracle(shop())
    oracle.check(_parsed("SELECT orders.o_id AS x FROM orders"), "SELECT o_id AS x FROM orders")
    with pytest.raises(SqlError):
        oracle.check(_parsed(rewritten), "SELECT o_id AS x FROM orders")


def test_what_a_statement_is_cut_into_has_its_types():
    oracle = TypeOracle(shop())
    views = {"one": [("a", "INTEGER"), ("b", NULL_TYPE)]}
    oracle.check_combining(
        _parsed("SELECT a, upper(b) AS u FROM one"), views, ("INTEGER", "VARCHAR")
    )
    for sql in ("SELECT a, b FROM one", "SELECT a, c FROM one", "SELECT a FROM one"):
        with pytest.raises(SqlError):
            oracle.check_combining(_parsed(sql), views, ("INTEGER", "VARCHAR"))


def test_null_without_a_type_is_told_from_a_number():
    oracle = TypeOracle(shop())
    tree = _parsed("SELECT NULL AS a, o_id AS b, CAST(NULL AS INTEGER) AS c FROM orders")
    types = ("INTEGER", "INTEGER", "INTEGER")
    assert oracle.with_nulls(tree, types) == (NULL_TYPE, "INTEGER", "INTEGER")


@pytest.mark.parametrize("operation", ["UNION ALL", "UNION", "EXCEPT"])
def test_columns_of_a_set_operation_that_have_one_name_are_told_apart(operation):
    sql = f"SELECT a.k, b.k FROM a JOIN b ON a.x = b.x {operation} SELECT k, x FROM c ORDER BY 1"
    cast = cast_results(_parsed(sql), ("INTEGER", "HUGEINT"), "duckdb")
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE a AS SELECT 1 AS k, 5 AS x")
        connection.execute("CREATE TABLE b AS SELECT 7 AS k, 5 AS x")
        connection.execute("CREATE TABLE c AS SELECT 2 AS k, 3 AS x")
        right = connection.execute(sql).fetchall()
        assert connection.execute(cast.sql("duckdb")).fetchall() == right
    assert right[0] == (1, 7)
