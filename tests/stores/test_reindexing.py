"""Copies that stay get other indexes, and lose only those that we made."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from evaluation.kinds import BACKENDS
from evaluation.load import LoadedStores, load
from evaluation.migration_sql import MigrationCommands
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.indexes import CHANGING
from evaluation.store_protocol.patience import interrupted_by
from evaluation.stores.mysql.sessions import session as mysql_session
from evaluation.stores.postgresql.sessions import connect
from placement.movement.migration import migrate
from placement.movement.migration_steps import Step
from placement.plan import Outcome, PlacementPlan
from tests.stores.test_indexes import STORES, connected, made, words
from tests.stores.test_migration_sql import run_file, run_sql
from tests.unit.placement.problems import problem
from tests.unit.placement.problems import store as a_store
from workloads.catalog import Catalog
from workloads.errors import StoreError
from workloads.indexes import NamedIndex
from workloads.progress import Silent

pytestmark = pytest.mark.stores

BY_DAY, BY_WORD = NamedIndex("words", ("day",)), NamedIndex("words", ("word", "day"))
WAITING = {
    "postgresql": "SELECT count(*) FROM pg_catalog.pg_locks WHERE NOT granted",
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE state LIKE"
    " 'Waiting for table%'",
}


BY_SQL = {
    "postgresql": "SELECT split_part(indexdef, ' USING ', 2) FROM pg_catalog.pg_indexes WHERE"
    " tablename = 'words' AND schemaname LIKE 'indexes o_f%' AND starts_with(indexname, 'advisor')",
    "mysql": "SELECT group_concat(concat(column_name, coalesce(sub_part, '')) ORDER BY"
    " seq_in_index) FROM information_schema.statistics WHERE table_name = 'words' AND table_schema"
    " LIKE 'indexes o_f%' AND index_name LIKE 'advisor%' GROUP BY index_name",
}
# Nobody has looked how wide the words are, where SQL is written without asking a server.
BY_WORD_SQL = {"postgresql": "hash (word)", "mysql": "word,day"}


def catalog_of(folder: Path) -> Catalog:
    return Catalog(name="c", tables={"words": replace(words(folder), indexes=())})


def loaded(catalog: Catalog, connection: Connection, *indexes: NamedIndex) -> LoadedStores:
    """Load `words` into a store with these chosen indexes."""
    plan = PlacementPlan(
        strategy="s",
        outcome=Outcome.FEASIBLE,
        placement={"words": (connection.store,)},
        routing={},
        predicted_s=1.0,
        indexes={connection.store: indexes} if indexes else {},
    )
    return load(catalog, (plan,), {connection.store: connection}, Silent())


def marked(connection: Connection) -> str:
    """Return the mark of the copy's indexes in the register."""
    return BACKENDS[connection.kind].loaded(connection)["words"].indexes


def named(connection: Connection) -> str:
    return BACKENDS[connection.kind].table_name(connection, "words")


@pytest.mark.parametrize("store", STORES)
def test_an_index_of_a_user_on_a_copy_stays(
    request: pytest.FixtureRequest, tmp_path: Path, store: str
) -> None:
    connection = replace(connected(request, store), namespace="indexes_of_users")
    catalog = catalog_of(tmp_path)
    loaded(catalog, connection, BY_DAY)
    run_sql(connection, [f"CREATE INDEX theirs ON {named(connection)} (id, day)"])
    assert loaded(catalog, connection).reindexed
    assert len(made(connection)) == 1
    assert loaded(catalog, connection, BY_WORD).reindexed
    assert len(made(connection)) == 2


@pytest.mark.parametrize("store", STORES)
def test_a_change_that_was_interrupted_is_found_and_done(
    request: pytest.FixtureRequest, tmp_path: Path, store: str
) -> None:
    """The register says that indexes are being changed, until all of them are there."""
    connection = replace(connected(request, store), namespace="indexes_resumed")
    catalog = catalog_of(tmp_path)
    loaded(catalog, connection, BY_DAY, BY_WORD)
    both, wanted = made(connection), marked(connection)
    loaded(catalog, connection, BY_DAY)
    register = named(connection).replace("words", "_advisor_register")
    changing = f"replace(fingerprint, '{marked(connection)}', '{CHANGING}')"
    run_sql(connection, [f"UPDATE {register} SET fingerprint = {changing}"])
    assert marked(connection) == CHANGING
    assert loaded(catalog, connection, BY_DAY, BY_WORD).reindexed
    assert (made(connection), marked(connection)) == (both, wanted)


@pytest.mark.parametrize("store", STORES)
def test_an_index_build_that_is_interrupted_ends_in_the_server_too(
    request: pytest.FixtureRequest, tmp_path: Path, store: str
) -> None:
    connection = replace(connected(request, store), namespace="indexes_interrupted")
    catalog = catalog_of(tmp_path)
    loaded(catalog, connection)
    indexed = replace(catalog.table("words"), indexes=words(tmp_path).indexes[:1])
    there = BACKENDS[connection.kind].loaded(connection)["words"]
    event, failed = Event(), list[StoreError]()
    context = interrupted_by(event)

    def reindex() -> None:
        try:
            context.run(BACKENDS[connection.kind].reindex, connection, indexed, there)
        except StoreError as error:
            failed.append(error)

    # A build of few rows is over at once: it waits for a lock that somebody holds.
    with in_use(connection):
        asked = Thread(target=reindex)
        asked.start()
        wait_for(connection, 1)
        event.set()
        asked.join(timeout=90)
        wait_for(connection, 0)
    assert "interrupted" in str(failed[0])
    assert marked(connection) == CHANGING
    assert made(connection) == set()
    assert loaded(catalog, connection, BY_DAY).reindexed
    assert len(made(connection)) == 1


@contextmanager
def in_use(connection: Connection) -> Iterator[None]:
    """Hold a lock on the copy by which no index of it can be made."""
    if connection.kind == "postgresql":
        with connect(connection) as session:
            session.execute(b"BEGIN")
            session.execute(f"LOCK TABLE {named(connection)} IN ROW EXCLUSIVE MODE".encode())
            yield
            session.execute(b"ROLLBACK")
    else:
        with mysql_session(connection, "a test") as execute:
            execute(f"LOCK TABLES {named(connection)} READ")
            yield


def wait_for(connection: Connection, number: int) -> None:
    """Wait until so many sessions wait for the lock of the copy."""
    ends = monotonic() + 20
    while run_sql(connection, [WAITING[connection.kind]])[0][0] != number:
        assert monotonic() < ends
        sleep(0.1)


@pytest.mark.parametrize("store", STORES)
def test_printed_sql_changes_the_indexes_of_a_copy_that_stays(
    request: pytest.FixtureRequest, tmp_path: Path, store: str
) -> None:
    """Run twice, as after a kill, it does what `evaluate` would have done."""
    connection = replace(connected(request, store), namespace="indexes o'f \\ \"sql`")
    catalog = catalog_of(tmp_path)
    loaded(catalog, connection, BY_DAY)
    steps = changing(store, had=[BY_DAY], wanted=[BY_WORD])
    assert [step.kind for step in steps] == ["index", "drop_index"]
    writer = MigrationCommands(
        catalog=catalog, connections={store: connection}, exchange=tmp_path / "exchange"
    )
    for commands in writer.of(steps):
        for command in commands * 2:
            run_file(connection, ";\n".join(command.text) + ";")
    had = [tuple(row) for row in run_sql(connection, [BY_SQL[connection.kind]])]
    again = loaded(catalog, connection, BY_WORD)
    assert not again.reindexed
    assert not again.loaded
    assert had == [(BY_WORD_SQL[connection.kind],)]


@pytest.mark.parametrize("drops", [False, True])
@pytest.mark.parametrize("store", ["pg", "maria"])
def test_printed_sql_vouches_for_no_copy_that_is_another_than_it_was_written_for(
    request: pytest.FixtureRequest, tmp_path: Path, store: str, drops: bool
) -> None:
    connection = replace(connected(request, store), namespace="indexes_unlike")
    catalog = catalog_of(tmp_path)
    indexes = (BY_WORD, BY_DAY) if drops else (BY_WORD,)
    loaded(catalog, connection, *indexes)
    had, wanted = ([BY_DAY], []) if drops else ([], [BY_DAY])
    writer = MigrationCommands(
        catalog=catalog, connections={store: connection}, exchange=tmp_path / "exchange"
    )
    for commands in writer.of(changing(store, had=had, wanted=wanted)):
        run_file(connection, ";\n".join(commands[0].text) + ";")
    assert len(made(connection)) == (1 if drops else 2)
    assert marked(connection) == CHANGING
    assert loaded(catalog, connection, *indexes).reindexed
    assert len(made(connection)) == len(indexes)


@pytest.mark.parametrize("store", STORES)
def test_a_copy_that_is_to_have_another_key_is_loaded_anew(
    request: pytest.FixtureRequest, tmp_path: Path, store: str
) -> None:
    connection = replace(connected(request, store), namespace="indexes_of_keys")
    catalog = catalog_of(tmp_path)
    keyed = replace(catalog.table("words"), primary_key=("id", "day"))
    loaded(catalog, connection, BY_DAY)
    found = loaded(replace(catalog, tables={"words": keyed}), connection, BY_DAY)
    assert not found.reindexed
    assert len(found.loaded) == 1


def changing(store: str, had: Sequence[NamedIndex], wanted: Sequence[NamedIndex]) -> Sequence[Step]:
    asked = problem(
        {"words": 100}, [a_store(store)], index_bytes=dict.fromkeys((*had, *wanted), 10)
    )
    place = {"words": (store,)}
    return migrate(asked.with_indexes({store: wanted}), place, place, {store: had}).steps
