import re

import duckdb
import pytest

from tests.catalogs import shop, table
from tests.data_fixtures import statement
from workloads.access_graph import access_graph
from workloads.catalog import Catalog
from workloads.footprint import Block, Footprint
from workloads.sql import footprint
from workloads.workload import Workload


def of(sql: str) -> Footprint:
    return footprint(statement(sql), shop(), "duckdb")


def only(found: Footprint) -> Block:
    (block,) = found.blocks
    return block


def test_a_comma_join_is_an_inner_join():
    block = only(of("SELECT c_name FROM customer, orders WHERE c_id = o_customer"))
    (join,) = block.joins
    assert {join.left, join.right} == {("customer", "c_id"), ("orders", "o_customer")}
    assert join.kind == "inner"


def test_the_nullable_side_needs_the_preserved_side():
    block = only(of("SELECT c_name FROM customer LEFT JOIN orders ON c_id = o_customer"))
    needs = {source.alias: source.needs for source in block.sources}
    assert needs == {"customer": frozenset(), "orders": frozenset({"customer"})}


def test_a_full_join_leaves_every_source_alone():
    block = only(of("SELECT c_name FROM customer FULL JOIN orders ON c_id = o_customer"))
    assert all(source.needs == frozenset({"*"}) for source in block.sources)
    assert "full_join" in block.features


def test_a_join_hidden_in_every_arm_of_an_or_is_found():
    block = only(
        of(
            "SELECT c_name FROM customer, orders "
            "WHERE (c_id = o_customer AND o_total > 5) OR (c_id = o_customer AND o_total < 2)"
        )
    )
    assert len(block.joins) == 1
    (remaining,) = block.filters
    assert len(remaining.alternatives) == 2


def test_the_same_table_twice_is_two_sources():
    block = only(of("SELECT a.c_name FROM customer a JOIN customer b ON a.c_id = b.c_id"))
    assert {source.name for source in block.sources} == {"b0.a", "b0.b"}


def test_a_correlated_subquery_becomes_a_closed_block():
    found = of(
        "SELECT c_name FROM customer c WHERE EXISTS "
        "(SELECT 1 FROM orders o WHERE o.o_customer = c.c_id)"
    )
    inner = next(block for block in found.blocks if block.name != "b0")
    assert inner.closed
    assert [source.table for source in inner.sources] == ["orders"]


def test_a_cte_read_twice_is_closed_but_its_readers_are_not():
    found = of(
        "WITH big AS (SELECT o_customer FROM orders WHERE o_total > 5) "
        "SELECT * FROM (SELECT o_customer FROM big) x JOIN (SELECT o_customer FROM big) y "
        "ON x.o_customer = y.o_customer"
    )
    closed = {block.name: block.closed for block in found.blocks}
    readers = [b.name for b in found.blocks if b.name != "b0" and not b.sources]
    assert closed["b0"]
    assert len(readers) == 2
    assert not any(closed[name] for name in readers)


def test_an_unread_cte_is_not_part_of_the_footprint():
    found = of("WITH unused AS (SELECT * FROM item) SELECT c_name FROM customer")
    assert found.tables == {"customer"}


def test_only_needed_columns_are_listed():
    block = only(of("SELECT c_name FROM customer, orders WHERE c_id = o_customer"))
    columns = {source.alias: source.columns for source in block.sources}
    assert columns == {"customer": ("c_id", "c_name"), "orders": ("o_customer",)}


@pytest.mark.parametrize(
    ("condition", "kind", "values"),
    [
        ("o_total = 5", "eq", (5.0,)),
        ("5 < o_total", "range", (5.0, None)),
        ("o_total BETWEEN 2 AND 2 + 3", "range", (2.0, 5.0)),
        ("o_id IN (1, 2, 3)", "in", (1.0, 2.0, 3.0)),
        ("o_day >= CAST('2000-01-01' AS DATE) + INTERVAL 30 DAY", "range", ("2000-01-31", None)),
        ("o_day IS NOT NULL", "not_null", ()),
        ("o_total + 1 > 3", "other", ()),
    ],
)
def test_simple_conditions_become_filters(condition: str, kind: str, values: tuple[object, ...]):
    (found,) = only(of(f"SELECT o_id FROM orders WHERE {condition}")).filters
    assert (found.kind, found.values) == (kind, values)


@pytest.mark.parametrize(
    "variant",
    [
        "select C_NAME from CUSTOMER, ORDERS where C_ID = O_CUSTOMER and O_TOTAL > 5",
        (
            "SELECT x.c_name FROM customer AS x JOIN orders AS y ON x.c_id = y.o_customer "
            "WHERE y.o_total > 5"
        ),
        "SELECT c_name FROM customer, orders WHERE o_total > 5 AND o_customer = c_id",
    ],
)
def test_spelling_and_order_do_not_change_the_access_graph(variant: str):
    first = of("SELECT c_name FROM customer, orders WHERE c_id = o_customer AND o_total > 5")
    assert access_graph([of(variant)]) == access_graph([first])


def test_every_tpcds_query_has_a_footprint(tiny: Catalog, queries: Workload):
    found = [footprint(query, tiny, queries.dialect) for query in queries.queries]
    assert len(found) == 99
    assert all(one.tables <= set(tiny.tables) and one.tables for one in found)


def test_footprints_name_the_tables_that_duckdbs_own_parser_finds(tiny: Catalog, queries: Workload):
    database = duckdb.connect(":memory:")
    for query in queries.queries:
        (tree,) = database.execute("SELECT json_serialize_sql(?)", [query.sql]).fetchall()[0]
        named = set(re.findall(r'"table_name":"(\w+)"', tree)) & set(tiny.tables)
        assert footprint(query, tiny, queries.dialect).tables == named, query.name


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "mysql", "snowflake"])
@pytest.mark.parametrize("name", ["Order Lines", "ORDER LINES"])
def test_names_match_in_any_case_and_tables_are_called_as_in_the_catalog(dialect, name):
    lines = table("Order Lines", 100, {"Id": "BIGINT", "Label": "VARCHAR"}, ("Id",))
    catalog = Catalog(name="mixed", tables={lines.name: lines})
    mark = "`" if dialect == "mysql" else '"'
    sql = f"SELECT l.{mark}Label{mark}, l.ID FROM {mark}{name}{mark} l"
    found = footprint(statement(sql), catalog, dialect)
    assert found.tables == {"Order Lines"}
    (source,) = only(found).sources
    assert source.columns == ("id", "label")
