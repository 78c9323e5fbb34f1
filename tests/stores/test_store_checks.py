"""`advisor stores check`: a row a store, what is lacking in a line each, exit 0 or 2."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.commands.arguments import USER_ERROR
from advisor.commands.cli import DONE, main
from evaluation.checks.check import Uses
from evaluation.kinds import KINDS, LIVE
from evaluation.store_protocol.connection import Connection
from tests.stores.encrypted_servers import Encrypted
from tests.stores.live_servers import database, maria, postgres
from workloads.progress import Silent

pytestmark = pytest.mark.stores

HEAD = '[workload]\nsource = "tpcds"\n[catalog]\nsource = "tpcds"\n'


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")


def section(connection: Connection, variable: str, more: str) -> str:
    database = f'database = "{connection.database}"\n' if connection.database else ""
    return (
        f'[stores.{connection.store}]\nkind = "{connection.kind}"\nhost = "{connection.host}"\n'
        f'port = {connection.port}\n{database}user = "{connection.user}"\n'
        f'password_env = "{variable}"\n{more}\n'
    )


def test_each_store_has_a_row_and_each_fault_a_line(
    encrypted: Encrypted,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stores = encrypted.connections
    for name, each in stores.items():
        monkeypatch.setenv(f"{name.upper()}_PASSWORD", str(each.password))
    trusted, unknown = (
        f'tls = "verify-full"\nca = "{each.ca}"' for each in (encrypted.trusted, encrypted.unknown)
    )
    file = tmp_path / "shop.toml"
    duck = '[stores.duck]\nkind = "duckdb"\npath = "a.duckdb"\ncapacity = "1000 TB"\n'

    def check(pg: str, mariadb: str, more: str = "") -> tuple[int, str, str]:
        file.write_text(
            HEAD
            + section(stores["pg"], "PG_PASSWORD", pg)
            + section(stores["maria"], "MARIA_PASSWORD", mariadb)
            + more
        )
        code = main(["stores", "check", str(file)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    code, out, _ = check(trusted, 'tls = "require"')
    assert code == DONE
    assert out.count("TLSv1.3") == 2
    assert out.count("ready") == 2
    code, out, err = check(unknown, 'tls = "disable"', duck)
    assert code == USER_ERROR
    assert "3 of 3 stores lack what a run needs (pg, maria, duck)" in err
    lines = [line for line in out.splitlines() if line.startswith("Store '")]
    assert "is of no authority in ca" in lines[0]
    assert "takes no clear text" in lines[1]
    assert "[stores.duck].capacity is" in lines[2]
    assert not (tmp_path / "a.duckdb").exists()
    assert str(stores["pg"].password) not in out + err


def test_a_command_ends_with_one_line_where_tls_fails(
    encrypted: Encrypted,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pg = encrypted.connections["pg"]
    monkeypatch.setenv("PG_PASSWORD", str(pg.password))
    file = tmp_path / "shop.toml"
    tls = f'tls = "verify-full"\nca = "{encrypted.unknown.ca}"'
    head = HEAD.replace('source = "tpcds"', 'source = "stores.pg"')
    file.write_text(head + section(pg, "PG_PASSWORD", tls))
    assert main(["analyze", str(file)]) == USER_ERROR
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("advisor: Store 'pg': cannot log in to localhost:")
    assert "self-signed certificate" in line


def test_statistics_that_are_older_than_the_data_are_named(
    embedded: Mapping[str, Connection],
) -> None:
    pg = embedded["pg"]
    postgres(
        pg,
        "DROP SCHEMA IF EXISTS stale CASCADE",
        "CREATE SCHEMA stale",
        "CREATE TABLE stale.fresh AS SELECT generate_series(1, 500) AS i",
        "CREATE TABLE stale.never AS SELECT generate_series(1, 500) AS i",
        "ALTER TABLE stale.never SET (autovacuum_enabled = off)",
    )
    # A session reports what it wrote when it ends.
    postgres(pg, "ANALYZE stale.fresh")
    uses = Uses(tables=True, schemas=("stale",))
    check = KINDS["postgresql"].check
    assert check is not None
    found = check(pg, uses)
    assert (found.tables, found.stale) == (2, ('ANALYZE "stale"."never";',))
    postgres(pg, "ANALYZE stale.never")
    assert check(pg, uses).stale == ()


def test_a_server_that_takes_no_writes_is_named(
    embedded: Mapping[str, Connection],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with database(embedded["pg"], "standing_by") as pg:
        monkeypatch.setenv("PG_PASSWORD", str(pg.password))
        postgres(pg, "ALTER DATABASE standing_by SET default_transaction_read_only = on")
        file = tmp_path / "shop.toml"
        file.write_text(HEAD + section(pg, "PG_PASSWORD", ""))
        assert main(["stores", "check", str(file)]) == USER_ERROR
    assert "Store 'pg': it takes no writes" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["maria", "mysql8"])
def test_what_was_written_after_its_statistics_is_named(
    embedded: Mapping[str, Connection], others: Mapping[str, Connection], name: str
) -> None:
    server = {**embedded, **others}[name]
    maria(
        server,
        "DROP DATABASE IF EXISTS stale",
        "CREATE DATABASE stale",
        "CREATE TABLE stale.t (i INT) STATS_AUTO_RECALC = 0",
        "INSERT INTO stale.t VALUES (1)",
        "ANALYZE TABLE stale.t",
    )
    check = KINDS["mysql"].check
    assert check is not None
    uses = Uses(tables=True, schemas=("stale",))
    # Both moments are told in whole seconds.
    maria(server, "DO SLEEP(1.1)", "ANALYZE TABLE stale.t")
    assert check(server, uses).stale == ()
    maria(server, "DO SLEEP(1.1)", "INSERT INTO stale.t VALUES (2)", "COMMIT")
    assert check(server, uses).stale == ("ANALYZE TABLE `stale`.`t`;",)


def test_an_account_that_may_not_see_statistics_says_so(embedded: Mapping[str, Connection]) -> None:
    user = "'seeing_little'@'127.0.0.1'"
    maria(
        embedded["maria"],
        "CREATE DATABASE IF NOT EXISTS seen",
        "CREATE TABLE IF NOT EXISTS seen.t (i INT)",
        f"CREATE OR REPLACE USER {user} IDENTIFIED BY 'secret'",
        f"GRANT SELECT, SHOW VIEW ON seen.* TO {user}",
    )
    check = KINDS["mysql"].check
    assert check is not None
    account = replace(embedded["maria"], user="seeing_little", password="secret")
    found = check(account, Uses(tables=True, schemas=("seen",)))
    assert (found.lacks, found.tables, found.stale) == ((), 1, None)


def test_rights_of_a_role_count(others: Mapping[str, Connection]) -> None:
    mysql8 = others["mysql8"]
    user = "'of_a_role'@'127.0.0.1'"
    maria(
        mysql8,
        "DROP ROLE IF EXISTS copying",
        f"DROP USER IF EXISTS {user}",
        "CREATE ROLE copying",
        "GRANT SELECT, INSERT, DELETE, CREATE, DROP, ALTER ON `placement\\_advisor`.* TO copying",
        f"CREATE USER {user} IDENTIFIED BY 'gehéim €'",
    )
    check = KINDS["mysql"].check
    assert check is not None
    account = replace(mysql8, user="of_a_role", password="gehéim €")
    (lack,) = check(account, Uses(copies=True)).lacks
    assert lack.remedy[0].startswith("GRANT SELECT, INSERT, DELETE, CREATE, DROP, ALTER ON")
    maria(mysql8, f"GRANT copying TO {user}", f"SET DEFAULT ROLE copying TO {user}")
    assert check(account, Uses(copies=True)).lacks == ()


def test_a_foreign_table_that_the_account_cannot_reach_is_named_and_its_rows_are_assumed(
    remembering: Mapping[str, Connection],
) -> None:
    check = KINDS["postgresql"].check
    assert check is not None
    with database(remembering["pg"], "foreign tables") as pg:
        postgres(
            pg,
            "CREATE EXTENSION postgres_fdw",
            "CREATE TABLE near AS SELECT g AS id FROM generate_series(1, 7) g",
            "CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw "
            f"OPTIONS (host '127.0.0.1', port '{pg.port}', dbname '{pg.database}')",
            "CREATE FOREIGN TABLE far (id int) SERVER elsewhere OPTIONS (table_name 'near')",
            "CREATE ROLE cannot_reach LOGIN PASSWORD 'secret'",
            "GRANT SELECT ON near, far TO cannot_reach",
            "GRANT USAGE ON FOREIGN SERVER elsewhere TO cannot_reach",
        )
        account = replace(pg, user="cannot_reach", password="secret")
        uses = Uses(tables=True, schemas=("public",))
        try:
            (lack,) = check(account, uses).lacks
            assert lack.what.startswith("foreign table 'public.far' cannot be read: user mapping")
            (remedy,) = lack.remedy
            assert remedy.startswith('CREATE USER MAPPING FOR "cannot_reach" SERVER "elsewhere"')
            found = LIVE["postgresql"].catalog(account, Silent())
            assert found.assumed_rows == ("far",)
            assert (found.table("near").rows, found.table("far").rows) == (7, 1_000)
            # As it says, with an account of the other server.
            options = f"user '{pg.user}', password '{pg.password}'"
            postgres(pg, remedy.replace("user '…', password '…'", options))
            assert check(account, uses).lacks == ()
            found = LIVE["postgresql"].catalog(account, Silent())
            assert (found.assumed_rows, found.table("far").rows) == ((), 7)
        finally:
            postgres(pg, "DROP OWNED BY cannot_reach CASCADE", "DROP ROLE cannot_reach")
