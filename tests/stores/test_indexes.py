"""Indexes of live tables are read, and made on copies."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from evaluation.kinds import BACKENDS, KINDS, LIVE
from evaluation.load import load
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.indexes import index_name
from placement.plan import Outcome, PlacementPlan
from tests.stores.each_store import named
from tests.stores.live_servers import database, maria, postgres
from tests.stores.parquet_tables import write
from tests.stores.test_live_mysql import database as mysql_database
from tests.stores.test_migration_sql import run_sql
from workloads.catalog import Catalog, Table
from workloads.copied_indexes import copied_indexes
from workloads.errors import StoreError
from workloads.indexes import Index, NamedIndex
from workloads.progress import Silent

pytestmark = pytest.mark.stores

STORES = ("pg", "maria", "mysql8")
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
_OF_POSTGRESQL = (
    "SELECT indisunique, split_part(pg_get_indexdef(indexrelid), ' USING ', 2)"
    " FROM pg_catalog.pg_index WHERE indrelid = '{}'::regclass AND NOT indisprimary"
)
_OF_MYSQL = (
    "SELECT non_unique = 0, group_concat(concat(column_name, coalesce(concat('(', sub_part, ')'),"
    " '')) ORDER BY seq_in_index) FROM information_schema.statistics WHERE table_schema = '{}'"
    " AND table_name = '{}' AND index_name <> 'PRIMARY' GROUP BY index_name, non_unique"
)


def connected(request: pytest.FixtureRequest, store: str) -> Connection:
    """The server that is called so."""
    if store == "mysql8":
        return named(request, store)
    servers: Mapping[str, Connection] = request.getfixturevalue("embedded")
    return servers[store]


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


def test_no_index_of_a_live_table_is_unique_that_others_inherit_from(
    embedded: Mapping[str, Connection],
) -> None:
    with database(embedded["pg"], "live heirs") as connection:
        postgres(
            connection,
            "CREATE TABLE p (id int PRIMARY KEY, n int UNIQUE)",
            "CREATE TABLE heir (extra int) INHERITS (p)",
        )
        table = LIVE["postgresql"].catalog(connection, Silent()).table("p")
    assert table.primary_key == ()
    assert told(table) == {(("id",), False), (("n",), False)}


@pytest.mark.parametrize("store", ["maria", "mysql8"])
def test_indexes_of_a_live_mysql_are_read(request: pytest.FixtureRequest, store: str) -> None:
    with mysql_database(connected(request, store)) as connection:
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


def made(connection: Connection) -> set[tuple[bool, str]]:
    """The indexes of the copy of `words` beside its primary key, and which are unique."""
    if connection.kind == "postgresql":
        asked = _OF_POSTGRESQL.format(f'"{connection.namespace}"."words"')
    else:
        asked = _OF_MYSQL.format(connection.namespace, "words")
    return {(bool(unique), str(told)) for unique, told in run_sql(connection, (asked,))}


EXPECTED = {
    "postgresql": {(True, "btree (word)"), (False, "btree (day)"), (False, "hash (text)")},
    "mysql": {(True, "word"), (False, "day,text(763)"), (False, "text(768)")},
}


@pytest.mark.parametrize("store", STORES)
def test_a_copy_gets_the_indexes_of_its_table_and_loses_them_when_it_is_to_have_none(
    request: pytest.FixtureRequest, tmp_path: Path, store: str
) -> None:
    connection = replace(connected(request, store), namespace="indexes_made")
    table = words(tmp_path)
    bare = replace(table, indexes=())
    for catalog, loads, changes in ((table, 1, 0), (table, 0, 0), (bare, 0, 1), (table, 0, 1)):
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
        assert (len(found.loaded), len(found.reindexed)) == (loads, changes)
        assert made(connection) == (EXPECTED[connection.kind] if catalog.indexes else set())


@pytest.mark.parametrize("store", STORES)
def test_a_copy_gets_the_indexes_that_plans_choose_for_its_store(
    request: pytest.FixtureRequest, tmp_path: Path, store: str
) -> None:
    connection = replace(connected(request, store), namespace="indexes_chosen")
    catalog = Catalog(name="c", tables={"words": replace(words(tmp_path), indexes=())})
    plain = PlacementPlan(
        strategy="s",
        outcome=Outcome.FEASIBLE,
        placement={"words": (store,)},
        routing={},
        predicted_s=1.0,
    )
    by_day, by_word = NamedIndex("words", ("day",)), NamedIndex("words", ("word", "day"))
    chosen = replace(plain, indexes={store: (by_day,)})
    other = replace(plain, indexes={store: (by_word,), "elsewhere": (by_day,)})
    assert load(catalog, (plain,), {store: connection}, Silent()).loaded
    for plans, indexes in (
        ((plain, chosen), 1),
        ((chosen, other), 2),
        ((other,), 1),
        ((plain,), 0),
    ):
        found = load(catalog, plans, {store: connection}, Silent())
        assert found.reindexed
        assert not found.loaded
        assert len(made(connection)) == indexes
        asked = KINDS[connection.kind].dialect_for(connection).indexes
        if connection.kind == "mysql":
            chosen_there = {each for plan in plans for each in plan.indexes.get(store, ())}
            names = {
                index_name(catalog.table("words"), Index(columns=each.columns))
                for each in chosen_there
            }
            assert asked.get("words", frozenset()) == names
        else:
            # PostgreSQL can be told of none.
            assert not asked
    again = load(catalog, (plain,), {store: connection}, Silent())
    assert not again.loaded
    assert not again.reindexed


@pytest.mark.parametrize("store", STORES)
def test_a_unique_index_that_the_rows_break_leaves_no_copy(
    request: pytest.FixtureRequest, tmp_path: Path, store: str
) -> None:
    connection = replace(connected(request, store), namespace="indexes_broken")
    backend = BACKENDS[connection.kind]
    query = "SELECT range AS id, 7::BIGINT AS n FROM range(2)"
    table = write(tmp_path, "twice", {"id": "BIGINT", "n": "BIGINT"}, query, key="id")
    backend.prepare(connection)
    with pytest.raises(StoreError, match="table 'twice' cannot be loaded"):
        backend.load(connection, replace(table, indexes=(Index(columns=("n",), unique=True),)))
    assert backend.loaded(connection) == {}
