"""Which semi-joins a block inherits from the joins of those above it."""

import pytest

from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.semi_joins import inherited_semi_joins, with_sources_above
from workloads.sql import footprint


def inherited(sql: str) -> set[str]:
    found = footprint(statement(sql), shop(), "duckdb")
    return {
        f"{'.'.join(each.column)} in {each.key[0].alias}.{each.key[1]}"
        for semi_joins in inherited_semi_joins(found).values()
        for each in semi_joins
    }


def joined(derived: str) -> str:
    """Join a derived table's column k with customers."""
    return f"SELECT count(*) AS n FROM ({derived}) d JOIN customer ON d.k = c_id"


BY_CUSTOMER = "orders.o_customer in customer.c_id"


@pytest.mark.parametrize(
    "derived",
    [
        "SELECT o_customer AS k, o_total FROM orders WHERE o_total > 3",
        "SELECT DISTINCT o_customer AS k FROM orders",
        "SELECT o_customer AS k FROM orders ORDER BY o_total",
        "SELECT k FROM (SELECT o_customer AS k, o_total FROM orders) e WHERE o_total > 3",
        "SELECT o_customer AS k FROM orders LEFT JOIN item ON i_order = o_id",
        "SELECT o_customer AS k, sum(o_total) AS s FROM orders GROUP BY o_customer",
        "SELECT o_customer AS k, o_day FROM orders GROUP BY ALL",
        "SELECT o_customer AS k FROM orders GROUP BY o_day, o_customer HAVING count(*) > 1",
        (
            "SELECT o_customer AS k,"
            " rank() OVER (PARTITION BY o_customer, o_day ORDER BY o_total) AS r FROM orders"
        ),
        (
            "SELECT o_customer AS k FROM orders"
            " QUALIFY row_number() OVER (PARTITION BY o_customer ORDER BY o_id) = 1"
        ),
    ],
)
def test_a_filter_goes_below_what_keeps_rows_of_a_value_together(derived: str):
    assert inherited(joined(derived)) == {BY_CUSTOMER}


@pytest.mark.parametrize(
    "derived",
    [
        "SELECT o_customer AS k FROM orders LIMIT 10",
        "SELECT o_customer AS k FROM orders ORDER BY o_id LIMIT ALL OFFSET 3",
        "SELECT k FROM (SELECT o_customer AS k FROM orders ORDER BY o_id LIMIT 10) e",
        "SELECT o_customer AS k FROM orders USING SAMPLE 10%",
        "SELECT DISTINCT ON (o_day) o_customer AS k FROM orders",
        "SELECT o_customer AS k, rank() OVER (ORDER BY o_total) AS r FROM orders",
        (
            "SELECT o_customer AS k, rank() OVER (PARTITION BY o_day ORDER BY o_total) AS r,"
            " count(*) OVER (PARTITION BY o_customer) AS n FROM orders"
        ),
        "SELECT o_customer AS k FROM orders QUALIFY row_number() OVER (ORDER BY o_id) = 1",
    ],
)
def test_what_looks_at_rows_of_other_values_is_not_reduced(derived: str):
    assert inherited(joined(derived)) == set()


@pytest.mark.parametrize(
    "derived",
    [
        "SELECT max(o_customer) AS k FROM orders GROUP BY o_day",
        "SELECT max(o_customer) AS k FROM orders",
        "SELECT any_value(o_customer) AS k FROM orders GROUP BY o_day",
    ],
)
def test_a_column_that_is_no_key_of_its_group_is_not_reduced(derived: str):
    assert inherited(joined(derived)) == set()


@pytest.mark.parametrize(
    "groups",
    [
        "ROLLUP (o_customer, o_day)",
        "CUBE (o_customer, o_day)",
        "GROUPING SETS ((o_customer), (o_day), ())",
    ],
)
def test_groups_that_may_lack_the_key_are_not_reduced(groups: str):
    derived = f"SELECT o_customer AS k, count(*) AS n FROM orders GROUP BY {groups}"
    assert inherited(joined(derived)) == set()


@pytest.mark.parametrize(
    "column",
    ["o_customer + 1", "coalesce(o_customer, 0)", "CAST(o_customer AS INTEGER)", "-o_customer"],
)
def test_a_computed_column_is_not_reduced(column: str):
    assert inherited(joined(f"SELECT {column} AS k FROM orders")) == set()


def test_a_whole_column_is_compared():
    derived = "(SELECT o_customer AS k FROM orders) d"
    assert inherited(f"SELECT 1 AS o FROM {derived} JOIN customer ON d.k + 1 = c_id") == set()
    assert inherited(f"SELECT 1 AS o FROM {derived} JOIN customer ON d.k < c_id") == set()


def test_keys_hold_no_null_so_that_two_may_not_be_equal():
    derived = "(SELECT o_customer AS k FROM orders) d"
    condition = "d.k IS NOT DISTINCT FROM c_id"
    assert inherited(f"SELECT 1 AS o FROM {derived} JOIN customer ON {condition}") == set()


@pytest.mark.parametrize(
    "derived",
    [
        "SELECT o_customer AS k FROM item LEFT JOIN orders ON i_order = o_id",
        "SELECT o_customer AS k FROM orders RIGHT JOIN item ON i_order = o_id",
        "SELECT o_customer AS k FROM orders FULL JOIN item ON i_order = o_id",
        (
            "SELECT k FROM item LEFT JOIN (SELECT o_id, o_customer AS k FROM orders) o"
            " ON i_order = o_id"
        ),
    ],
)
def test_the_nullable_side_of_an_outer_join_is_not_reduced(derived: str):
    assert inherited(joined(derived)) == set()


@pytest.mark.parametrize("join", ["LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"])
def test_the_join_above_is_inner(join: str):
    derived = "(SELECT o_customer AS k FROM orders) d"
    assert inherited(f"SELECT 1 AS o FROM {derived} {join} customer ON d.k = c_id") == set()
    assert inherited(f"SELECT 1 AS o FROM customer {join} {derived} ON d.k = c_id") == set()


BRANCHES = "SELECT o_customer AS k FROM orders {} SELECT i_order AS k FROM item"


@pytest.mark.parametrize(
    "operator", ["UNION ALL", "UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"]
)
def test_every_branch_of_a_set_operation_is_reduced(operator: str):
    found = inherited(joined(BRANCHES.format(operator)))
    assert found == {BY_CUSTOMER, "item.i_order in customer.c_id"}


def test_branches_are_reduced_by_position():
    sql = (
        "SELECT o_id AS a, o_customer AS k FROM orders"
        " UNION ALL SELECT i_order AS k, i_line AS z FROM item"
    )
    assert inherited(joined(sql)) == {BY_CUSTOMER, "item.i_line in customer.c_id"}


def test_branches_by_name_are_reduced_by_name():
    sql = (
        "SELECT o_id AS a, o_customer AS k FROM orders"
        " UNION ALL BY NAME SELECT i_order AS k, i_line AS a FROM item"
    )
    assert inherited(joined(sql)) == {BY_CUSTOMER, "item.i_order in customer.c_id"}


def test_a_cut_set_operation_is_not_reduced():
    assert inherited(joined(BRANCHES.format("UNION ALL") + " LIMIT 5")) == set()
    limited = BRANCHES.format("UNION ALL (") + " LIMIT 5)"
    assert inherited(joined(limited)) == {BY_CUSTOMER}


def test_one_branch_of_computed_values_keeps_all_from_being_reduced():
    """What type all are converted to is not known then."""
    sql = "SELECT o_customer AS k FROM orders UNION ALL SELECT i_order + 0.5 AS k FROM item"
    assert inherited(joined(sql)) == set()


CTE = "WITH d AS (SELECT o_customer AS k, o_day FROM orders)"


def test_a_cte_with_one_reader_is_reduced():
    assert inherited(f"{CTE} SELECT 1 AS o FROM d, customer WHERE d.k = c_id") == {BY_CUSTOMER}


@pytest.mark.parametrize(
    "rest",
    [
        "SELECT 1 AS o FROM d, customer, d AS e WHERE d.k = c_id AND d.o_day = e.o_day",
        "SELECT 1 AS o FROM d, customer WHERE d.k = c_id AND o_day < (SELECT max(o_day) FROM d)",
        "SELECT 1 AS o FROM d, customer WHERE d.k = c_id UNION ALL SELECT k FROM d",
        ", e AS (SELECT k FROM d) SELECT 1 AS o FROM e, customer, d WHERE e.k = c_id",
    ],
)
def test_a_cte_with_two_readers_is_not_reduced(rest: str):
    assert inherited(f"{CTE} {rest}") == set()


def test_what_a_cte_with_two_readers_reads_is_not_reduced_by_one_of_them():
    sql = (
        f"{CTE}, e AS (SELECT k FROM d) SELECT 1 AS o FROM e, customer WHERE e.k = c_id"
        " UNION ALL SELECT k FROM e"
    )
    assert inherited(sql) == set()


def test_a_cte_may_be_reduced_inside_one_that_is_read_twice():
    sql = (
        f"{CTE}, e AS (SELECT o_day FROM d, customer WHERE d.k = c_id)"
        " SELECT 1 AS o FROM e, e AS f WHERE e.o_day = f.o_day"
    )
    assert inherited(sql) == {BY_CUSTOMER}


def test_a_recursive_cte_is_not_reduced():
    sql = (
        "WITH RECURSIVE r AS (SELECT o_customer AS k, o_id FROM orders WHERE o_id = 1 UNION ALL"
        " SELECT o_customer, orders.o_id FROM orders JOIN r ON r.k = orders.o_id)"
        " SELECT 1 AS o FROM r JOIN customer ON r.k = c_id"
    )
    assert not any(found.endswith("customer.c_id") for found in inherited(sql))


def test_a_sampled_derived_table_is_not_reduced():
    derived = "(SELECT o_customer AS k FROM orders)"
    sql = f"SELECT 1 AS o FROM {derived} AS d TABLESAMPLE 10% JOIN customer ON d.k = c_id"
    assert inherited(sql) == set()


def test_of_two_columns_of_a_name_neither_is_reduced():
    sql = (
        "SELECT k FROM (SELECT k, k_1 FROM (SELECT o_id AS k, o_customer AS k_1 FROM orders) e) f"
        " UNION ALL SELECT i_line AS x FROM item"
    )
    assert inherited(joined(sql)) == {
        "orders.o_id in customer.c_id",
        "item.i_line in customer.c_id",
    }


def test_keys_come_by_way_of_another_source():
    sql = (
        "SELECT 1 AS o FROM (SELECT i_order AS k FROM item) d, orders, customer"
        " WHERE d.k = o_customer AND o_customer = c_id"
    )
    assert inherited(sql) == {
        "item.i_order in orders.o_customer",
        "item.i_order in customer.c_id",
    }


def test_keys_do_not_come_by_way_of_what_an_outer_join_may_lack():
    sql = (
        "SELECT 1 AS o FROM customer LEFT JOIN orders ON o_customer = c_id"
        " JOIN (SELECT i_order AS k FROM item) d ON d.k = o_customer"
    )
    assert inherited(sql) == set()


def test_what_values_are_united_with_stands_beside_the_semi_join():
    sql = joined("SELECT o_customer AS k FROM orders UNION ALL SELECT o_day FROM orders AS p")
    found = footprint(statement(sql), shop(), "duckdb")
    (semi_join, _) = (each for found in inherited_semi_joins(found).values() for each in found)
    names = {f"{source.table}.{name}" for source, name in semi_join.beside}
    assert names == {"orders.o_customer", "orders.o_day", "customer.c_id"}


def test_a_block_is_joined_with_the_filtered_sources_above():
    found = footprint(
        statement(joined("SELECT o_customer AS k FROM orders") + " WHERE c_name = 'x'"),
        shop(),
        "duckdb",
    )
    ((name, block),) = with_sources_above(found).items()
    assert name == block.name != found.blocks[0].name
    assert [source.name for source in block.sources] == [f"{name}.orders", "b0.customer"]
    assert [(join.left, join.right) for join in block.joins] == [
        (("orders", "o_customer"), ("customer", "c_id"))
    ]
    assert [condition.values for condition in block.filters] == [("x",)]


def test_a_source_above_has_an_alias_that_the_block_does_not_know():
    sql = (
        "SELECT 1 AS o FROM (SELECT o_customer AS k FROM orders AS a) d"
        " JOIN customer AS a ON d.k = a.c_id"
    )
    found = footprint(statement(sql), shop(), "duckdb")
    (block,) = with_sources_above(found).values()
    assert [source.alias for source in block.sources] == ["a"]
