"""What servers say of their cache and of where their data are, against what we know of ours."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import duckdb
import pytest

from evaluation.calibration.server_settings import data_folder, settings_of
from evaluation.kinds import BACKENDS
from evaluation.servers.server import server_user
from evaluation.store_protocol.connection import Connection
from tests.stores.live_servers import database, maria, postgres
from tests.stores.test_embedded_servers import LOGINS, execute
from workloads.errors import StoreError

pytestmark = pytest.mark.stores

# In a server's own words, others than ours.
SAID = {
    "postgresql": "SELECT setting::bigint * current_setting('block_size')::bigint "
    "FROM pg_settings WHERE name = 'shared_buffers'",
    "mysql": "SELECT @@innodb_page_size * SUM(pool_size) "
    "FROM information_schema.innodb_buffer_pool_stats",
}


@pytest.fixture(params=["pg", "maria", "mysql8"])
def asked(request: pytest.FixtureRequest) -> Connection:
    """Each of the servers that have a cache and a folder."""
    known = request.getfixturevalue("others" if request.param == "mysql8" else "embedded")
    found: Connection = known[request.param]
    return found


def own_folder(connection: Connection) -> Path:
    """The folder of an embedded server, which has its password too."""
    assert connection.password_file is not None
    return connection.password_file.parent


def folder_of(connection: Connection) -> Path | None:
    return data_folder(connection, settings_of(connection))


def test_a_server_s_cache_is_what_it_has(asked: Connection) -> None:
    with LOGINS[asked.kind](asked) as session:
        ((said,),) = execute(session, SAID[asked.kind])
    # A pool counts the pages that it has, without those that it keeps books in.
    assert said <= (settings_of(asked).cache_bytes or 0) <= int(said) * 1.1


def test_a_pool_past_the_page_cache_keeps_its_old_part_of_a_scan(
    embedded: Mapping[str, Connection], others: Mapping[str, Connection]
) -> None:
    maria, mysql8 = settings_of(embedded["maria"]), settings_of(others["mysql8"])
    for each in (maria, mysql8):
        assert each.cache_bytes is not None
        assert each.found_again_bytes == each.cache_bytes * 37 // 100
    assert maria.reads_past_page_cache
    assert not mysql8.reads_past_page_cache
    assert not settings_of(embedded["pg"]).reads_past_page_cache


def test_what_is_stored_is_that_of_the_namespace(embedded: Mapping[str, Connection]) -> None:
    rows = 20_000
    pg, mariadb = embedded["pg"], embedded["maria"]
    for each in (pg, mariadb):
        assert settings_of(replace(each, namespace="no_such_namespace")).stored_bytes == 0
    postgres(
        pg,
        "CREATE SCHEMA kept",
        f"CREATE TABLE kept.numbers AS SELECT generate_series(1, {rows})::bigint AS n",
    )
    maria(
        mariadb,
        "CREATE DATABASE kept",
        "CREATE TABLE kept.numbers (n BIGINT PRIMARY KEY)",
        f"INSERT INTO kept.numbers SELECT seq FROM kept.seq_1_to_{rows}",
        "ANALYZE TABLE kept.numbers",
    )
    try:
        for each in (pg, mariadb):
            stored = settings_of(replace(each, namespace="kept")).stored_bytes or 0
            assert 8 * rows < stored < 100 * rows
    finally:
        postgres(pg, "DROP SCHEMA kept CASCADE")
        maria(mariadb, "DROP DATABASE kept")


def test_an_embedded_server_s_data_are_here(asked: Connection) -> None:
    data = own_folder(asked) / "data"
    assert folder_of(asked) == data


def test_a_server_that_is_not_there_is_told_without_its_password(asked: Connection) -> None:
    connection = replace(asked, port=1)
    with pytest.raises(StoreError, match=r"cannot log in to 127\.0\.0\.1:1 ") as error:
        settings_of(connection)
    assert str(connection.password) not in str(error.value)


def test_a_server_elsewhere_has_no_folder_here(asked: Connection) -> None:
    # An address that is nobody's, by RFC 5737.
    assert data_folder(replace(asked, host="192.0.2.1"), settings_of(asked)) is None


@pytest.fixture
def reader(embedded: Mapping[str, Connection]) -> Iterator[Connection]:
    """A user of PostgreSQL who may do nothing in particular."""
    postgres(embedded["pg"], "CREATE ROLE modest LOGIN PASSWORD 'reads'")
    yield replace(embedded["pg"], user="modest", password="reads")
    postgres(embedded["pg"], "DROP ROLE modest")


def test_who_may_not_know_the_folder_is_told_the_cache(
    embedded: Mapping[str, Connection], reader: Connection
) -> None:
    assert settings_of(reader).cache_bytes == settings_of(embedded["pg"]).cache_bytes
    assert folder_of(reader) is None


def test_the_folder_is_that_of_the_tablespace(embedded: Mapping[str, Connection]) -> None:
    pg = embedded["pg"]
    space = own_folder(pg) / "space"
    space.mkdir()
    if (user := server_user()) is not None:
        user.own(space)
    postgres(pg, f"CREATE TABLESPACE faster LOCATION '{space}'")
    try:
        with database(pg, "placed") as placed:
            assert folder_of(placed) == own_folder(pg) / "data"
            postgres(pg, "ALTER DATABASE placed SET default_tablespace = faster")
            assert folder_of(placed) == space
            postgres(pg, "ALTER DATABASE placed RESET default_tablespace")
            postgres(pg, "ALTER DATABASE placed SET TABLESPACE faster")
            assert folder_of(placed) == space
    finally:
        postgres(pg, "DROP TABLESPACE faster")


def test_duckdb_s_cache_is_the_limit_of_its_sessions_and_no_file_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = partial(duckdb.connect, config={"memory_limit": "300MiB"})
    monkeypatch.setattr(duckdb, "connect", limited)
    connection = Connection(store="duck", kind="duckdb", path=tmp_path / "a.duckdb")
    assert settings_of(connection).cache_bytes == 300 << 20
    assert list(tmp_path.iterdir()) == []
    BACKENDS["duckdb"].prepare(connection)
    assert settings_of(connection).cache_bytes == 300 << 20
    assert folder_of(connection) == tmp_path


def test_a_file_that_is_no_duckdb_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    path.write_text("something else")
    with pytest.raises(StoreError, match="cannot open"):
        settings_of(Connection(store="duck", kind="duckdb", path=path))


def test_objects_are_in_the_memory_of_all_nodes(objects: Mapping[str, Connection]) -> None:
    # As the fixture asks for.
    assert settings_of(objects["mem"]).cache_bytes == 1 << 30
    assert folder_of(objects["mem"]) is None


def test_accumulo_cannot_be_asked(accumulo: Mapping[str, Connection]) -> None:
    assert settings_of(accumulo["acc"]).cache_bytes is None
    assert folder_of(accumulo["acc"]) is None
    with pytest.raises(StoreError, match=r"none of its ZooKeepers .*: check that one runs"):
        settings_of(replace(accumulo["acc"], port=1))
