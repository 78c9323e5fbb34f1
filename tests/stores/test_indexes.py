"""Indexes of live tables are read, and made on copies."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from evaluation.kinds import BACKENDS, LIVE
from evaluation.load import load
from evaluation.store_protocol.connection import Connection
from placement.plan import Outcome, PlacementPlan
from tests.stores.live_servers import database, maria, postgres
from tests.stores.parquet_tables import write
from tests.stores.test_live_mysql import database as mysql_database
from tests.stores.test_migration_sql import run_sql
from workloads.catalog import Catalog, Table
from workloads.copied_indexes import copied_indexes
from workloads.errors import StoreError
from workloads.indexes import Index
from workloads.progress import Silent

pytestmark = pytest.mark.stores

STORES = ("pg", "maria")
POSTGRESQL = (
    "CREATE TABLE t (id int PRIMARY KEY, email text UNIQUE, day date, tags text[], facts jsonb)",
    "CREATE INDEX by_day ON t (day DESC, email) INCLUDE (id)",
    "CREATE INDEX hashed ON t USING hash (day)",
    "CREATE INDEX lowered ON t (lower(email))",
    "CREATE INDEX recent ON t (day) WHERE day > '2024-01-01'",
    "CREATE INDEX tagged ON t USING gin (tags)",
    "CREATE INDEX stated ON t (facts)",
)
MYSQL = (
    "CREATE TABLE t (id int PRIMARY KEY, email varchar(20) UNIQUE, body longtext, day date,"
    " KEY by_body (body(10), day), FULLTEXT KEY words (body))"
)
_ENTRIES = {
    "pg": "SELECT replace(pg_get_indexdef(indexrelid), indrelid::regclass::text, 't') "
    "FROM pg_catalog.pg_index WHERE indrelid = '{}'::regclass AND NOT indisprimary",
    "maria": "SELECT group_concat(concat(column_name, coalesce(concat('(', sub_part, ')'), '')) "
    "ORDER BY seq_in_index) FROM information_schema.statistics WHERE table_schema = '{}' "
    "AND table_name = '{}' AND index_name <> 'PRIMARY' AND non_unique = {} GROUP BY index_name",
}


def told(table: Table) -> set[tuple[tuple[str, ...], bool]]:
    return {(each.columns, each.unique) for each in copied_indexes(table)}


def obstacles(table: Table) -> dict[str, str]:
    return {each.name: each.obstacle for each in table.indexes if each.obstacle}


def test_indexes_of_a_live_postgresql_are_read(embedded: Mapping[str, Connection]) -> None:
    with database(embedded["pg"], "live indexes") as connection:
        postgres(connection, *POSTGRESQL)
        table = LIVE["postgresql"].catalog(connection, Silent()).table("t")
    assert told(table) == {(("email",), True), (("day", "email"), False), (("day",), False)}
    assert obstacles(table) == {
        "lowered": "it is over an expression",
        "recent": "it is of a part of the rows",
        "tagged": "its method is gin",
        "stated": "equal values of its column 'facts' (jsonb) may differ as text, as copies have"
        " it",
    }


def test_indexes_of_a_live_mariadb_are_read(embedded: Mapping[str, Connection]) -> None:
    with mysql_database(embedded["maria"]) as connection:
        shop = replace(connection, database="live shop")
        maria(shop, "USE `live shop`", MYSQL)
        table = LIVE["mysql"].catalog(shop, Silent(), schemas=("live shop",)).table("t")
    assert told(table) == {(("email",), True), (("body", "day"), False)}
    assert obstacles(table) == {"words": "its method is fulltext"}


def test_indexes_of_a_duckdb_file_are_read(tmp_path: Path) -> None:
    connection = Connection(store="duck", kind="duckdb", path=tmp_path / "file.duckdb")
    with duckdb.connect(str(connection.path)) as session:
        session.execute('CREATE TABLE t (id INTEGER PRIMARY KEY, "Day of" DATE, n INTEGER UNIQUE)')
        session.execute('CREATE INDEX by_day ON t ("Day of", n)')
        session.execute("CREATE INDEX odd ON t ((n % 2))")
    table = LIVE["duckdb"].catalog(connection, Silent()).table("t")
    assert told(table) == {(("n",), True), (("Day of", "n"), False)}
    assert obstacles(table) == {"odd": "it is over an expression"}


def words(folder: Path) -> Table:
    """A table with indexes of each sort; the widest text has 4,000 characters."""
    columns = {"id": "BIGINT", "word": "VARCHAR", "text": "VARCHAR", "day": "DATE"}
    query = (
        "SELECT range AS id, 'w' || range AS word, DATE '2024-01-01' + range::INTEGER AS day,"
        " repeat(md5(range::VARCHAR), 1 + range::INTEGER % 125) AS text FROM range(500)"
    )
    ordered = f"SELECT id, word, text, day FROM ({query})"
    return replace(
        write(folder, "words", columns, ordered, key="id"),
        indexes=(
            Index(columns=("word",), unique=True),
            Index(columns=("day", "text"), unique=True),
            Index(columns=("text",)),
            Index(columns=("day",), method="gist", obstacle="its method is gist"),
        ),
    )


def made(connection: Connection, store: str) -> set[str]:
    """The indexes of the copy of `words`, beside its primary key, as its store tells them."""
    if store == "pg":
        name = f'"{connection.namespace}"."words"'
        rows = run_sql(connection, (_ENTRIES["pg"].format(name),))
        return {str(row[0]).partition(" ON ")[0].split(" INDEX ")[0] + " "
                + str(row[0]).partition(" USING ")[2] for row in rows}  # fmt: skip
    found: set[str] = set()
    for unique in (True, False):
        asked = _ENTRIES["maria"].format(connection.namespace, "words", int(not unique))
        rows = run_sql(connection, (asked,))
        found |= {f"{'UNIQUE ' if unique else ''}{row[0]}" for row in rows}
    return found


EXPECTED = {
    "pg": {
        "CREATE UNIQUE btree (word)",
        "CREATE btree (day)",
        "CREATE hash (text)",
    },
    "maria": {"UNIQUE word", "day,text(763)", "text(768)"},
}


@pytest.mark.parametrize("store", STORES)
def test_a_copy_gets_the_indexes_of_its_table_and_another_load_replaces_them(
    embedded: Mapping[str, Connection], tmp_path: Path, store: str
) -> None:
    connection = replace(embedded[store], namespace="indexes_made")
    table = words(tmp_path)
    for catalog, loads in ((table, True), (table, False), (replace(table, indexes=()), True)):
        found = load(
            Catalog(name="c", tables={"words": catalog}),
            (
                PlacementPlan(
                    strategy="s",
                    outcome=Outcome.FEASIBLE,
                    placement={"words": (store,)},
                    routing={},
                    predicted_s=1.0,
                ),
            ),
            {store: connection},
            Silent(),
        )
        assert bool(found.loaded) == loads
        assert bool(made(connection, store)) == bool(catalog.indexes)
        if loads and catalog.indexes:
            assert made(connection, store) == EXPECTED[store]


@pytest.mark.parametrize("store", STORES)
def test_a_unique_index_that_the_rows_break_leaves_no_copy(
    embedded: Mapping[str, Connection], tmp_path: Path, store: str
) -> None:
    connection = replace(embedded[store], namespace="indexes_broken")
    backend = BACKENDS[connection.kind]
    query = "SELECT range AS id, 7::BIGINT AS n FROM range(2)"
    table = write(tmp_path, "twice", {"id": "BIGINT", "n": "BIGINT"}, query, key="id")
    backend.prepare(connection)
    with pytest.raises(StoreError, match="table 'twice' cannot be loaded"):
        backend.load(connection, replace(table, indexes=(Index(columns=("n",), unique=True),)))
    assert backend.loaded(connection) == {}
