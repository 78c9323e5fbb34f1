"""``CREATE RECURSIVE VIEW`` in DDL and in a workload."""

import duckdb
import pytest

from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions
from workloads.sql.parsing.parse import statement
from workloads.sql.statements import Understood, understand
from workloads.workload import Query, Workload

TABLE = "CREATE TABLE hr.employee (id int, boss int);"
TREE = (
    'CREATE RECURSIVE VIEW hr.v_tree ("Id", depth) AS SELECT id, 1 FROM hr.employee '
    "WHERE boss IS NULL UNION ALL SELECT e.id, depth + 1 FROM v_tree "
    'JOIN hr.employee e ON e.boss = v_tree."Id"'
)


def catalog(folder, text: str) -> Catalog:
    file = folder / "schema.sql"
    file.write_text(text)
    return definitions([file], Silent(), dialect="postgres").catalog


def read(known: Catalog, *statements: str) -> Understood:
    queries = tuple(
        Query(name=f"q{line}", sql=sql, origin="q.sql", line=line)
        for line, sql in enumerate(statements, start=1)
    )
    return understand(Workload(name="w", dialect="postgres", queries=queries), known, Silent())


def test_a_recursive_view_of_ddl_is_read_through(tmp_path):
    known = catalog(tmp_path, TABLE + TREE)
    found = read(known, 'SELECT max(depth) FROM hr.v_tree WHERE "Id" > 3')
    assert [each.tables for each in found.footprints] == [{"employee"}]


@pytest.mark.parametrize("before", ["CREATE ", "CREATE OR REPLACE ", "/* a */ create temp "])
def test_a_recursive_view_of_a_workload_is_read_through(tmp_path, before):
    known = catalog(tmp_path, TABLE)
    defined = TREE.replace("CREATE ", before, 1)
    found = read(known, defined, "SELECT max(depth) FROM v_tree")
    assert [each.tables for each in found.footprints] == [{"employee"}]
    assert [each.kind for each in found.skipped] == ["definition"]


def test_its_query_gives_the_rows_of_the_view():
    query = Query(name="q", sql=TREE, origin="q.sql")
    select = statement(query, "postgres").expression.sql("duckdb")
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA hr; CREATE TABLE hr.employee (id INT, boss INT)")
        connection.execute("INSERT INTO hr.employee VALUES (1, NULL), (2, 1), (3, 2), (4, 1)")
        rows = connection.execute(f"{select} ORDER BY 1").fetchall()
    assert rows == [(1, 1), (2, 2), (3, 3), (4, 2)]


def test_an_unknown_table_of_it_is_told_at_its_place(tmp_path):
    known = catalog(tmp_path, TABLE)
    sql = "CREATE RECURSIVE VIEW v (n) AS SELECT 1 UNION ALL SELECT n FROM v, away"
    (skipped,) = read(known, sql).skipped
    assert (skipped.column, skipped.reason) == (sql.index("away") + 1, "unknown table 'away'")
