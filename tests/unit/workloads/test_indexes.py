"""Indexes in DDL, and which of them a copy gets."""

from pathlib import Path

import pytest

from workloads.catalog import Table
from workloads.copied_indexes import copied_indexes, copy_bytes
from workloads.indexes import Index, distinct_indexes
from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions

POSTGRESQL = """
CREATE TABLE shop."Order" (id int PRIMARY KEY, email text UNIQUE, day date, tags text[],
  span interval);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS by_id ON ONLY shop."Order" (id);
CREATE INDEX by_day ON shop."Order" USING btree (day DESC NULLS LAST, email COLLATE "C")
  INCLUDE (id) WITH (fillfactor=70);
CREATE INDEX ON shop."Order" USING hash (email);
CREATE INDEX lower_email ON shop."Order" (lower(email));
CREATE INDEX recent ON shop."Order" (day) WHERE (day > '2024-01-01'::date);
CREATE INDEX tagged ON shop."Order" USING gin (tags);
CREATE INDEX spans ON shop."Order" (span);
ALTER TABLE ONLY shop."Order" ADD CONSTRAINT both UNIQUE (day, id);
"""
MYSQL = """
CREATE TABLE `t` (`a` int NOT NULL, `b` varchar(20), `c` longtext, PRIMARY KEY (`a`),
  UNIQUE KEY `u` (`b`), KEY `k` (`c`(10),`b` DESC) USING BTREE, FULLTEXT KEY `f` (`c`),
  KEY `e` ((lower(`b`)))) ENGINE=InnoDB;
CREATE INDEX x ON t (b, a);
ALTER TABLE t ADD INDEX y (b, c(4)), ADD UNIQUE KEY (a, b), ADD SPATIAL INDEX z (c);
CREATE TABLE other LIKE t;
"""
TSQL = "CREATE TABLE t (a int, b int, INDEX i UNIQUE NONCLUSTERED (b, a));"


def table(folder: Path, dialect: str, sql: str, name: str) -> Table:
    """The table that DDL defines."""
    file = folder / "schema.sql"
    file.write_text(sql)
    found = definitions((file,), Silent(), dialect=dialect)
    assert not found.skipped
    return found.catalog.table(name)


def told(found: Table) -> list[tuple[tuple[str, ...], bool]]:
    return [(each.columns, each.unique) for each in copied_indexes(found)]


def test_indexes_and_unique_keys_of_postgresql_are_read_in_the_order_of_their_columns(
    tmp_path: Path,
) -> None:
    found = table(tmp_path, "postgres", POSTGRESQL, "Order")
    # The one over the primary key adds nothing, nor does the hash of what is unique.
    assert told(found) == [(("email",), True), (("day", "id"), True), (("day", "email"), False)]


def test_an_index_that_no_copy_gets_says_why(tmp_path: Path) -> None:
    found = table(tmp_path, "postgres", POSTGRESQL, "Order")
    assert {each.name: each.obstacle for each in found.indexes if each.obstacle} == {
        "lower_email": "it is over an expression",
        "recent": "it is of a part of the rows",
        "tagged": "its method is gin",
        "spans": "equal values of its column 'span' (INTERVAL) may differ as text, as copies have"
        " it",
    }


@pytest.mark.parametrize("name", ["t", "other"])
def test_indexes_of_mysql_stand_among_the_columns_beside_them_and_are_copied_by_like(
    tmp_path: Path, name: str
) -> None:
    found = table(tmp_path, "mysql", MYSQL, name)
    assert told(found) == [
        (("b",), True),
        (("a", "b"), True),
        (("c", "b"), False),
        (("b", "a"), False),
        (("b", "c"), False),
    ]
    assert {each.name: each.obstacle for each in found.indexes if each.obstacle} == {
        "f": "its method is fulltext",
        "e": "it is over an expression",
        "z": "its method is spatial",
    }


def test_no_index_is_unique_where_other_tables_inherit(tmp_path: Path) -> None:
    sql = "CREATE TABLE p (a int PRIMARY KEY, b int UNIQUE); CREATE TABLE c (d int) INHERITS (p);"
    parent = table(tmp_path, "postgres", sql, "p")
    assert parent.primary_key == ()
    assert told(parent) == [(("a",), False), (("b",), False)]


def test_an_index_among_the_columns_of_sql_server_may_be_unique(tmp_path: Path) -> None:
    assert told(table(tmp_path, "tsql", TSQL, "t")) == [(("b", "a"), True)]


@pytest.mark.parametrize("sql", ["CREATE INDEX", "CREATE INDEX i ON", "CREATE INDEX i ON t"])
def test_an_index_that_is_not_understood_costs_no_table(tmp_path: Path, sql: str) -> None:
    assert told(table(tmp_path, "postgres", f"CREATE TABLE t (a int); {sql};", "t")) == []


def test_of_two_indexes_over_the_same_columns_the_unique_one_stays() -> None:
    plain, unique = Index(columns=("a",), name="p"), Index(columns=("A",), unique=True, name="u")
    (found,) = distinct_indexes((plain, unique), ())
    assert found.unique
    assert distinct_indexes((plain, unique), ("a",)) == ()


def test_a_copy_is_as_large_as_its_rows_and_indexes_together(tmp_path: Path) -> None:
    plain = table(tmp_path, "postgres", "CREATE TABLE t (a bigint, b bigint);", "t")
    indexed = table(
        tmp_path, "postgres", "CREATE TABLE t (a bigint, b bigint); CREATE INDEX ON t (b);", "t"
    )
    assert copy_bytes(plain) == plain.bytes
    assert copy_bytes(indexed) - indexed.bytes == indexed.rows * (8 + 12)
