import duckdb
import pytest
from sqlglot import parse_one

from tests.catalogs import shop, table
from tests.data_fixtures import statement
from workloads.access_graph import access_graph
from workloads.catalog import Catalog
from workloads.footprint import Block, Footprint
from workloads.sql import footprint
from workloads.sql.features import features_within


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
        ("o_day > current_date", "other", ()),
        ("o_total BETWEEN 2 AND random()", "other", ()),
        ("CAST(o_day AS VARCHAR) ILIKE '2000%'", "like", ("2000%",)),
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


def test_unequal_is_the_negation_of_equal():
    (found,) = only(of("SELECT o_id FROM orders WHERE o_total <> 5")).filters
    (((equal,),),) = (found.alternatives,)
    assert (found.kind, equal.kind, equal.values) == ("not", "eq", (5.0,))
    (between_columns,) = only(of("SELECT o_id FROM orders WHERE o_total <> o_id")).filters
    assert between_columns.kind == "other"


@pytest.mark.parametrize(
    ("condition", "aggregate", "columns", "kind", "values"),
    [
        ("count(*) > 5", "count", (), "range", (5.0, None)),
        ("3 > sum(o_total)", "sum", ("o_total",), "range", (None, 3.0)),
        ("(avg(o_total)) BETWEEN 1 AND 2", "avg", ("o_total",), "range", (1.0, 2.0)),
        ("count(DISTINCT o_day) = 2", "count_distinct", ("o_day",), "eq", (2.0,)),
        ("max(o_id) IN (1, 2)", "max", ("o_id",), "in", (1.0, 2.0)),
        ("min(o_id) IS NULL", "min", ("o_id",), "null", ()),
        ("sum(o_total + o_id) > 1", "sum", ("o_total", "o_id"), "range", (1.0, None)),
        ("sum(o_total) > avg(o_id)", None, ("o_total", "o_id"), "other", ()),
        ("sum(o_total) > o_customer", None, ("o_total", "o_customer"), "other", ()),
        ("sum(o_total) / count(*) > 2", None, ("o_total",), "other", ()),
        ("o_customer > 2", None, ("o_customer",), "range", (2.0, None)),
        ("n > 5", "count", (), "range", (5.0, None)),
    ],
)
def test_having_says_which_aggregate_it_tests(condition, aggregate, columns, kind, values):
    sql = f"SELECT o_customer, count(*) AS n FROM orders GROUP BY o_customer HAVING {condition}"
    (found,) = only(of(sql)).output.having
    assert (found.aggregate, found.kind, found.values) == (aggregate, kind, values)
    assert set(found.columns) == {("orders", column) for column in columns}


def test_every_conjunct_of_having_is_a_filter_and_an_or_keeps_its_aggregates():
    sql = "SELECT 1 FROM orders HAVING count(*) > 1 AND (min(o_id) = 1 OR max(o_id) > 7)"
    output = only(of(sql)).output
    assert output.group_by == ()
    counted, either = output.having
    assert counted.aggregate == "count"
    assert [arm[0].aggregate for arm in either.alternatives] == ["min", "max"]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("O_ID > 5", "orders.o_id > 5"),
        ("o_day >= DATE '2000-01-01'", "orders.o_day >= CAST('2000-01-01' AS DATE)"),
        ("o_id IN (1, 2) OR o_total < 3", "orders.o_id IN (1, 2) OR orders.o_total < 3"),
        ("o_total IS NOT NULL", "NOT orders.o_total IS NULL"),
    ],
)
def test_a_filter_is_duckdb_sql_over_aliases(condition: str, expected: str):
    (found,) = only(of(f"SELECT o_id FROM orders WHERE {condition}")).filters
    assert found.sql == expected
    columns = "NULL AS o_id, NULL AS o_day, NULL AS o_total"
    duckdb.sql(f"SELECT count(*) FROM (SELECT {columns}) AS orders WHERE {found.sql}").fetchall()


def test_the_sql_of_a_filter_does_not_change_the_facts_after_it():
    sql = (
        "SELECT c_name, GROUPING(c_name), rank() OVER (ORDER BY count(*)) FROM customer "
        "LEFT JOIN orders ON c_id = o_customer AND o_day > DATE '2000-01-01' + INTERVAL 1 DAY "
        "WHERE c_id NOT IN (SELECT i_line FROM item WHERE i_price > 1) "
        "GROUP BY ROLLUP (c_name) HAVING GROUPING(c_name) = 0"
    )
    first, second = of(sql), of(sql)
    assert first == second
    assert first.blocks[0].features == {
        *("rollup", "grouping", "grouping_in_having", "window", "window_nulls_last"),
    }
    assert {source.alias: source.needs for source in first.blocks[0].sources} == {
        "customer": frozenset(),
        "orders": frozenset({"customer"}),
    }


def test_a_filter_reads_no_column_of_a_query_inside_of_it():
    sql = "SELECT 1 FROM orders WHERE o_total > 5 OR o_id IN (SELECT i_line FROM item LIMIT 3)"
    (found,) = of(sql).blocks[0].filters
    assert found.columns == (("orders", "o_total"), ("orders", "o_id"))


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


def test_a_day_cut_off_within_days_is_for_duckdb_alone():
    tree = parse_one("SELECT date_trunc('day', CAST('2000-01-01' AS DATE))", read="duckdb")
    assert "function" in features_within(tree.selects[0])
    tree = parse_one("SELECT date_trunc('week', CAST('2000-01-01' AS DATE))", read="duckdb")
    assert "function" not in features_within(tree.selects[0])


def test_a_day_after_the_last_one_is_a_constant_that_nobody_knows():
    sql = "SELECT o_id FROM orders WHERE o_day < DATE '9999-12-31' + INTERVAL 2 DAY"
    assert only(of(sql)).filters[0].values in ((), (None,))
