"""A shop of look-ups over live tables: it is told to stay where its indexes are."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from advisor.commands import cli
from evaluation.store_protocol.connection import Connection
from tests.stores.live_servers import postgres

pytestmark = pytest.mark.stores

SCHEMA = "indexed_shop"
ROWS = 400_000
"""So many that reading them all takes PostgreSQL longer than a task of the engine takes."""
SETUP = (
    f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE",
    f"CREATE SCHEMA {SCHEMA}",
    (
        f"CREATE TABLE {SCHEMA}.purchase (id bigint PRIMARY KEY, customer int, day date,"
        " amount numeric(12, 2), note text)"
    ),
    (
        f"INSERT INTO {SCHEMA}.purchase SELECT i, i::bigint * 7919 % 50021,"
        " date '2024-01-01' + i % 365,"
        f" i * 1.25, repeat('a long note on the purchase ', 20) FROM generate_series(1, {ROWS}) i"
    ),
    f"CREATE INDEX by_customer ON {SCHEMA}.purchase (customer)",
    f"ANALYZE {SCHEMA}.purchase",
)
QUERIES = """
-- name: purchase
-- executions: 100000
SELECT day, amount, note FROM purchase WHERE id = 4711;
-- name: purchases
-- executions: 100000
SELECT id, day, amount, note FROM purchase WHERE customer = 815;
-- name: basket
-- executions: 100000
SELECT id, amount, note FROM purchase WHERE customer IN (7, 77, 777);
"""
PROJECT = """
[workload]
source = "queries.sql"
[stores.pg]
kind = "postgresql"
tables = "live"
movable = true
schemas = ["{schema}"]
host = "{host}"
port = {port}
database = "{database}"
user = "{user}"
password_env = "LIVE_PASSWORD"
[stores.pg.strength]
start_s = 0.05
[stores.duck]
kind = "duckdb"
path = "copies.duckdb"
[stores.duck.strength]
start_s = 0.05
"""
"""A statement begins as soon in either store: its work tells where it goes."""


@pytest.fixture
def placed(
    embedded: Mapping[str, Connection],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[Callable[[], tuple[list[str], float]]]:
    """Return a function that places the shop: the stores of its table, and predicted seconds."""
    server = embedded["pg"]
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LIVE_PASSWORD", server.password or "")
    postgres(server, *SETUP)
    (tmp_path / "queries.sql").write_text(QUERIES)
    file = tmp_path / "shop.toml"
    file.write_text(
        PROJECT.format(
            schema=SCHEMA,
            host=server.host,
            port=server.port,
            database=server.database,
            user=server.user,
        )
    )

    def run() -> tuple[list[str], float]:
        code = cli.main(["place", str(file), "--json"])
        shown = capfd.readouterr()
        assert code == 0, shown.err
        answer = json.loads(shown.out)
        return answer["placement"]["purchase"], answer["predicted_s"]

    yield run
    postgres(server, f"DROP SCHEMA {SCHEMA} CASCADE")


def test_a_shop_of_look_ups_stays_where_its_indexes_are_and_moves_without_them(
    embedded: Mapping[str, Connection], placed: Callable[[], tuple[list[str], float]]
) -> None:
    with_indexes, indexed_s = placed()
    assert with_indexes == ["pg"]
    postgres(
        embedded["pg"],
        f"DROP INDEX {SCHEMA}.by_customer",
        f"ALTER TABLE {SCHEMA}.purchase DROP CONSTRAINT purchase_pkey",
    )
    without, scanned_s = placed()
    assert without == ["duck"]
    assert indexed_s < scanned_s
