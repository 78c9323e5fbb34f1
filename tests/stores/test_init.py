"""`advisor init` on servers in use: what it writes, `stores check` and `analyze` take unchanged."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from advisor.commands.arguments import USER_ERROR
from advisor.commands.cli import DONE, main
from advisor.project.config import load_project
from advisor.starting.beginning import FILE
from evaluation.kinds import KINDS
from evaluation.store_protocol.connection import Connection
from evaluation.surveys.survey import Survey
from tests.stores.encrypted_servers import STORES, Encrypted
from tests.stores.live_servers import database, maria, postgres
from tests.stores.live_shop import PASSWORD, QUERIES, READER, fill

pytestmark = pytest.mark.stores

OF_KIND = {"pg": "postgresql", "maria": "mysql", "mysql8": "mysql"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    for name in ("WAREHOUSE", "LIVE_SHOP", "POSTGRESQL", "MYSQL", "NOSUCH"):
        monkeypatch.setenv(f"{name}_PASSWORD", PASSWORD)


@pytest.fixture
def shop(encrypted: Encrypted) -> Iterator[Mapping[str, Connection]]:
    """The shop on servers that demand TLS; one schema of PostgreSQL may not be read."""
    with database(encrypted.connections["pg"], "warehouse") as pg:
        servers = {**encrypted.connections, "pg": pg}
        fill(servers, "maria", "mysql8")
        postgres(pg, "CREATE SCHEMA hr", "CREATE TABLE hr.salary (i int)")
        yield servers


def url(server: Connection, of_database: str = "", query: str = "") -> str:
    return f"{server.kind}://{READER}@{server.host}:{server.port}/{of_database}{query}"


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--json"]) == DONE, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def written_by_us(servers: Mapping[str, Connection]) -> list[str]:
    """Schemas that the accounts have left behind on the servers."""
    left = []
    for server in servers.values():
        survey = KINDS[server.kind].survey
        assert survey is not None
        left += [each.name for each in survey(server).schemas if "placement" in each.name]
    return left


@pytest.mark.parametrize("mysql", ["maria", "mysql8"])
def test_the_project_of_two_servers_is_checked_analysed_and_placed_as_it_is(
    shop: Mapping[str, Connection],
    encrypted: Encrypted,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    mysql: str,
) -> None:
    queries = tmp_path / "asked"
    queries.mkdir()
    for name, sql in QUERIES.items():
        (queries / f"{name}.sql").write_text(sql)
    verified = f"?sslmode=verify-full&sslrootcert={encrypted.trusted.ca}"
    sources = (url(shop["pg"], "warehouse", verified), url(shop[mysql]))
    arguments = [part for each in sources for part in ("--from", each)]
    begun = answer(
        capsys, "init", *arguments, "--workload", str(queries), "-o", str(tmp_path / "shop")
    )
    file = tmp_path / "shop" / FILE
    assert begun["file"] == str(file)
    warehouse, other = begun["stores"]
    assert [each["name"] for each in begun["stores"]] == ["warehouse", "mysql"]
    assert warehouse["encryption"].startswith("TLSv1.")
    assert other["encryption"].startswith("TLSv1.")
    counts = {each["name"]: (each["tables"], each["readable"]) for each in warehouse["schemas"]}
    assert counts == {"hr": (1, 0), "live_crm": (5, 5), "live_sales": (3, 3)}
    assert [each["name"] for each in other["schemas"]] == ["live_shop"]
    project = load_project(file)
    assert project.store("warehouse").schemas == ("live_crm", "live_sales")
    assert (project.store("warehouse").tls, project.store("mysql").tls) == (
        "verify-full",
        "require",
    )
    assert PASSWORD not in file.read_text()

    checked = answer(capsys, "stores", "check", str(file))
    assert {each["name"]: each["serves"] for each in checked["stores"]} == {
        "warehouse": True,
        "mysql": True,
        "copies": True,
    }
    analysed = answer(capsys, "analyze", str(file))
    assert {each["name"] for each in analysed["queries"]} == set(QUERIES)
    placed = answer(capsys, "place", str(file))
    assert "current" in placed["baselines"]
    assert placed["placement"]["customer"][0] in {"warehouse", "copies"}
    assert written_by_us({name: shop[name] for name in ("pg", mysql)}) == []


def test_what_servers_remember_is_the_workload(
    remembering: Mapping[str, Connection], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with database(remembering["pg"], "warehouse") as pg:
        servers = {**remembering, "pg": pg}
        fill(servers, "maria")
        postgres(
            pg,
            "CREATE EXTENSION IF NOT EXISTS pg_stat_statements",
            f"GRANT pg_read_all_stats TO {READER}",
            *("SELECT city, count(*) FROM live_crm.address GROUP BY city",) * 3,
        )
        summary = "performance_schema.events_statements_summary_by_digest"
        maria(
            servers["maria"],
            f"GRANT SELECT ON {summary} TO {READER}@'%'",
            "USE live_shop",
            "SELECT product, sum(amount) FROM line GROUP BY product",
        )
        sources = (url(pg, "warehouse"), url(servers["maria"], "live_shop"))
        arguments = [part for each in sources for part in ("--from", each)]
        begun = answer(capsys, "init", *arguments, "-o", str(tmp_path))
        assert begun["workload"] == ["stores.warehouse", "stores.live_shop"]
        assert [each["encryption"] for each in begun["stores"]] == ["", ""]
        assert all(each["statements"] for each in begun["stores"])
        assert load_project(tmp_path / FILE).workload.period_days > 0
        analysed = answer(capsys, "analyze", str(tmp_path / FILE))
        read = {table for each in analysed["queries"] for table in each["tables"]}
        assert {"live_crm.address", "line"} <= read
        with_rights = {each["name"] for each in begun["stores"][1]["schemas"]}
        assert with_rights == {"live_shop"}


@pytest.mark.parametrize("store", STORES)
def test_a_wrong_password_is_said_and_is_not_shown(
    shop: Mapping[str, Connection],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    store: str,
) -> None:
    monkeypatch.setenv("LIVE_SHOP_PASSWORD", "s3cret")
    monkeypatch.setenv("WAREHOUSE_PASSWORD", "s3cret")
    source = url(shop[store], "warehouse" if store == "pg" else "live_shop")
    assert main(["init", "--from", source, "-o", str(tmp_path)]) == USER_ERROR
    captured = capsys.readouterr()
    told = captured.err.splitlines()[-1]
    assert "check that the server runs" in told
    assert "authentication failed" in told or "Access denied" in told
    assert "s3cret" not in captured.out + captured.err
    assert not (tmp_path / FILE).exists()


def test_an_account_that_reads_nothing_is_told_what_there_is(
    shop: Mapping[str, Connection], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [
        part
        for each in (url(shop["pg"], "postgres"), url(shop["maria"], "nosuch"))
        for part in ("--from", each)
    ]
    assert main(["init", *both, "-o", str(tmp_path)]) == USER_ERROR
    told = capsys.readouterr().err
    assert "There are the databases" in told
    assert "warehouse" in told
    assert "live_shop: name one" in told
    assert "2 things are refused" in told


def surveyed(server: Connection) -> Survey:
    survey = KINDS[server.kind].survey
    assert survey is not None
    return survey(server)


def test_logs_that_can_be_read_here_are_found(remembering: Mapping[str, Connection]) -> None:
    """The superuser of the tests may know where the log is, and the account of a user may not."""
    pg, server = remembering["pg"], remembering["maria"]
    (csvlog,) = surveyed(pg).logs
    assert (csvlog.name, csvlog.recorded) == ("csvlog", "none")
    assert csvlog.folder is not None
    assert list(csvlog.folder.glob(csvlog.pattern))
    maria(
        server,
        "SET GLOBAL log_output = 'FILE'",
        "SET GLOBAL slow_query_log = ON",
        "SET GLOBAL long_query_time = 0",
    )
    try:
        found = {each.name: each.recorded for each in surveyed(server).logs}
    finally:
        maria(server, "SET GLOBAL slow_query_log = OFF", "SET GLOBAL long_query_time = 10")
    assert found["slow log"] == "all"
    assert "slow log" not in {each.name for each in surveyed(server).logs}
