"""Tables of a DuckDB file that are called like a schema and a table of it."""

from pathlib import Path

import duckdb

from evaluation.live.duckdb import DuckDB
from evaluation.live.duckdb_own import DuckDB as OwnTables
from evaluation.store_protocol.connection import Connection
from workloads.progress import Silent


def test_a_name_with_a_dot_is_no_schema_and_table(tmp_path: Path) -> None:
    file = tmp_path / "shop.duckdb"
    with duckdb.connect(str(file)) as session:
        session.execute('CREATE TABLE "main.t" (a INTEGER); CREATE TABLE t (b VARCHAR)')
        session.execute('CREATE VIEW "main.v" AS SELECT a FROM "main.t"; CREATE VIEW v AS SELECT 1')
    connection = Connection(store="mine", kind="duckdb", path=file)
    found = OwnTables().as_read(connection, DuckDB().catalog(connection, Silent()), Silent())
    assert {each.own_name: [c.name for c in each.columns] for each in found.tables.values()} == {
        "main.t": ["a"],
        "t": ["b"],
    }
    assert {each.own_name for each in found.views.values()} == {"main.v", "v"}
