"""The order of joins in the combining query: nothing is multiplied that something connects."""

import pytest
import sqlglot
from sqlglot import exp

from evaluation.federation.join_order import ViewSize, ordered_joins, view_size


def order(sql, sizes=None):
    select = ordered_joins(sqlglot.parse_one(sql, read="spark"), sizes or {})
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
    tree = ordered_joins(
        sqlglot.parse_one(
            "WITH t AS (SELECT 1 AS n FROM a CROSS JOIN b CROSS JOIN c WHERE a.x = c.x AND "
            "c.y = b.y) SELECT n FROM t",
            read="spark",
        ),
        {},
    )
    inner = next(select for select in tree.find_all(exp.Select) if select.args.get("joins"))
    assert [join.this.alias_or_name for join in inner.args["joins"]] == ["c", "b"]


def sizes(**views):
    """Return sizes by view: rows, then the distinct values of its columns."""
    return {
        name: ViewSize(rows=rows, distinct=distinct) for name, (rows, distinct) in views.items()
    }


WEEKS = (
    "SELECT 1 FROM sales CROSS JOIN inventory CROSS JOIN d1 CROSS JOIN d2 WHERE "
    "sales.item = inventory.item AND sales.date = d1.date AND inventory.date = d2.date "
    "AND d1.week = d2.week"
)


def test_two_large_ones_are_joined_when_all_that_they_share_is_known():
    known = sizes(
        sales=(6e4, {"item": 9e3, "date": 365}),
        inventory=(2.4e6, {"item": 9e3, "date": 53}),
        d1=(365, {"date": 365, "week": 53}),
        d2=(73e3, {"date": 73e3, "week": 1e4}),
    )
    assert order(WEEKS, known)[-1] in ("sales", "inventory")
    assert order(WEEKS) == ["sales", "inventory", "d1", "d2"]
    assert order(WEEKS, {name: known[name] for name in ("sales", "inventory", "d1")}) == [
        "sales", "inventory", "d1", "d2",
    ]  # fmt: skip


def test_an_order_that_is_as_good_stays():
    known = sizes(
        sales=(6e4, {"item": 9e3, "date": 365}),
        item=(9e3, {"item": 9e3}),
        d=(365, {"date": 365}),
    )
    sql = "SELECT 1 FROM sales CROSS JOIN item CROSS JOIN d WHERE sales.item = item.item AND {}"
    assert order(sql.format("sales.date = d.date"), known) == ["sales", "item", "d"]
    assert order(sql.format("sales.date + 1 = d.date + 1"), known) == ["sales", "item", "d"]


def test_a_join_by_what_many_share_comes_last():
    # TPC-H's q5: customers and suppliers of a nation are not joined before the sale is known.
    known = sizes(
        customer=(1.5e5, {"key": 1.5e5, "nation": 25}),
        supplier=(1e4, {"key": 1e4, "nation": 25}),
        orders=(2e5, {"key": 2e5, "customer": 1e5}),
        lineitem=(6e6, {"order": 1.5e6, "supplier": 1e4}),
    )
    sql = (
        "SELECT 1 FROM customer CROSS JOIN supplier CROSS JOIN orders CROSS JOIN lineitem WHERE "
        "customer.nation = supplier.nation AND customer.key = orders.customer "
        "AND orders.key = lineitem.order AND lineitem.supplier = supplier.key"
    )
    found = order(sql, known)
    assert found.index("lineitem") < max(found.index("supplier"), found.index("customer"))


def test_sizes_are_of_the_columns_that_a_piece_hands_out():
    piece = sqlglot.parse_one(
        "SELECT s.Item AS s__item, s.qty + 1 AS more, d.week AS d__week FROM sales AS s "
        "CROSS JOIN dates AS d WHERE s.date = d.date"
    )
    distinct = {"sales": {"item": 18_000.0, "qty": 100.0}, "dates": {"week": 50.0}}
    assert view_size(piece, 200.0, distinct) == ViewSize(
        rows=200.0, distinct={"s__item": 200.0, "d__week": 50.0}
    )
