"""The blocks of a footprint: their sources, joins, subqueries and output columns."""

import pytest

from tests.catalogs import table
from tests.data_fixtures import statement
from tests.unit.workloads.shop_footprints import of, only
from workloads.catalog import Catalog
from workloads.sql import footprint


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


def test_a_join_of_expressions_is_marked_as_computed():
    sql = "SELECT 1 FROM customer, orders WHERE CAST(c_id AS VARCHAR) = o_customer AND c_id = o_id"
    assert [join.computed for join in only(of(sql)).joins] == [True, False]


@pytest.mark.parametrize("condition", ["o_customer = c_id", "c_id = o_customer"])
def test_an_outer_joins_added_relation_is_on_its_right(condition: str):
    (join,) = only(of(f"SELECT 1 FROM customer LEFT JOIN orders ON {condition}")).joins
    assert (join.left, join.right) == (("customer", "c_id"), ("orders", "o_customer"))


def test_output_columns_say_what_they_hand_on_and_what_they_are_computed_from():
    sql = (
        "SELECT o_id AS a, (o_day) AS d, o_id + o_total AS b, max(o_total) AS c, 1 AS e FROM orders"
    )
    a, d, b, c, e = only(of(sql)).output.columns
    assert (a.origin, a.carries, a.reads) == (("orders", "o_id"),) * 2 + ((("orders", "o_id"),),)
    assert d.origin == ("orders", "o_day")
    assert (b.origin, b.carries) == (None, None)
    assert b.reads == (("orders", "o_id"), ("orders", "o_total"))
    assert (c.origin, c.carries, c.aggregate) == (None, ("orders", "o_total"), "max")
    assert (e.origin, e.reads) == (None, ())


def test_a_set_operations_columns_come_from_all_operands_by_position():
    found = of("SELECT c_id, c_name FROM customer UNION SELECT o_id, 'x' FROM orders")
    first, second = found.blocks[0].output.columns
    assert (first.name, first.origin) == ("c_id", ("b1", "c_id"))
    assert first.reads == (("b1", "c_id"), ("b2", "o_id"))
    assert second.reads == (("b1", "c_name"), ("b2", "x"))


def test_a_recursive_cte_reads_its_first_operand_and_never_itself():
    found = of(
        "WITH RECURSIVE r AS (SELECT c_id AS n FROM customer UNION ALL "
        "SELECT i_order FROM r JOIN item ON i_line = n) SELECT n FROM r"
    )
    assert found.tables == {"customer", "item"}
    root, cte, anchor, step = found.blocks
    assert (root.inputs, step.inputs, step.recursive) == (
        {"r": cte.name},
        {"r": anchor.name},
        {"r": cte.name},
    )
    assert {block.name: block.closed for block in found.blocks} == {
        root.name: True,
        cte.name: False,
        anchor.name: True,
        step.name: False,
    }


def test_a_lateral_table_is_an_input_that_is_not_closed():
    found = of(
        "SELECT m FROM customer c, LATERAL (SELECT max(o_total) AS m FROM orders "
        "WHERE o_customer = c.c_id) AS x"
    )
    outer, inner = found.blocks
    assert outer.inputs == {"x": inner.name}
    assert not inner.closed
    assert outer.sources[0].needs == frozenset({"*"})


@pytest.mark.parametrize(
    "relation",
    [
        "(VALUES (1, 2)) AS v(x, y) WHERE c_id = x",
        "unnest([c_id, 2]) AS v(x)",
        "range(c_id) AS v(x)",
        "LATERAL (VALUES (c_id, 2)) AS v(x, y)",
    ],
)
def test_what_is_no_table_adds_no_source(relation: str):
    found = of(f"SELECT x, c_name FROM customer, {relation}")
    assert found.tables == {"customer"}
    assert found.blocks[0].output.columns[0].origin == ("v", "x")
    assert found.blocks[0].sources[0].columns == ("c_id", "c_name")


@pytest.mark.parametrize(
    ("sql", "compared"),
    [
        ("c_id NOT IN (SELECT o_customer FROM orders)", (("customer", "c_id"),)),
        ("(c_id, 1) IN (SELECT o_customer, o_id FROM orders)", (("customer", "c_id"), None)),
        ("EXISTS (SELECT o_customer FROM orders)", ()),
        ("c_id < ANY (SELECT o_customer FROM orders)", ()),
    ],
)
def test_a_subquery_in_place_says_what_it_is_compared_with(sql: str, compared: tuple):
    found = of(f"SELECT 1 FROM customer WHERE {sql}")
    assert found.blocks[1].compared == compared


def test_a_positional_group_is_its_column():
    output = only(of("SELECT c_name, count(*) FROM customer GROUP BY 1 ORDER BY 2")).output
    assert output.group_by == (("customer", "c_name"),)
    by_all = only(of("SELECT c_name, count(*) FROM customer GROUP BY ALL")).output
    assert by_all.group_by == output.group_by


def test_stars_are_all_columns_of_their_relation():
    found = only(of("SELECT o.*, c_name FROM customer, orders o WHERE c_id = o_customer"))
    assert [column.name for column in found.output.columns] == [
        "o_id",
        "o_customer",
        "o_day",
        "o_total",
        "c_name",
    ]


def test_a_window_in_qualify_is_a_feature():
    sql = "SELECT c_id FROM customer QUALIFY row_number() OVER (ORDER BY c_id DESC) = 1"
    assert only(of(sql)).features == {"qualify", "window"}
