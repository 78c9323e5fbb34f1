"""DDL of several schemas, and of tables in partitions."""

from pathlib import Path

import pytest

from workloads.progress import Silent
from workloads.sources.ddl.catalog import Definitions, definitions
from workloads.sql.statements import understand
from workloads.workload import Query, Workload


def read(folder: Path, text: str, dialect: str) -> Definitions:
    file = folder / "schema.sql"
    file.write_text(text)
    return definitions([file], Silent(), dialect=dialect)


def test_a_partition_is_a_view_of_its_table_within_its_bounds(tmp_path):
    found = read(
        tmp_path,
        "CREATE TABLE s.o (id int, day date) PARTITION BY RANGE (day);\n"
        "CREATE TABLE s.o_1 PARTITION OF s.o FOR VALUES FROM (MINVALUE) TO ('2024-01-01');\n"
        "CREATE TABLE s.o_2 (id int, day date);\n"
        "ALTER TABLE ONLY s.o ATTACH PARTITION s.o_2 "
        "FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');\n"
        "CREATE TABLE s.o_3 PARTITION OF s.o DEFAULT;\n"
        "CREATE TABLE r (k text) PARTITION BY LIST (k);\n"
        "CREATE TABLE r_1 PARTITION OF r FOR VALUES IN ('a', 'b');\n"
        "CREATE TABLE r_2 PARTITION OF r FOR VALUES IN ('c', NULL);\n"
        "CREATE TABLE r_3 PARTITION OF r FOR VALUES IN (null);\n"
        "CREATE TABLE r_4 PARTITION OF r FOR VALUES IN ('null');\n"
        "CREATE TABLE h (k text) PARTITION BY HASH (k);\n"
        "CREATE TABLE h_1 PARTITION OF h FOR VALUES WITH (modulus 2, remainder 0);"
        "CREATE TABLE h_2 PARTITION OF h FOR VALUES OF ANOTHER KIND;",
        "postgres",
    )
    assert set(found.catalog.tables) == {"o", "r", "h"}
    assert {name: view.sql for name, view in found.catalog.views.items()} == {
        "o_1": """SELECT * FROM "s"."o" WHERE "day" < '2024-01-01'""",
        "o_2": """SELECT * FROM "s"."o" WHERE "day" >= '2024-01-01' AND "day" < '2025-01-01'""",
        "o_3": """SELECT * FROM "s"."o" WHERE (("day" < '2024-01-01') """
        """OR ("day" >= '2024-01-01' AND "day" < '2025-01-01')) IS NOT TRUE""",
        "r_1": """SELECT * FROM "r" WHERE "k" IN ('a', 'b')""",
        "r_2": """SELECT * FROM "r" WHERE "k" IN ('c') OR "k" IS NULL""",
        "r_3": """SELECT * FROM "r" WHERE "k" IS NULL""",
        "r_4": """SELECT * FROM "r" WHERE "k" IN ('null')""",
        "h_1": """SELECT * FROM "h" WHERE satisfies_hash_partition('"h"'::regclass, 2, 0, "k")""",
        "h_2": """SELECT * FROM "h" WHERE TRUE""",
    }


OF_PARTS = """
CREATE TABLE s.o (id int, day date, k text) PARTITION BY RANGE (day);
CREATE TABLE s.o_1 (id int, day date, k text) PARTITION BY LIST (k);
CREATE TABLE s.o_1_a (id int, day date, k text);
-- rows: 4
CREATE TABLE s.o_2 (id int, day date, k text) PARTITION BY HASH (id);
ALTER TABLE ONLY s.o ATTACH PARTITION s.o_1 FOR VALUES FROM (MINVALUE) TO ('2024-01-01');
ALTER TABLE ONLY s.o ATTACH PARTITION s.o_2 FOR VALUES FROM ('2024-01-01') TO (MAXVALUE);
ALTER TABLE ONLY s.o_1 ATTACH PARTITION s.o_1_a FOR VALUES IN ('a');
CREATE TABLE s.o_2_0 PARTITION OF s.o_2 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE s.old (id int, day date, k text);
ALTER TABLE s.o ATTACH PARTITION s.old DEFAULT;
ALTER TABLE s.o DETACH PARTITION s.old;
CREATE TABLE s.gone PARTITION OF s.o DEFAULT;
DROP TABLE s.gone;
ALTER TABLE s.o RENAME TO orders;
"""


def test_a_statement_on_a_partition_counts_for_its_table(tmp_path):
    found = read(tmp_path, OF_PARTS, "postgres").catalog
    assert set(found.tables) == {"orders", "old"}
    texts = {
        "SELECT count(*) FROM s.o_1_a": {"orders"},
        "SELECT count(*) FROM s.o_2": {"orders"},
        "SELECT count(*) FROM s.o_2_0 WHERE id > 5": {"orders"},
        "SELECT count(*) FROM s.old": {"old"},
        "INSERT INTO s.o_2_0 VALUES (1, '2024-02-03', 'a')": {"orders"},
        "DELETE FROM s.o_1_a WHERE id = 3": {"orders"},
    }
    queries = tuple(Query(name=sql, sql=sql, origin="q") for sql in texts)
    workload = Workload(name="w", dialect="postgres", queries=queries)
    read_ = understand(workload, found, Silent())
    passed = {each.query.name: each.footprint for each in read_.passed_through}
    footprints = (*read_.footprints, *read_.writes, *passed.values())
    assert {each.query: each.tables | each.writes for each in footprints} == texts
    # Which rows a hash has, only PostgreSQL knows.
    assert set(passed) == {"SELECT count(*) FROM s.o_2_0 WHERE id > 5"}


def test_a_table_has_the_rows_of_its_partitions(tmp_path):
    sql = """
    CREATE TABLE a (x int) PARTITION BY RANGE (x);
    -- rows: 30
    CREATE TABLE a1 PARTITION OF a FOR VALUES FROM (1) TO (2);
    -- rows: 12
    CREATE TABLE a2 (x int);
    ALTER TABLE ONLY a ATTACH PARTITION a2 FOR VALUES FROM (2) TO (3);
    """
    found = read(tmp_path, sql, "postgres")
    assert found.catalog.table("a").rows == 42
    assert found.assumed_rows == ()
    assert set(found.catalog.tables) == {"a"}
    unknown = read(tmp_path, sql.replace("-- rows: 12", ""), "postgres")
    assert unknown.assumed_rows == ("a",)


def test_rows_are_those_of_the_schema_that_they_are_in(tmp_path):
    found = read(
        tmp_path,
        "USE `shop`;\nCREATE TABLE t (x int);\nINSERT INTO t VALUES (1),(2);\n"
        "USE `archive`;\nCREATE TABLE t (x int);\nINSERT INTO t VALUES (1),(2),(3);\n",
        "mysql",
    )
    assert {name: table.rows for name, table in found.catalog.tables.items()} == {
        "shop.t": 2,
        "archive.t": 3,
    }


def test_tables_of_one_name_in_two_schemas_are_two(tmp_path):
    found = read(
        tmp_path,
        "CREATE TABLE x.a (b int PRIMARY KEY);\n"
        "-- rows: 7\nCREATE TABLE y.a (c int REFERENCES x.a, d int);\n"
        "ALTER TABLE y.a ADD COLUMN e int; ALTER TABLE x.a ADD COLUMN f int;\n"
        "SET search_path = y, public;\nCREATE TABLE g (h int REFERENCES a);\n"
        "CREATE VIEW x.v AS SELECT * FROM y.a;\nDROP TABLE x.gone, y.gone;",
        "postgres",
    )
    tables = found.catalog.tables
    assert set(tables) == {"x.a", "y.a", "g"}
    assert [each.name for each in tables["y.a"].columns] == ["c", "d", "e"]
    assert [each.name for each in tables["x.a"].columns] == ["b", "f"]
    assert tables["y.a"].rows == 7
    assert tables["g"].schema == "y"
    (key,) = tables["y.a"].foreign_keys
    assert (key.table, key.references) == ("x.a", ("b",))
    assert found.catalog.views["v"].schema == "x"


POSTGRESQL_DUMP = """\
--
-- PostgreSQL database dump
--

CREATE TABLE crm.customer (id uuid, name text);
COPY crm.customer (id, name) FROM stdin;
\\.
"""
MYSQL_DUMP = """\
-- MySQL dump 10.13  Distrib 8.0.33, for Linux (x86_64)
--
-- Host: 127.0.0.1    Database: {0}
-- ------------------------------------------------------

DROP TABLE IF EXISTS `customer`;
CREATE TABLE `customer` (`number` int, KEY (`number`));
INSERT INTO `customer` VALUES (1),(2);
"""


def test_a_dump_of_mysql_says_in_which_database_its_tables_are(tmp_path):
    """And what it drops is no table of another system."""
    (tmp_path / "a.sql").write_text(POSTGRESQL_DUMP)
    (tmp_path / "b.sql").write_text(MYSQL_DUMP.format("shop"))
    (tmp_path / "c.sql").write_text(MYSQL_DUMP.format("the archive"))
    (tmp_path / "d.sql").write_text("CREATE TABLE alone (x int);")
    found = definitions([tmp_path], Silent()).catalog
    assert {name: (table.schema, len(table.columns)) for name, table in found.tables.items()} == {
        "crm.customer": ("crm", 2),
        "shop.customer": ("shop", 1),
        "the archive.customer": ("the archive", 1),
        "alone": ("", 1),
    }
    assert [found.table(f"{name}.customer").rows for name in ("shop", "the archive")] == [2, 2]


def test_mysqls_unsigned_decimals_and_doubles_are_numbers(tmp_path):
    sql = "CREATE TABLE t (a decimal(10,2) unsigned, b double(10,2) unsigned, c double unsigned);"
    types = [each.type for each in read(tmp_path, sql, "mysql").catalog.table("t").columns]
    assert types == ["DECIMAL(10,2)", "DOUBLE", "DOUBLE"]


MYSQL, POSTGRESQL = "-- MySQL dump 10.13  Distrib 8.0.33\n", "-- PostgreSQL database dump\n"
TWO = "CREATE TABLE full_one (a int);\nCREATE TABLE empty_one (a int);\n"
FILLED = "INSERT INTO full_one VALUES (1),(2);\n"
LOCKED = f"LOCK TABLES `full_one` WRITE;\n{FILLED}UNLOCK TABLES;\n"
COPIED = "COPY full_one (a) FROM stdin;\n1\n2\n\\.\n"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (MYSQL + TWO + FILLED, 0),
        (MYSQL + TWO + LOCKED + "LOCK TABLES `empty_one` WRITE;\nUNLOCK TABLES;\n", 0),
        (MYSQL + TWO + "LOCK TABLES `empty_one` WRITE;\nUNLOCK TABLES;\n", 0),
        # Without its data, though others have theirs: --ignore-table-data, --exclude-table-data.
        (MYSQL + TWO + LOCKED, None),
        (POSTGRESQL + TWO + COPIED, None),
        (POSTGRESQL + TWO + COPIED + "COPY empty_one (a) FROM stdin;\n\\.\n", 0),
        (POSTGRESQL + TWO + FILLED, 0),
        (MYSQL + TWO, None),
        (POSTGRESQL + TWO, None),
        # No program says that all data are here.
        (TWO + FILLED, None),
        (POSTGRESQL + TWO.replace("TABLE empty", "FOREIGN TABLE empty") + FILLED, None),
        (MYSQL + TWO.replace("CREATE TABLE empty", "-- rows: 7\nCREATE TABLE empty") + FILLED, 7),
    ],
)
def test_a_table_without_data_is_empty_if_its_dump_has_all_data(tmp_path, text, rows):
    (tmp_path / "dump.sql").write_text(text)
    found = definitions([tmp_path], Silent())
    assert found.catalog.table("empty_one").rows == (1_000 if rows is None else rows)
    assert ("empty_one" in found.assumed_rows) is (rows is None)


MATERIALISED = """
CREATE MATERIALIZED VIEW sales.by_day AS
 SELECT o.day, o.total, a.city AS "Own City"
   FROM (sales.orders o JOIN sales.address a ON a.id = o.a)
  WHERE (o.day = '2024-01-01'::date)
  WITH NO DATA;
-- rows: 1_000_000
CREATE TABLE sales.orders (id int, a int, day date, total numeric(9,2));
-- rows: 10
CREATE TABLE sales.address (id int PRIMARY KEY, city text);
CREATE TABLE crm.address (id int PRIMARY KEY, street text);
CREATE MATERIALIZED VIEW renamed (number, place) AS SELECT id, city FROM sales.address;
-- rows: 77
CREATE MATERIALIZED VIEW counted AS SELECT day, count(*) AS n FROM sales.orders GROUP BY day;
CREATE MATERIALIZED VIEW own AS SELECT id, nosuch FROM sales.address;
REFRESH MATERIALIZED VIEW sales.by_day;
"""


def test_a_materialised_view_is_a_table_with_the_rows_that_its_query_is_estimated_to_have(tmp_path):
    found = read(tmp_path, MATERIALISED, "postgres")
    tables = found.catalog.tables
    assert set(found.catalog.views) == {"own"}
    assert found.skipped == ()
    assert [(each.name, each.type) for each in tables["by_day"].columns] == [
        ("day", "DATE"),
        ("total", "DECIMAL(9,2)"),
        ("Own City", "VARCHAR"),
    ]
    assert (tables["by_day"].schema, tables["counted"].rows, tables["renamed"].rows) == (
        "sales", 77, 10,
    )  # fmt: skip
    assert [each.name for each in tables["renamed"].columns] == ["number", "place"]
    assert 1 <= tables["by_day"].rows < 1_000_000
    assert set(found.assumed_rows) == {"crm.address"}
    asked = Query(name="q", sql='SELECT "Own City" FROM sales.by_day', origin="q")
    workload = Workload(name="w", dialect="postgres", queries=(asked,))
    (footprint,) = understand(workload, found.catalog, Silent()).footprints
    assert footprint.tables == {"by_day"}


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("postgres", "DOUBLE"),
        ("mysql", "DECIMAL(10,0)"),
        ("tsql", "DECIMAL(18,0)"),
        ("snowflake", "DECIMAL(38,0)"),
        ("spark", "DECIMAL(10,0)"),
        ("duckdb", "DECIMAL(18,3)"),
    ],
)
def test_a_decimal_without_digits_has_those_of_its_system(tmp_path, dialect, expected):
    table = read(tmp_path, "CREATE TABLE t (a numeric, b numeric(30, 10));", dialect).catalog.table(
        "t"
    )
    assert [each.type for each in table.columns] == [expected, "DECIMAL(30,10)"]


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_what_is_dropped_without_a_schema_is_of_the_current_one(tmp_path, dialect):
    current = {"postgres": "SET search_path = b;", "mysql": "USE b;"}[dialect]
    text = f"CREATE TABLE a.t (x int); {current} DROP TABLE IF EXISTS t; CREATE TABLE t (y int);"
    found = read(tmp_path, text, dialect)
    assert set(found.catalog.tables) == {"a.t", "b.t"}
