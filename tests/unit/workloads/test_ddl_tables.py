"""Tables of DDL: their keys and references, and how statements change them."""

import pytest

from tests.unit.workloads.ddl_texts import read, table_of, types
from workloads.catalog import ForeignKey
from workloads.errors import CatalogError
from workloads.progress import Silent
from workloads.sql.result_columns import result_columns
from workloads.sql.statements import understand
from workloads.workload import Query, Workload


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


def test_a_table_defined_twice_is_refused_unless_it_is_the_same(tmp_path):
    same = "CREATE TABLE a (x int); CREATE TABLE a (x int); CREATE TABLE IF NOT EXISTS a (z int);"
    assert types(table_of(tmp_path, same, "postgres", "a")) == {"x": "INTEGER"}
    replaced = "CREATE TABLE a (x int); CREATE OR REPLACE TABLE a (z int);"
    assert types(table_of(tmp_path, replaced, "duckdb", "a")) == {"z": "INTEGER"}
    with pytest.raises(CatalogError, match=r"'x.a' is defined twice .*schema.sql:1.*sql:2"):
        read(tmp_path, "CREATE TABLE x.a (b int);\nCREATE TABLE x.a (c int);")
