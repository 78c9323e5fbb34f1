"""Statements that write: what they read is a query, and what they write is known."""

import pytest

from tests.catalogs import shop
from tests.unit.workloads.understanding import understood
from workloads.catalog import Catalog, View


@pytest.mark.parametrize(
    ("sql", "dialect", "reads", "writes"),
    [
        ("INSERT INTO item SELECT o_id, 1, 2 FROM orders", "postgres", {"orders"}, {"item"}),
        (
            "INSERT INTO item VALUES ((SELECT max(o_id) FROM orders), 1, 2)",
            "duckdb",
            {"orders"},
            {"item"},
        ),
        (
            "WITH x AS (SELECT o_id FROM orders) INSERT INTO item SELECT o_id, 1, 2 FROM x",
            "postgres",
            {"orders"},
            {"item"},
        ),
        (
            "INSERT INTO item SELECT o_id, 1, 2 FROM orders ON CONFLICT DO NOTHING",
            "postgres",
            {"orders"},
            {"item"},
        ),
        ("REPLACE INTO item SELECT o_id, 1, 2 FROM orders", "mysql", {"orders"}, {"item"}),
        (
            "INSERT OVERWRITE TABLE item SELECT o_id, 1, 2 FROM orders",
            "spark",
            {"orders"},
            {"item"},
        ),
        ("UPDATE orders SET o_total = o_total + 1", "postgres", {"orders"}, {"orders"}),
        ("UPDATE orders SET o_total = 1 WHERE o_id = 3", "postgres", {"orders"}, {"orders"}),
        (
            "UPDATE orders SET o_total = i_price FROM item WHERE i_order = o_id",
            "postgres",
            {"orders", "item"},
            {"orders"},
        ),
        (
            "UPDATE orders SET o_total = (SELECT sum(i_price) FROM item WHERE i_order = o_id)",
            "postgres",
            {"orders", "item"},
            {"orders"},
        ),
        (
            "UPDATE orders SET (o_total, o_day) = (SELECT sum(i_price), 1 FROM item)",
            "postgres",
            {"orders", "item"},
            {"orders"},
        ),
        (
            "UPDATE orders o JOIN item i ON i.i_order = o.o_id SET o.o_total = i.i_price",
            "mysql",
            {"orders", "item"},
            {"orders"},
        ),
        (
            "UPDATE orders, item SET o_total = 0, i_price = 0 WHERE i_order = o_id",
            "mysql",
            {"orders", "item"},
            {"orders", "item"},
        ),
        (
            "UPDATE x SET o_total = 0 FROM orders x JOIN item ON i_order = x.o_id",
            "tsql",
            {"orders", "item"},
            {"orders"},
        ),
        ("UPDATE TOP (5) orders SET o_total = 0 WHERE o_id > 3", "tsql", {"orders"}, {"orders"}),
        (
            "DELETE FROM orders USING item WHERE i_order = o_id",
            "postgres",
            {"orders", "item"},
            {"orders"},
        ),
        (
            "DELETE FROM orders WHERE o_id IN (SELECT i_order FROM item)",
            "postgres",
            {"orders", "item"},
            {"orders"},
        ),
        (
            "DELETE o, i FROM orders o JOIN item i ON i.i_order = o.o_id",
            "mysql",
            {"orders", "item"},
            {"orders", "item"},
        ),
        (
            "DELETE FROM o USING orders o JOIN item ON i_order = o.o_id",
            "mysql",
            {"orders", "item"},
            {"orders"},
        ),
        (
            "WITH x AS (SELECT o_id FROM orders WHERE o_total > 5) DELETE FROM x WHERE o_id = 1",
            "tsql",
            {"orders"},
            {"orders"},
        ),
        (
            (
                "MERGE INTO orders USING item ON o_id = i_order WHEN MATCHED THEN UPDATE SET "
                "o_total = "
                "i_price WHEN NOT MATCHED THEN INSERT (o_id) VALUES (i_order)"
            ),
            "postgres",
            {"orders", "item"},
            {"orders"},
        ),
        (
            (
                "MERGE INTO orders t USING item s ON t.o_id = s.i_order WHEN MATCHED "
                "THEN UPDATE "
                "SET * "
                "WHEN NOT MATCHED THEN INSERT *"
            ),
            "spark",
            {"orders", "item"},
            {"orders"},
        ),
        (
            (
                "WITH gone AS (DELETE FROM orders WHERE o_total < 0 RETURNING *) SELECT c_name "
                "FROM gone "
                "JOIN customer ON c_id = o_customer"
            ),
            "postgres",
            {"orders", "customer"},
            {"orders"},
        ),
        (
            (
                "WITH gone AS (DELETE FROM orders WHERE o_total < 0 RETURNING o_id) "
                "INSERT INTO "
                "item "
                "SELECT o_id, 1, 2 FROM gone"
            ),
            "postgres",
            {"orders"},
            {"orders", "item"},
        ),
        (
            (
                "WITH new AS (INSERT INTO orders (o_id) SELECT i_order FROM item "
                "RETURNING o_id, "
                "o_day) "
                "SELECT * FROM new"
            ),
            "postgres",
            {"item"},
            {"orders"},
        ),
        ("COPY (SELECT c_id FROM customer) TO STDOUT", "postgres", {"customer"}, set()),
        ("FROM orders INSERT INTO item SELECT o_id, 1, 2", "spark", {"orders"}, {"item"}),
    ],
)
def test_the_reading_part_of_a_write_is_a_query_of_its_own(
    sql: str, dialect: str, reads: set[str], writes: set[str]
):
    found = understood(sql, dialect)
    assert found.skipped == ()
    (footprint,) = found.footprints
    assert (footprint.tables, footprint.writes) == (reads, writes)
    assert footprint.query == found.workload.queries[0].name == "s1"


@pytest.mark.parametrize(
    ("sql", "dialect", "writes"),
    [
        ("INSERT INTO item VALUES (1, 2, 3)", "postgres", {"item"}),
        ("INSERT INTO item (i_order) VALUES ($1) ON CONFLICT DO NOTHING", "postgres", {"item"}),
        ("INSERT INTO item SET i_order = 1", "mysql", {"item"}),
        ("REPLACE INTO item VALUES (1, 2, 3)", "mysql", {"item"}),
        ("INSERT LOW_PRIORITY INTO item VALUES (1, 2, 3)", "mysql", {"item"}),
        ("UPDATE orders SET o_total = 0", "postgres", {"orders"}),
        ("DELETE FROM orders", "postgres", {"orders"}),
        ("TRUNCATE orders, item", "postgres", {"orders", "item"}),
        ("INSERT INTO shop.ITEM VALUES (1, 2, 3)", "postgres", {"item"}),
        ("UPDATE orders SET o_total = 0 WHERE CURRENT OF c", "postgres", {"orders"}),
    ],
)
def test_what_only_writes_has_no_blocks(sql: str, dialect: str, writes: set[str]):
    found = understood(sql, dialect)
    (footprint,) = found.writes
    assert (footprint.writes, footprint.blocks) == (writes, ())
    assert (found.footprints, found.skipped) == ((), ())


def test_the_query_of_an_update_gives_keys_and_new_values():
    found = understood("UPDATE orders SET o_total = i_price FROM item WHERE i_order = o_id")
    output = found.footprints[0].blocks[0].output
    assert [column.origin for column in output.columns] == [("orders", "o_id"), ("item", "i_price")]


def test_a_change_that_no_reader_reads_is_a_query_beside():
    found = understood(
        "WITH gone AS (DELETE FROM orders WHERE o_total < 0) SELECT c_id FROM customer"
    )
    assert [query.name for query in found.workload.queries] == ["s1", "s1/2"]
    assert [footprint.tables for footprint in found.footprints] == [{"customer"}, {"orders"}]
    assert [footprint.writes for footprint in found.footprints] == [{"orders"}, set()]


def test_a_table_of_a_query_is_read_where_it_is_made_and_where_it_is_used():
    found = understood(
        [
            "CREATE TEMP TABLE big AS SELECT o_id, o_total FROM orders WHERE o_total > 5",
            "SELECT i_price FROM big JOIN item ON i_order = o_id",
            "INSERT INTO big SELECT i_order, i_price FROM item",
            "INSERT INTO big VALUES (1, 2)",
            "DROP TABLE big",
        ]
    )
    reads = [(footprint.tables, footprint.writes) for footprint in found.footprints]
    assert reads == [({"orders"}, set()), ({"orders", "item"}, set()), ({"item"}, set())]
    assert [skipped.kind for skipped in found.skipped] == ["definition", "definition"]
    assert "big" in found.catalog.views


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT c_id INTO kept FROM customer", "postgres"),
        ("SELECT c_id INTO #kept FROM customer", "tsql"),
        ("CREATE OR REPLACE TABLE kept AS SELECT c_id FROM customer", "snowflake"),
        ("CREATE TABLE kept USING parquet AS SELECT c_id FROM customer", "spark"),
        ("CREATE TABLE kept SELECT c_id FROM customer", "mysql"),
    ],
)
def test_a_kept_result_is_known_to_later_statements(sql: str, dialect: str):
    name = "#kept" if dialect == "tsql" else "kept"
    found = understood([sql, f"SELECT c_id FROM {name}"], dialect)
    assert [footprint.tables for footprint in found.footprints] == [{"customer"}, {"customer"}]


def test_a_table_that_the_workload_creates_empty_is_none_of_the_catalogs():
    found = understood(
        [
            "CREATE TABLE log (a int)",
            "INSERT INTO log VALUES (1)",
            "INSERT INTO log SELECT c_id FROM customer",
            "SELECT a FROM log",
        ]
    )
    assert [(f.tables, f.writes) for f in found.footprints] == [({"customer"}, set())]
    assert [skipped.kind for skipped in found.skipped] == ["definition"] * 3
    assert "w.sql:1" in found.skipped[2].reason


def test_filling_a_known_table_from_a_query_writes_it():
    found = understood("CREATE TABLE item AS SELECT o_id FROM orders")
    assert [(f.tables, f.writes) for f in found.footprints] == [({"orders"}, {"item"})]
    assert found.catalog.views == {}


def test_writing_a_view_writes_the_table_below_it():
    view = View(name="v", sql="SELECT * FROM w WHERE o_total > 5", dialect="postgres")
    below = View(name="w", sql="SELECT * FROM orders", dialect="postgres")
    catalog = Catalog(name="shop", tables=shop().tables, views={"v": view, "w": below})
    found = understood("UPDATE v SET o_total = 0 WHERE o_id = 1", catalog=catalog)
    assert found.footprints[0].writes == {"orders"}


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        ("UPDATE v SET total = 0 WHERE n = 1", {"orders"}),
        ("UPDATE v SET who = 'x' WHERE n = 1", {"customer"}),
        ("UPDATE v AS each SET each.who = 'x', each.total = each.n", {"customer", "orders"}),
        ("UPDATE w SET named = 'x'", {"customer"}),
        ("DELETE FROM v WHERE n = 1", {"orders"}),
        ("INSERT INTO v (n) VALUES (1)", {"orders"}),
    ],
)
def test_writing_a_view_of_a_join_writes_the_tables_of_the_columns(sql, written):
    # mysqldump writes joins of views in parentheses.
    join = "(`orders` `o` join `customer` `c` on(`o`.`o_customer` = `c`.`c_id`))"
    body = f"select `o`.`o_id` AS `n`, `o`.`o_total` AS `total`, `c`.`c_name` AS `who` from {join}"
    views = {
        "v": View(name="v", sql=body, dialect="mysql"),
        "w": View(name="w", sql="select `v`.`who` from `v`", dialect="mysql", columns=("named",)),
    }
    catalog = Catalog(name="shop", tables=shop().tables, views=views)
    found = understood(sql, catalog=catalog, dialect="mysql")
    (kept,) = (*found.footprints, *found.writes)
    assert kept.writes == written
