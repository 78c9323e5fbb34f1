"""What DuckDB cannot bind is refused when it is read, with its place, and not when it is run."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.catalogs import shop
from workloads.catalog import Catalog, View
from workloads.progress import Silent
from workloads.sql.statements import Understood, understand
from workloads.workload import Query, Workload


def read(sql: str, catalog: Catalog | None = None, dialect: str = "duckdb") -> Understood:
    query = Query(name="q", sql=sql, origin="q.sql", line=10)
    workload = Workload(name="w", dialect=dialect, queries=(query,))
    return understand(workload, catalog or shop(), Silent())


def with_data() -> Catalog:
    tables = {n: replace(t, parquet=Path(f"{n}.parquet")) for n, t in shop().tables.items()}
    return replace(shop(), tables=tables)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT no_such_function(o_id) FROM orders", "no_such_function does not exist"),
        ("SELECT no_such_function(o_id) FROM orders WHERE o_id = ?", "no_such_function does not"),
        ("SELECT o_day + o_day FROM orders", "No function matches"),
        ("SELECT o_id, count(*) FROM orders", "must appear in the GROUP BY clause"),
        ("SELECT * FROM orders WHERE o_day < o_id", "Cannot compare values of type DATE"),
        ("SELECT sum(c_name) FROM customer", "sum(VARCHAR)"),
        ("SELECT o_id FROM orders UNION SELECT o_id, o_day FROM orders", "same number"),
        ("SELECT o_id at FROM orders", "syntax error"),
    ],
)
def test_what_duckdb_cannot_bind_is_refused_with_its_reason(sql: str, said: str):
    (skipped,) = read(sql).skipped
    assert skipped.kind == "invalid"
    assert (skipped.source, skipped.line) == ("q.sql", 10)
    assert skipped.reason.startswith("DuckDB, whose answer counts, refuses it: ")
    assert said in skipped.reason


def test_the_line_is_that_of_the_words_that_duckdb_refuses():
    (skipped,) = read("SELECT o_id,\n  o_total\nFROM orders\nWHERE nowhere(o_id)").skipped
    assert skipped.line == 13


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT o_id FROM orders WHERE o_id = ? AND o_day > $1",
        "SELECT date_trunc('month', ?) AS m, sum(o_total) FROM orders LIMIT ?",
        "SELECT o_id FROM orders WHERE o_day > now() - INTERVAL ?",
        'SELECT O_ID, "o_total" FROM shop.Orders',
        "SELECT c_name = c_id, CAST(c_name AS INT) FROM customer",
        # The plan of it, not optimised, cannot be printed: the process ends.
        "SELECT 1 FROM (SELECT o_id FROM orders WHERE 1 = 2) a ASOF JOIN orders b USING (o_id)",
    ],
)
def test_what_duckdb_binds_and_what_it_cannot_tell_yet_is_taken(sql: str):
    assert read(sql).skipped == ()


def test_views_are_bound_with_the_views_that_they_read():
    views = {
        "paid": View(name="paid", sql="SELECT p_id AS id FROM picked", dialect="duckdb"),
        "picked": View(
            name="picked", sql="SELECT o_id FROM orders", dialect="duckdb", columns=("p_id",)
        ),
    }
    catalog = replace(shop(), views=views)
    assert read("SELECT id + 1 FROM paid", catalog).skipped == ()
    (skipped,) = read("SELECT nowhere(id) FROM paid", catalog).skipped
    assert "nowhere" in skipped.reason


def test_a_view_with_an_asof_join_is_bound():
    sql = "SELECT 1 AS x FROM (SELECT o_id FROM orders WHERE 1 = 2) a ASOF JOIN orders USING (o_id)"
    views = {"near": View(name="near", sql=sql, dialect="duckdb")}
    assert read("SELECT x FROM near", replace(shop(), views=views)).skipped == ()


def test_what_a_view_is_refused_for_is_said_of_what_reads_it():
    views = {"odd": View(name="odd", sql="SELECT oddly(o_id) AS x FROM orders", dialect="duckdb")}
    (skipped,) = read("SELECT x FROM odd", replace(shop(), views=views)).skipped
    assert "view 'odd'" in skipped.reason
    assert "oddly does not exist" in skipped.reason


def test_a_view_of_the_workload_is_bound_as_it_is_when_it_is_read():
    queries = tuple(
        Query(name=f"q{n}", sql=sql, origin="q.sql")
        for n, sql in enumerate(
            [
                "CREATE VIEW v AS SELECT o_id AS n FROM orders",
                "SELECT n + 1 FROM v",
                "CREATE OR REPLACE VIEW v AS SELECT c_name AS n FROM customer",
                "SELECT n || 'x' FROM v",
                "SELECT n + 1 FROM v",
            ]
        )
    )
    found = understand(Workload(name="w", dialect="duckdb", queries=queries), shop(), Silent())
    assert [each.name for each in found.workload.queries] == ["q1", "q3"]


def test_columns_may_be_called_by_their_former_names():
    orders = replace(shop().tables["orders"], former_names={"placed": "o_day"})
    catalog = replace(shop(), tables={**shop().tables, "orders": orders})
    assert read("SELECT placed FROM orders WHERE placed IS NULL", catalog).skipped == ()


def test_of_a_statement_that_writes_the_part_that_reads_is_bound():
    assert read("INSERT INTO orders SELECT * FROM orders WHERE o_id = 1").skipped == ()
    (skipped,) = read("INSERT INTO orders SELECT nowhere(o_id) FROM orders").skipped
    assert "nowhere does not exist" in skipped.reason


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_of_other_dialects_what_duckdb_cannot_bind_is_passed_through(dialect: str):
    unknown = "SELECT o_id FROM orders WHERE nowhere(o_id)"
    for catalog in (with_data(), shop()):
        (passed,) = read(unknown, catalog, dialect).passed_through
        assert "nowhere does not exist" in passed.reason
    reserved = "SELECT o_id AS at FROM orders ORDER BY at"
    assert read(reserved, with_data(), dialect).skipped == ()


def test_nothing_is_said_of_columns_whose_types_are_not_known():
    columns = tuple(replace(each, type="") for each in shop().tables["orders"].columns)
    orders = replace(shop().tables["orders"], columns=columns)
    catalog = replace(shop(), tables={**shop().tables, "orders": orders})
    assert read("SELECT nowhere(o_id) FROM orders", catalog).skipped == ()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT [o_id, (SELECT max(c_id) FROM customer)] AS pair FROM orders",
        "SELECT o_id, '\"' AS a FROM orders JOIN customer ON '\"' = c_name",
        "SELECT o_id, '\"' AS a FROM orders JOIN \"odd name\" ON '\"' = c_name",
    ],
)
def test_a_table_is_found_beside_brackets_and_quotes(sql: str):
    odd = replace(shop().tables["customer"], name="odd name")
    catalog = replace(shop(), tables={**shop().tables, odd.name: odd})
    assert not read(sql, catalog).skipped
