from collections.abc import Sequence

import pytest

from tests.catalogs import shop
from workloads.catalog import Catalog, View
from workloads.progress import Silent
from workloads.sql.statements import Understood, understand
from workloads.workload import Query, Skipped, Workload


def understood(
    statements: Sequence[str] | str, dialect: str = "postgres", catalog: Catalog | None = None
) -> Understood:
    listed = [statements] if isinstance(statements, str) else statements
    queries = tuple(
        Query(name=f"s{line}", sql=sql, origin="w.sql", line=line, executions=float(line))
        for line, sql in enumerate(listed, start=1)
    )
    workload = Workload(name="w", dialect=dialect, queries=queries)
    return understand(workload, catalog or shop(), Silent())


def only_skipped(statements: Sequence[str] | str, dialect: str = "postgres") -> Skipped:
    found = understood(statements, dialect)
    assert (found.footprints, found.writes) == ((), ())
    (skipped,) = found.skipped
    return skipped


@pytest.mark.parametrize(
    ("sql", "dialect", "kind"),
    [
        ("DROP TABLE customer", "postgres", "definition"),
        ("ALTER TABLE customer ADD COLUMN a int", "postgres", "definition"),
        ("CREATE INDEX i ON customer (c_id)", "postgres", "definition"),
        ("CREATE TABLE t (a int)", "postgres", "definition"),
        (
            "CREATE FUNCTION f() RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql",
            "postgres",
            "definition",
        ),
        ("GRANT SELECT ON customer TO u", "postgres", "definition"),
        ("COMMENT ON TABLE customer IS 'x'", "postgres", "definition"),
        ("VACUUM ANALYZE customer", "postgres", "maintenance"),
        ("ANALYZE", "postgres", "maintenance"),
        ("REINDEX TABLE customer", "postgres", "maintenance"),
        ("REFRESH MATERIALIZED VIEW CONCURRENTLY totals", "postgres", "maintenance"),
        ("CHECKPOINT", "postgres", "maintenance"),
        ("OPTIMIZE TABLE customer", "mysql", "maintenance"),
        ("/* nightly */ ANALYZE TABLE customer", "mysql", "maintenance"),
        ("MSCK REPAIR TABLE customer", "spark", "maintenance"),
        ("COPY customer (c_id) TO STDOUT", "postgres", "dump"),
        ('COPY "shop"."a (b)" ("c)", d) TO stdout', "postgres", "dump"),
        ("COPY item FROM STDIN", "postgres", "load"),
        ("copy staging.rows ( a, b ) from 's3://x'", "redshift", "load"),
        ("COPY INTO staging FROM @stage", "snowflake", "load"),
        ("LOAD DATA LOCAL INFILE 'x' INTO TABLE item", "mysql", "load"),
        ("SET search_path = shop", "postgres", "session"),
        ("START TRANSACTION", "postgres", "session"),
        ("SAVEPOINT a", "postgres", "session"),
        ("SHOW TABLES", "mysql", "session"),
        ("USE shop", "mysql", "session"),
        ("PRAGMA threads=4", "duckdb", "session"),
        ("CALL f()", "mysql", "session"),
        ("FETCH 100 FROM c", "postgres", "session"),
        ("EXPLAIN SELECT c_id FROM customer", "postgres", "session"),
        (r"\timing on", "postgres", "session"),
        ("SELECT 1", "postgres", "session"),
        ("/* keep alive */ SELECT now()", "postgres", "session"),
        ("SELECT SYSDATE FROM dual", "oracle", "session"),
        ("SELECT * FROM generate_series(1, 3)", "postgres", "session"),
        ("SELECT * FROM pg_stat_activity", "postgres", "catalog"),
        ("SELECT table_name FROM information_schema.tables", "mysql", "catalog"),
        ("SELECT name FROM sys.tables", "tsql", "catalog"),
        ("SELECT user, host FROM mysql.user", "mysql", "catalog"),
        (
            "WITH n AS (SELECT oid FROM pg_namespace) SELECT relname FROM pg_catalog.pg_class, n",
            "postgres",
            "catalog",
        ),
    ],
)
def test_what_reads_no_table_is_skipped_and_counted(sql: str, dialect: str, kind: str):
    skipped = only_skipped(sql, dialect)
    assert skipped.kind == kind
    assert skipped.reason


@pytest.mark.parametrize(
    ("sql", "column", "reason"),
    [
        ("SELEC c_id FROM customer", 1, "did you mean 'SELECT'"),
        ("SELECT c_id FROM custmer", 18, "did you mean 'customer'"),
        ("SELECT c_nam FROM customer", 8, "did you mean 'c_name'"),
        ("INSERT INTO custmer VALUES (1)", 13, "did you mean 'customer'"),
        ("UPDATE custmer SET c_id = 1", 8, "did you mean 'customer'"),
        ("DELETE FROM customer WHERE nope = 1", 28, "unknown column 'nope'"),
        ("INSERT INTO item SELECT nope FROM customer", 25, "unknown column 'nope'"),
        ("INSERT INTO item SELECT FROM WHERE", 30, ""),
        ("CREATE VIEW v AS SELECT nope FROM customer", 25, "unknown column 'nope'"),
        ("CREATE VIEW v AS SELECT * FROM v", 32, "reads itself"),
        ("MERGE INTO item USING nope ON true WHEN MATCHED THEN DELETE", 23, "unknown table 'nope'"),
        ("42", 1, "no statement"),
        ("INSERT INTO item (i_order, i_nope) VALUES (1, 2)", 28, "unknown column 'i_nope'"),
        ("UPDATE orders SET o_totl = 1", 19, "did you mean 'o_total'"),
        ("UPDATE orders o SET o.o_totl = 1", 21, "did you mean 'o_total'"),
    ],
)
def test_what_is_not_understood_is_listed_with_its_place_and_reason(
    sql: str, column: int, reason: str
):
    skipped = only_skipped(sql)
    assert (skipped.source, skipped.line, skipped.column) == ("w.sql", 1, column)
    assert skipped.kind == "invalid"
    assert reason in skipped.reason


def test_one_bad_statement_does_not_hide_the_others():
    found = understood(
        ["SELECT c_id FROM customer", "SELECT FROM WHERE", "SELECT o_id FROM orders"]
    )
    assert [query.name for query in found.workload.queries] == ["s1", "s3"]
    assert [footprint.query for footprint in found.footprints] == ["s1", "s3"]
    assert [(skipped.line, skipped.executions) for skipped in found.skipped] == [(2, 2.0)]


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


def test_a_view_defined_in_the_workload_is_kept_in_the_catalog():
    found = understood(
        [
            "CREATE VIEW v (n, t) AS SELECT c_name, o_total FROM customer, orders",
            "SELECT n FROM v WHERE t > 5",
        ]
    )
    (footprint,) = found.footprints
    assert footprint.tables == {"customer", "orders"}
    assert found.catalog.views["v"].columns == ("n", "t")
    assert [skipped.kind for skipped in found.skipped] == ["definition"]


def test_a_view_may_be_defined_after_what_reads_it():
    found = understood(
        [
            "SELECT n FROM Upper",
            "CREATE VIEW upper AS SELECT n FROM lower",
            "CREATE VIEW lower AS SELECT c_id AS n FROM customer",
        ]
    )
    assert [(each.query, each.executions) for each in found.footprints] == [("s1", 1.0)]
    assert found.footprints[0].tables == {"customer"}
    assert [each.kind for each in found.skipped] == ["definition", "definition"]


def test_views_that_read_each_other_are_invalid():
    found = understood(
        ["SELECT * FROM v", "CREATE VIEW v AS SELECT * FROM w", "CREATE VIEW w AS SELECT * FROM v"]
    )
    assert [each.kind for each in found.skipped] == ["invalid"] * 3


def test_each_statement_reads_the_view_as_it_was_then():
    found = understood(
        [
            "CREATE VIEW v AS SELECT c_id AS a FROM customer",
            "CREATE VIEW w AS SELECT a FROM v",
            "SELECT v.a FROM v",
            "CREATE OR REPLACE VIEW v AS SELECT o_id AS a FROM orders",
            "SELECT v.a FROM v",
            "SELECT a FROM w",
            "DROP VIEW v",
            "CREATE VIEW v AS SELECT i_order AS a FROM item",
            "SELECT v.a FROM v",
            "WITH v AS (SELECT c_id AS a FROM customer) SELECT a FROM v",
        ]
    )
    read = [footprint.tables for footprint in found.footprints]
    assert read == [{"customer"}, {"orders"}, {"orders"}, {"item"}, {"customer"}]


def test_the_same_view_defined_again_is_the_same_view():
    view = "CREATE OR REPLACE VIEW v AS SELECT c_id FROM customer"
    found = understood([view, "SELECT c_id FROM v", view, "SELECT c_id FROM v"])
    assert list(found.catalog.views) == ["v"]


def test_what_reads_a_view_that_was_not_understood_says_so():
    found = understood(["CREATE VIEW v AS SELECT nope FROM customer", "SELECT * FROM v"])
    assert [skipped.kind for skipped in found.skipped] == ["invalid", "invalid"]
    assert "definition of 'v' was not understood (w.sql:1)" in found.skipped[1].reason


def test_what_the_source_left_out_is_listed_with_the_rest():
    before = Skipped(source="log.csv", line=3, reason="no statement")
    workload = Workload(name="w", dialect="duckdb", queries=(), skipped=(before,))
    assert understand(workload, shop(), Silent()).skipped == (before,)


def test_several_statements_in_one_text_are_read_one_by_one():
    query = Query(
        name="log",
        sql="BEGIN; SELECT c_id FROM customer;\nSELECT nope FROM customer; COMMIT",
        origin="w.sql",
        line=5,
        column=3,
    )
    found = understand(Workload(name="w", dialect="duckdb", queries=(query,)), shop(), Silent())
    assert [each.name for each in found.workload.queries] == ["log/2"]
    assert [(each.kind, each.line, each.column) for each in found.skipped] == [
        ("session", 5, 3),
        ("invalid", 6, 8),
        ("session", 6, 28),
    ]


@pytest.mark.parametrize("sql", ["", "  \n", "-- nothing", "/* nothing */", ";;"])
def test_an_empty_statement_is_skipped(sql: str):
    assert only_skipped(sql).kind == "session"


@pytest.mark.parametrize("sql", ["SELECT 'open; SELECT 1", "SELECT c_id FROM customer; SELECT 'x"])
def test_a_text_that_cannot_be_split_is_invalid(sql: str):
    assert only_skipped(sql).kind == "invalid"


@pytest.mark.parametrize(
    ("view", "dialect"),
    [
        ("CREATE VIEW v AS SELECT o_id FROM orders WITH LOCAL CHECK OPTION", "postgres"),
        ("CREATE ALGORITHM = MERGE VIEW v AS SELECT o_id FROM orders WITH CHECK OPTION", "mysql"),
        (
            "CREATE DEFINER=`a`@`%` SQL SECURITY INVOKER VIEW v AS SELECT o_id FROM orders",
            "mysql",
        ),
    ],
)
def test_a_view_is_read_without_the_clauses_that_no_query_has(view: str, dialect: str):
    found = understood([view, "SELECT o_id FROM v"], dialect)
    assert [skipped.reason for skipped in found.skipped] == ["it defines the view 'v'"]
    assert [each.tables for each in found.footprints] == [{"orders"}]
