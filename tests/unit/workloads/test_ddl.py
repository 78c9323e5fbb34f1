from pathlib import Path

import pytest

from workloads.catalog import ForeignKey
from workloads.definition import TableName, TypeDefinition
from workloads.errors import CatalogError, ConfigurationError, SqlError
from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions
from workloads.sources.ddl.dialect import detect
from workloads.sources.ddl.dumps import read_dump
from workloads.sources.ddl.row_counts import row_counts
from workloads.sources.ddl.type_widths import mean_width_bytes
from workloads.sql.parsing.lexis import lexis
from workloads.sql.result_columns import result_columns
from workloads.sql.statements import understand
from workloads.workload import Query, Workload

POSTGRESQL = r"""
\connect shop
CREATE TYPE public.mood AS ENUM ('sad', 'happy');
CREATE DOMAIN public.amount AS numeric(12,2) CHECK (VALUE >= 0);
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CREATE TABLE never (a int); RETURN NEW;
END;
$$;
CREATE TABLE public.customer (
    id integer NOT NULL,
    name character varying(100) DEFAULT 'a,(b'::character varying,
    mood public.mood,
    balance public.amount,
    tags text[],
    created timestamp with time zone DEFAULT now()
);
CREATE TABLE public."Order" (
    id bigint NOT NULL, customer_id integer NOT NULL, EXCLUDE USING gist (id WITH &&)
) PARTITION BY RANGE (id);
CREATE TABLE order_1 PARTITION OF "Order" FOR VALUES FROM (1) TO (10);
COPY public.customer (id, name) FROM stdin;
1	it's; not CREATE TABLE no (a int);
2	c
\.
ALTER TABLE ONLY public.customer ADD CONSTRAINT customer_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public."Order" ADD CONSTRAINT f FOREIGN KEY (customer_id)
    REFERENCES public.customer(id) ON DELETE CASCADE;
CREATE VIEW public.names(n) AS SELECT name FROM public.customer WITH CASCADED CHECK OPTION;
CREATE MATERIALIZED VIEW public.kept AS
 SELECT 1 AS one
  WITH NO DATA;
"""

MYSQL = r"""
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
DROP TABLE IF EXISTS `customer`;
CREATE TABLE `customer` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(255) COLLATE utf8mb4_bin NOT NULL DEFAULT 'a\'b' COMMENT 'the, (name',
  `kind` enum('x','yyy') DEFAULT NULL,
  `key` tinyint(1), `body` longtext, `at` datetime(6) ON UPDATE CURRENT_TIMESTAMP(6),
  PRIMARY KEY (`id`,`name`(10)) USING BTREE,
  UNIQUE KEY `u` (`name`),
  KEY `k` (`kind`), FULLTEXT KEY `f` (`name`),
  CONSTRAINT `c` FOREIGN KEY (`key`) REFERENCES `sort` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=10 COMMENT='x; y'
/*!50100 PARTITION BY RANGE (id)
(PARTITION p0 VALUES LESS THAN (10)) */;
CREATE TABLE sort LIKE customer;
INSERT INTO `customer` VALUES (1,'a(b),(c','x',NULL),(2,'d\'e','yyy',NULL);
INSERT INTO `customer` VALUES (3,'a','x',NULL);
DELIMITER ;;
CREATE TRIGGER `t` BEFORE INSERT ON `customer` FOR EACH ROW BEGIN CREATE TABLE no (a int); END ;;
DELIMITER ;
/*!50001 CREATE VIEW `v` AS SELECT
 1 AS `a`*/;
/*!50001 DROP VIEW IF EXISTS `v`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`%` SQL SECURITY DEFINER */
/*!50001 VIEW `v` AS select `customer`.`id` AS `a` from `customer` */;
"""

TSQL = """
USE [shop]
GO
CREATE TABLE [dbo].[Orders](
	[Id] [int] IDENTITY(1,1) NOT NULL,
	[Note] [nvarchar](max) NULL,
	[Paid] [bit] NOT NULL DEFAULT ((0)),
	[Price] [money],
 CONSTRAINT [PK_Orders] PRIMARY KEY CLUSTERED ([Id] ASC) WITH (PAD_INDEX = OFF) ON [PRIMARY]
) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
GO
CREATE TABLE [dbo].[Line]([OrderId] [int] NOT NULL, [No] [int] NOT NULL)
GO
ALTER TABLE [dbo].[Line]  WITH CHECK ADD  CONSTRAINT [FK] FOREIGN KEY([OrderId])
REFERENCES [dbo].[Orders] ([Id])
GO
CREATE TABLE #scratch (a int)
GO
"""


def written(folder: Path, text: str, name: str = "schema.sql") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def read(folder: Path, text: str, dialect: str | None = None, **more):
    return definitions([written(folder, text)], Silent(), dialect=dialect, **more)


def table_of(folder: Path, text: str, dialect: str, name: str = "t"):
    found = read(folder, text, dialect)
    assert found.skipped == ()
    return found.catalog.table(name)


def types(table) -> dict[str, str]:
    return {column.name: column.type for column in table.columns}


def test_a_pg_dump_gives_tables_keys_views_and_the_rows_of_its_data(tmp_path):
    found = read(tmp_path, POSTGRESQL)
    assert found.dialect == "postgres"
    assert found.skipped == ()
    assert set(found.catalog.tables) == {"customer", "Order", "kept"}
    customer = found.catalog.table("customer")
    assert types(customer) == {
        "id": "INTEGER",
        "name": "VARCHAR",
        "mood": "VARCHAR",
        "balance": "DECIMAL(12,2)",
        "tags": "VARCHAR[]",
        "created": "TIMESTAMP WITH TIME ZONE",
    }
    assert customer.rows == 2
    assert customer.primary_key == ("id",)
    assert customer.column("mood").width_bytes == pytest.approx(4)
    assert found.catalog.table("Order").foreign_keys == (
        ForeignKey(columns=("customer_id",), table="customer", references=("id",)),
    )
    assert found.assumed_rows == ("Order",)
    views = found.catalog.views
    assert (views["names"].sql, views["names"].columns) == (
        "SELECT name FROM public.customer",
        ("n",),
    )
    kept = found.catalog.table("kept")
    assert (types(kept), kept.rows) == ({"one": "INTEGER"}, 1)


def test_a_mysqldump_gives_tables_keys_views_and_the_rows_of_its_data(tmp_path):
    found = read(tmp_path, MYSQL)
    assert found.dialect == "mysql"
    assert found.skipped == ()
    customer = found.catalog.table("customer")
    assert types(customer) == {
        "id": "UINTEGER",
        "name": "VARCHAR",
        "kind": "VARCHAR",
        "key": "TINYINT",
        "body": "VARCHAR",
        "at": "TIMESTAMP",
    }
    assert customer.rows == 3
    assert customer.primary_key == ("id", "name")
    assert customer.foreign_keys == (
        ForeignKey(columns=("key",), table="sort", references=("id",)),
    )
    assert found.catalog.table("sort").primary_key == ("id", "name")
    assert found.catalog.views["v"].sql.startswith("select `customer`.`id` AS `a` from")


def test_a_script_of_sql_server_is_read_batch_by_batch(tmp_path):
    found = read(tmp_path, TSQL)
    assert found.dialect == "tsql"
    assert found.skipped == ()
    assert set(found.catalog.tables) == {"Orders", "Line"}
    orders = found.catalog.table("Orders")
    assert types(orders) == {
        "Id": "INTEGER",
        "Note": "VARCHAR",
        "Paid": "BOOLEAN",
        "Price": "DECIMAL(19,4)",
    }
    assert orders.primary_key == ("Id",)
    assert found.catalog.table("Line").foreign_keys[0].table == "Orders"


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        (
            "sqlite",
            (
                'CREATE TABLE IF NOT EXISTS "t" (id INTEGER PRIMARY KEY AUTOINCREMENT, x,'
                " y NVARCHAR(9)"
                " NOT NULL, FOREIGN KEY(x) REFERENCES a(b)) WITHOUT ROWID"
            ),
            {"id": "INTEGER", "x": "VARCHAR", "y": "VARCHAR"},
        ),
        (
            "spark",
            (
                "CREATE TABLE db.t (a BIGINT COMMENT 'x, y', m MAP<STRING, ARRAY<INT>>,"
                " s STRUCT<b: INT>) USING delta PARTITIONED BY (a) LOCATION 's3://x'"
                " TBLPROPERTIES ('a' = 'b')"
            ),
            {"a": "BIGINT", "m": "MAP(VARCHAR, INTEGER[])", "s": "STRUCT(b INTEGER)"},
        ),
        (
            "hive",
            "CREATE EXTERNAL TABLE t (a INT) PARTITIONED BY (dt STRING) STORED AS PARQUET",
            {"a": "INTEGER", "dt": "VARCHAR"},
        ),
        (
            "snowflake",
            (
                "create or replace TABLE DB.S.T (ID NUMBER(38,0) NOT NULL autoincrement start 1,"
                " V VARIANT, D TIMESTAMP_NTZ(9), primary key (ID)) CLUSTER BY (ID)"
            ),
            {"ID": "DECIMAL(38,0)", "V": "VARIANT", "D": "TIMESTAMP_NS"},
        ),
        (
            "oracle",
            (
                "CREATE TABLE hr.t (id NUMBER(10) GENERATED BY DEFAULT AS IDENTITY,"
                " n VARCHAR2(20 CHAR), CONSTRAINT pk PRIMARY KEY (id) USING INDEX TABLESPACE i)"
                " TABLESPACE u PCTFREE 10"
            ),
            {"id": "DECIMAL(10,0)", "n": "VARCHAR"},
        ),
        (
            "redshift",
            (
                "CREATE TABLE t (a int ENCODE az64 DISTKEY, b varchar(10) ENCODE lzo) DISTSTYLE KEY"
                " SORTKEY (a)"
            ),
            {"a": "INTEGER", "b": "VARCHAR"},
        ),
        (
            "bigquery",
            (
                "CREATE TABLE `p.d.t` (a INT64 NOT NULL, b STRING(20) OPTIONS(description='x'),"
                " c ARRAY<STRUCT<x INT64, y STRING>>) PARTITION BY DATE(a) CLUSTER BY b"
            ),
            {"a": "BIGINT", "b": "VARCHAR", "c": "STRUCT(x BIGINT, y VARCHAR)[]"},
        ),
        (
            "clickhouse",
            (
                "CREATE TABLE t (a UInt64, b LowCardinality(String), c Nullable(Int8)) ENGINE ="
                " MergeTree ORDER BY a"
            ),
            {"a": "UBIGINT", "b": "VARCHAR", "c": "TINYINT"},
        ),
        (
            "duckdb",
            "CREATE TABLE t (a HUGEINT, b ENUM('x', 'y'), c DECIMAL(9,2) CHECK (c < 5), d BLOB)",
            {"a": "HUGEINT", "b": "VARCHAR", "c": "DECIMAL(9,2)", "d": "BLOB"},
        ),
        (
            "postgres",
            (
                "CREATE TABLE t (a serial, b smallserial, c bytea, d jsonb, e money, f inet,"
                " g tsvector, h double precision, i time with time zone, j uuid)"
            ),
            {
                "a": "INTEGER",
                "b": "SMALLINT",
                "c": "BLOB",
                "d": "JSON",
                "e": "DECIMAL(19,4)",
                "f": "VARCHAR",
                "g": "VARCHAR",
                "h": "DOUBLE",
                "i": "TIME WITH TIME ZONE",
                "j": "UUID",
            },
        ),
    ],
)
def test_every_dialects_types_have_duckdbs_names(tmp_path, dialect, sql, expected):
    name = "T" if dialect == "snowflake" else "t"
    assert types(table_of(tmp_path, sql, dialect, name)) == expected


@pytest.mark.parametrize(
    ("constraint", "key"),
    [
        ("a int PRIMARY KEY, b int", ("a",)),
        ("a int, b int, PRIMARY KEY (a, b)", ("a", "b")),
        ("a int, b int, CONSTRAINT pk PRIMARY KEY (B, a)", ("b", "a")),
        ("a int NOT NULL UNIQUE, b int", ("a",)),
        ("a int UNIQUE, b int", ()),
        ("a int NOT NULL, b int NOT NULL, UNIQUE (a, b)", ("a", "b")),
        ("a int NOT NULL, b int, UNIQUE (a, b)", ()),
        ("a int, b int, CHECK (a IN (1, 2))", ()),
    ],
)
def test_the_key_is_the_primary_one_or_a_unique_one_without_nulls(tmp_path, constraint, key):
    assert table_of(tmp_path, f"CREATE TABLE t ({constraint})", "postgres").primary_key == key


def test_a_reference_without_columns_means_the_primary_key(tmp_path):
    sql = "CREATE TABLE t (a int REFERENCES u); CREATE TABLE u (x int, y int PRIMARY KEY);"
    assert table_of(tmp_path, sql, "postgres").foreign_keys == (
        ForeignKey(columns=("a",), table="u", references=("y",)),
    )


def test_keys_tell_how_many_values_a_column_has(tmp_path):
    sql = """
    -- rows: 50
    CREATE TABLE region (id int PRIMARY KEY, flag boolean);
    -- rows: 1_000_000
    CREATE TABLE sale (id int PRIMARY KEY, region int REFERENCES region, note text);
    """
    found = read(tmp_path, sql, "postgres").catalog
    distinct = {
        (table.name, column.name): column.statistics and column.statistics.distinct
        for table in found.tables.values()
        for column in table.columns
    }
    assert distinct == {
        ("region", "id"): 50,
        ("region", "flag"): 2,
        ("sale", "id"): 1_000_000,
        ("sale", "region"): 50,
        ("sale", "note"): None,
    }


def test_a_table_made_of_a_query_has_its_columns(tmp_path):
    sql = """
    CREATE TABLE a (id bigint, name varchar(10), total decimal(9,2));
    CREATE TABLE b AS SELECT name, sum(total) AS total, count(*) AS n FROM a GROUP BY name;
    CREATE TABLE c AS SELECT * FROM b;
    """
    found = read(tmp_path, sql, "postgres")
    assert types(found.catalog.table("c")) == {
        "name": "VARCHAR",
        "total": "DECIMAL(9,2)",
        "n": "BIGINT",
    }
    assert found.catalog.table("c").column("name").width_bytes == 10


def test_a_table_made_of_a_query_over_nothing_known_is_left_out_with_its_place(tmp_path):
    found = read(tmp_path, "CREATE TABLE a (x int);\nCREATE TABLE b AS SELECT * FROM gone;")
    assert set(found.catalog.tables) == {"a"}
    assert [(each.line, each.kind) for each in found.skipped] == [(2, "invalid")]
    assert "unknown table 'gone'" in found.skipped[0].reason


def test_migrations_add_change_rename_and_drop(tmp_path):
    sql = """
    CREATE TABLE a (id int, x int, y int);
    ALTER TABLE a ADD COLUMN z varchar(5) NOT NULL, DROP COLUMN x;
    ALTER TABLE a RENAME COLUMN y TO w;
    ALTER TABLE a ALTER COLUMN w TYPE bigint;
    ALTER TABLE a ADD PRIMARY KEY (id);
    ALTER TABLE a RENAME TO t;
    CREATE TABLE gone (a int);
    DROP TABLE IF EXISTS gone, never CASCADE;
    """
    found = read(tmp_path, sql, "postgres").catalog
    assert set(found.tables) == {"t"}
    assert types(found.table("t")) == {"id": "INTEGER", "w": "BIGINT", "z": "VARCHAR"}
    assert found.table("t").primary_key == ("id",)


def test_a_table_of_postgresql_may_have_no_columns(tmp_path):
    found = read(tmp_path, "CREATE TABLE a (id integer); CREATE TABLE none ();", "postgres")
    assert found.skipped == ()
    assert found.catalog.table("none").is_bare
    queries = [
        Query(name=sql, sql=sql, origin="q")
        for sql in (
            *("SELECT count(*) FROM none", "SELECT id FROM none, a", "SELECT id FROM none"),
            "SELECT id FROM a",
        )
    ]
    workload = Workload(name="w", dialect="postgres", queries=tuple(queries))
    understood = understand(workload, found.catalog, Silent())
    told = {each.query.name: each.footprint.tables for each in understood.passed_through}
    assert {name: set(tables) for name, tables in told.items()} == {
        "SELECT count(*) FROM none": {"none"},
        "SELECT id FROM none, a": {"a", "none"},
    }
    assert [each.source for each in understood.skipped] == ["q"]
    # The other tables of the catalog are read as without it.
    (query,) = understood.workload.queries
    (column,) = result_columns(query, found.catalog, "postgres")
    assert (column.name, column.type) == ("id", "INTEGER")


def test_a_dump_of_all_databases_has_no_tables_of_the_server_itself(tmp_path):
    dump = "-- MySQL dump 10.13  Distrib 8.0.33, for Linux (x86_64)\n"
    for database in ("mysql", "shop", "sys"):
        dump += f"USE `{database}`;\nCREATE TABLE `user` (`id` int NOT NULL);\n"
        dump += f"CREATE VIEW `{database}_users` AS select `id` from `user`;\n"
        dump += "INSERT INTO `user` VALUES (1),(2);\n"
    found = read(tmp_path, dump)
    assert found.skipped == ()
    assert [(each.schema, each.rows) for each in found.catalog.tables.values()] == [("shop", 2)]
    assert set(found.catalog.views) == {"shop_users"}


def test_a_table_inherits_and_is_made_like_another(tmp_path):
    sql = """
    CREATE TABLE a (x int PRIMARY KEY);
    CREATE TABLE b (LIKE a INCLUDING ALL, y int);
    CREATE TABLE t (z int) INHERITS (b);
    """
    assert list(types(table_of(tmp_path, sql, "postgres"))) == ["x", "y", "z"]


def test_a_table_like_one_that_is_not_there_is_left_out(tmp_path):
    found = read(tmp_path, "CREATE TABLE a (x int); CREATE TABLE b (LIKE aa);", "postgres")
    assert "made like 'aa', which is not defined before" in found.skipped[0].reason


def test_rows_come_from_a_comment_a_file_beside_or_a_file_given(tmp_path):
    sql = "-- the large one\n-- rows: 1_500_000\nCREATE TABLE a (x int);\nCREATE TABLE b (x int);"
    assert read(tmp_path, sql).catalog.table("a").rows == 1_500_000
    assert read(tmp_path, sql).assumed_rows == ("b",)
    written(tmp_path, "table,rows\nshop.B,7\n", "rows.csv")
    assert read(tmp_path, sql).catalog.table("b").rows == 7
    given = written(tmp_path, "a;8\nb;9\n", "mine.csv")
    counted = read(tmp_path, sql, rows=given)
    assert [table.rows for table in counted.catalog.tables.values()] == [8, 9]
    assert counted.assumed_rows == ()


def test_a_comment_tells_more_of_a_table_than_the_few_rows_in_its_dump(tmp_path):
    sql = "{}CREATE TABLE a (x int);\nINSERT INTO a VALUES (1), (2);"
    assert read(tmp_path, sql.format("-- rows: 90\n")).catalog.table("a").rows == 90
    assert read(tmp_path, sql.format("")).catalog.table("a").rows == 2


def test_row_counts_that_are_wrong_are_refused_with_their_line(tmp_path):
    with pytest.raises(CatalogError, match=r"rows.csv:2: 'b,many' is not a table and its rows"):
        row_counts(written(tmp_path, "a,1\nb,many\n", "rows.csv"))
    given = written(tmp_path, "custmer,1\n", "rows.csv")
    with pytest.raises(CatalogError, match=r"counts the rows of 'custmer'.* mean 'customer'\?"):
        read(tmp_path, "CREATE TABLE customer (a int)", rows=given)
    assert read(tmp_path, "CREATE TABLE customer (a int)").assumed_rows == ("customer",)


def test_a_comment_of_rows_that_is_no_number_is_left_out_with_its_place(tmp_path):
    found = read(tmp_path, "-- rows: lots\nCREATE TABLE a (x int);")
    assert (found.skipped[0].line, found.skipped[0].column) == (2, 1)
    assert "'-- rows: lots'" in found.skipped[0].reason


def test_several_files_and_folders_are_one_catalog(tmp_path):
    written(tmp_path, "CREATE TABLE a (x int);", "1.sql")
    (tmp_path / "more").mkdir()
    written(tmp_path / "more", "CREATE TABLE b (y int REFERENCES a);", "2.sql")
    found = definitions([tmp_path], Silent())
    assert set(found.catalog.tables) == {"a", "b"}


def test_a_table_defined_twice_is_refused_unless_it_is_the_same(tmp_path):
    same = "CREATE TABLE a (x int); CREATE TABLE a (x int); CREATE TABLE IF NOT EXISTS a (z int);"
    assert types(table_of(tmp_path, same, "postgres", "a")) == {"x": "INTEGER"}
    replaced = "CREATE TABLE a (x int); CREATE OR REPLACE TABLE a (z int);"
    assert types(table_of(tmp_path, replaced, "duckdb", "a")) == {"z": "INTEGER"}
    with pytest.raises(CatalogError, match=r"'x.a' is defined twice .*schema.sql:1.*sql:2"):
        read(tmp_path, "CREATE TABLE x.a (b int);\nCREATE TABLE x.a (c int);")


def test_ddl_without_a_table_and_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(CatalogError, match="There is no CREATE TABLE in"):
        read(tmp_path, "SELECT 1;")
    with pytest.raises(ConfigurationError, match="'mysq' is not a known SQL dialect"):
        read(tmp_path, "CREATE TABLE a (b int)", "mysq")
    (tmp_path / "latin.sql").write_bytes(b"CREATE TABLE a (\xe9 int)")
    with pytest.raises(SqlError, match="0xe9 is not UTF-8"):
        definitions([tmp_path / "latin.sql"], Silent())
    with pytest.raises(SqlError, match=r"does not end \(read as 'postgres', which was detected"):
        read(tmp_path, "CREATE TABLE a (b int DEFAULT 'x);")


@pytest.mark.parametrize(
    ("definition", "width"),
    [
        ("varchar(20)", 20),
        ("varchar(100)", 66),
        ("varchar(4000)", 516),
        ("varchar(100000)", 32),
        ("char(200)", 200),
        ("text", 32),
        ("json", 32),
        ("bytea", 32),
        ("bigint", 8),
        ("numeric(30,2)", 16),
        ("boolean", 1),
    ],
)
def test_widths_follow_postgresqls_estimate(tmp_path, definition, width):
    table = table_of(tmp_path, f"CREATE TABLE t (a {definition})", "postgres")
    assert table.columns[0].width_bytes == width


def test_an_enumeration_is_as_wide_as_its_labels():
    defined = TypeDefinition(type="VARCHAR", labels=("a", "bbb"))
    assert mean_width_bytes(defined, "VARCHAR") == 2


def test_every_definition_of_a_dump_keeps_its_place():
    for text, dialect in ((POSTGRESQL, "postgres"), (MYSQL, "mysql"), (TSQL, "tsql")):
        dump = read_dump([text.encode()], lexis(dialect), "a.sql")
        assert len(dump.definitions) > 3
        for each in dump.definitions:
            line = text.splitlines()[each.line - 1]
            assert line[each.column - 1 :].startswith(each.sql.partition("\n")[0].rstrip())


def test_rows_are_counted_whatever_their_texts_hold():
    text = (
        "INSERT INTO public.a OVERRIDING SYSTEM VALUE VALUES (1, 'c:\\', 'x);\n(y);\n');\n"
        "INSERT INTO public.a VALUES (2, 'it''s (', NULL);\n"
        "INSERT INTO `b` (`x`) VALUES ('it\\'s );'),(now());\n"
        "INSERT INTO `b` VALUES\n(1,'x'),\n(2,'y');\n"
        "CREATE TABLE a (x int);\n"
    )
    dump = read_dump([text.encode()], lexis("postgres"), "a.sql")
    assert dump.rows == {TableName("a", "public"): 2, TableName("b"): 4}
    assert [(each.sql, each.line) for each in dump.definitions] == [("CREATE TABLE a (x int)", 9)]


def test_dumps_of_several_systems_are_each_read_in_their_own_sql(tmp_path):
    written(tmp_path, f"-- PostgreSQL database dump\n{POSTGRESQL}", "a.sql")
    written(
        tmp_path,
        "-- MySQL dump 10.13\nUSE `shop`;\nCREATE TABLE `product` (`id` int unsigned NOT NULL "
        "AUTO_INCREMENT, `at` datetime DEFAULT NULL, PRIMARY KEY (`id`)) ENGINE=InnoDB;\n"
        "INSERT INTO `product` VALUES (1,'2024-01-01'),(2,NULL);\n",
        "b.sql",
    )
    written(tmp_path, "CREATE TABLE extra (x SERIAL, y jsonb);", "c.sql")
    found = definitions([tmp_path], Silent())
    assert found.skipped == ()
    assert set(found.catalog.tables) == {"customer", "Order", "kept", "product", "extra"}
    product = found.catalog.table("product")
    assert types(product) == {"id": "UINTEGER", "at": "TIMESTAMP"}
    assert (product.rows, product.schema) == (2, "shop")
    assert found.catalog.table("customer").rows == 2


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (POSTGRESQL, "postgres"),
        (MYSQL, "mysql"),
        (TSQL, "tsql"),
        ("CREATE TABLE a (b STRING) USING parquet", "spark"),
        ("CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT) WITHOUT ROWID", "sqlite"),
        ("CREATE TABLE a (b NUMBER(9), c VARIANT)", "snowflake"),
        ("CREATE TABLE a (b NUMBER, c VARCHAR2(9))", "oracle"),
        ("CREATE TABLE a (b INT64, c ARRAY<STRUCT<x INT64>>) OPTIONS(x = 'y')", "bigquery"),
        ("CREATE TABLE a (b HUGEINT, c STRUCT(d INT))", "duckdb"),
        ("CREATE TABLE a (b int)", "postgres"),
    ],
)
def test_the_dialect_of_ddl_is_detected(text, dialect):
    assert detect([text]) == dialect


@pytest.mark.parametrize("opening", ["INT[", "INT(", "ARRAY<", "CASE ", "INT DEFAULT (", "INT[]"])
def test_a_type_as_deep_as_one_likes_is_left_out_with_its_place(tmp_path, opening):
    deep = f"{opening}{opening.removeprefix('INT DEFAULT').removeprefix('INT') * 20_000}"
    (tmp_path / "schema.sql").write_text(f"CREATE TABLE a (id INT);\nCREATE TABLE b (id {deep});")
    found = definitions([tmp_path / "schema.sql"], Silent())
    assert set(found.catalog.tables) == {"a"}
    assert [(each.line, each.kind) for each in found.skipped] == [(2, "invalid")]
    assert "it is nested more than 500 deep" in found.skipped[0].reason or "5,000 words" in (
        found.skipped[0].reason
    )
