"""A database that is lent again has nothing of its last owner, and shares nothing meanwhile."""

import duckdb
import pytest

from workloads import empty_database
from workloads.empty_database import EmptyDatabase


@pytest.fixture(autouse=True)
def none_idle(monkeypatch):
    monkeypatch.setattr(empty_database, "_idle", [])


def tables(database):
    rows = database.connection.execute(
        "SELECT table_name FROM duckdb_tables() UNION ALL "
        "SELECT view_name FROM duckdb_views() WHERE NOT internal"
    ).fetchall()
    return [name for (name,) in rows]


def spoil(database):
    database.connection.execute(
        "PRAGMA disable_optimizer; CREATE SCHEMA former; CREATE TABLE t (a INT); "
        "CREATE VIEW former.v AS SELECT a FROM main.t; CREATE TEMP TABLE u (b INT); "
        "SET search_path = 'former,main'"
    )
    database.connection.execute("PREPARE statement AS SELECT a FROM t WHERE a = ?")
    with pytest.raises(duckdb.CatalogException):
        database.connection.execute("EXPLAIN SELECT a FROM missing")


def settings(database):
    return database.connection.execute(
        "SELECT current_schema(), current_setting('search_path'), "
        "current_setting('disabled_optimizers')"
    ).fetchall()


def plan(database):
    """The plan of a filter that is always true: it is gone, unless nothing is optimised."""
    rows = database.connection.execute("EXPLAIN SELECT 1 FROM range(9) WHERE 1 = 1").fetchall()
    return rows[-1][-1]


def test_one_that_was_given_back_is_lent_again_as_if_it_were_new():
    first = EmptyDatabase()
    fresh = settings(first), plan(first)
    spoil(first)
    assert sorted(tables(first)) == ["t", "u", "v"]
    assert plan(first) != fresh[1]
    first.close()
    first.close()
    assert len(empty_database._idle) == 1
    second = EmptyDatabase()
    assert empty_database._idle == []
    assert tables(second) == []
    assert (settings(second), plan(second)) == fresh
    with pytest.raises(duckdb.Error):
        second.connection.execute("EXECUTE statement(1)")


def test_two_at_once_share_nothing():
    first, second = EmptyDatabase(), EmptyDatabase()
    first.connection.execute("CREATE TABLE t (a INT)")
    assert tables(second) == []
    with pytest.raises(duckdb.CatalogException):
        second.connection.execute("EXPLAIN FROM t")


def test_it_goes_back_with_what_holds_it():
    held = EmptyDatabase()
    connection = held.connection
    del held
    assert len(empty_database._idle) == 1
    with pytest.raises(duckdb.ConnectionException):
        connection.execute("SELECT 1")


def test_one_that_cannot_be_emptied_is_not_lent_again():
    first = EmptyDatabase()
    first.connection.execute(f"USE memory; DETACH {empty_database._NAME}")
    first.close()
    assert empty_database._idle == []


def test_no_file_can_be_read_in_it(tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    database = EmptyDatabase()
    with pytest.raises(duckdb.PermissionException):
        database.connection.execute(f"FROM '{tmp_path / 'a.csv'}'")
