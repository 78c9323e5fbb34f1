"""The order of joins in the combining query: nothing is multiplied that something connects."""

import pytest
import sqlglot
from sqlglot import exp

from evaluation.federation.connected_joins import connected_joins


def order(sql):
    select = connected_joins(sqlglot.parse_one(sql, read="spark"))
    joins = select.args.get("joins") or []
    return [select.args["from_"].this.alias_or_name, *(join.this.alias_or_name for join in joins)]


def test_each_relation_comes_after_one_that_it_is_compared_with():
    sql = (
        "SELECT 1 FROM sales CROSS JOIN d2 CROSS JOIN d3 CROSS JOIN store CROSS JOIN customer "
        "WHERE sales.c = customer.c AND customer.first = d2.d AND customer.last = d3.d "
        "AND store.s = sales.s"
    )
    assert order(sql) == ["sales", "store", "customer", "d2", "d3"]


def test_what_nothing_connects_stays_in_its_place():
    assert order("SELECT 1 FROM a CROSS JOIN b CROSS JOIN c WHERE b.x > 1") == ["a", "b", "c"]
    assert order("SELECT 1 FROM a CROSS JOIN b CROSS JOIN c WHERE a.x + b.x = c.x") == [
        "a", "b", "c",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["LEFT", "FULL"])
def test_outer_joins_and_what_follows_them_stay(kind):
    sql = (
        "SELECT 1 FROM a CROSS JOIN b CROSS JOIN c "
        f"{kind} JOIN d ON d.x = b.x CROSS JOIN e WHERE a.x = c.x AND c.x = b.x AND e.x = a.x"
    )
    assert order(sql) == ["a", "c", "b", "d", "e"]


def test_a_function_that_may_refer_to_its_neighbours_stays():
    sql = "SELECT 1 FROM a CROSS JOIN LATERAL (SELECT a.x) AS l CROSS JOIN c WHERE a.x = c.x"
    assert order(sql)[-1] == "c"


def test_blocks_inside_are_ordered_too():
    tree = connected_joins(
        sqlglot.parse_one(
            "WITH t AS (SELECT 1 AS n FROM a CROSS JOIN b CROSS JOIN c WHERE a.x = c.x AND "
            "c.y = b.y) SELECT n FROM t",
            read="spark",
        )
    )
    inner = next(select for select in tree.find_all(exp.Select) if select.args.get("joins"))
    assert [join.this.alias_or_name for join in inner.args["joins"]] == ["c", "b"]
