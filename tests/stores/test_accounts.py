"""The SQL of docs/accounts.md is enough for each use, and a missing right names its GRANT."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from advisor.commands.arguments import USER_ERROR
from advisor.commands.cli import DONE, main
from advisor.measuring.calibrate import SUFFIX
from evaluation.kinds import BACKENDS
from evaluation.store_protocol.connection import NAMESPACE, Connection
from tests.stores.each_store import rows
from tests.stores.live_servers import maria, postgres
from tests.stores.parquet_tables import every_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.stores

PAGE = Path(__file__).parents[2] / "docs" / "accounts.md"
SECTIONS = {"pg": "PostgreSQL", "maria": "MySQL and MariaDB", "mysql8": "MySQL and MariaDB"}
EACH = pytest.mark.parametrize("store", SECTIONS)
PASSWORD = "choose a long one"
SHOP = {
    "pg": (
        "CREATE SCHEMA sales",
        "CREATE TABLE sales.orders AS SELECT i AS id, i % 7 AS day FROM generate_series(1, 900) i",
        "CREATE VIEW sales.sunday AS SELECT id FROM sales.orders WHERE day = 0",
        "ANALYZE sales.orders",
        "SELECT count(*) FROM sales.orders WHERE day = 3",
    ),
    "maria": (
        "CREATE DATABASE sales",
        "CREATE TABLE sales.orders AS SELECT 1 AS id, 3 AS day",
        "CREATE VIEW sales.sunday AS SELECT id FROM sales.orders WHERE day = 0",
        "USE sales",
        "SELECT count(*) FROM orders WHERE day = 3",
    ),
}
GONE = {
    "pg": (
        "DROP SCHEMA IF EXISTS sales CASCADE",
        "DROP SCHEMA IF EXISTS placement_advisor CASCADE",
        "DROP SCHEMA IF EXISTS placement_advisor_calibration CASCADE",
        "DROP ROLE IF EXISTS placement",
    ),
    "maria": (
        "DROP DATABASE IF EXISTS sales",
        "DROP DATABASE IF EXISTS placement_advisor",
        "DROP DATABASE IF EXISTS placement_advisor_calibration",
        "DROP USER IF EXISTS 'placement'@'%'",
    ),
}


def pasted(store: str, use: str) -> tuple[str, ...]:
    """The statements that the page has below a use; "" is the account itself."""
    section = PAGE.read_text().split(f"\n## {SECTIONS[store]}\n")[1].split("\n## ")[0]
    part = section.split(f"**{use}**")[1].split("\n**")[0] if use else section
    blocks = re.findall(r"```sql\n(.*?)```", part, re.DOTALL)
    assert blocks
    return tuple((blocks[0] if not use else "".join(blocks)).strip().split(";\n"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server with a schema of a user's, and the files of a project on it."""

    store: str
    superuser: Connection
    folder: Path

    @property
    def account(self) -> Connection:
        return replace(self.superuser, user="placement", password=PASSWORD)

    def run(self, *statements: str) -> None:
        run = postgres if self.store == "pg" else maria
        run(self.superuser, *(each.strip().rstrip(";") for each in statements))

    def project(self, *, workload: bool, catalog: bool) -> Path:
        file = self.folder / "shop.toml"
        (self.folder / "queries.sql").write_text("SELECT count(*) FROM orders WHERE day = 3;")
        database = f'database = "{self.superuser.database}"\n' if self.store == "pg" else ""
        schema = 'schema = "sales"\n'
        file.write_text(
            f'[workload]\nsource = "{"stores.shop" if workload else "queries.sql"}"\n'
            f"{schema if workload and self.store != 'pg' else ''}"
            f'[catalog]\nsource = "{"stores.shop" if catalog else "tpcds"}"\n'
            f"{schema if catalog else ''}"
            f'[stores.shop]\nkind = "{self.superuser.kind}"\nhost = "127.0.0.1"\n'
            f'port = {self.superuser.port}\n{database}user = "placement"\n'
            'password_env = "SHOP_PASSWORD"\n'
        )
        return file


@pytest.fixture
def server(
    store: str,
    remembering: Mapping[str, Connection],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Server]:
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)
    found = Server(store=store, superuser=remembering[store], folder=tmp_path)
    words = "pg" if store == "pg" else "maria"
    found.run(*GONE[words])
    if store == "pg":
        found.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    found.run(*SHOP[words], *pasted(store, ""))
    yield found
    found.run(*GONE[words])


def checked(file: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    """The exit code and the answer of `stores check` about the one store."""
    code = main(["stores", "check", str(file), "--json"])
    (found,) = json.loads(capsys.readouterr().out)["stores"]
    return code, found


@EACH
@pytest.mark.parametrize(
    ("use", "workload", "catalog"),
    [
        ("Analysis only", True, True),
        ("Live source", False, True),
        ("Store of copies", False, False),
    ],
)
def test_rights_that_are_missing_are_named_and_the_pages_are_enough(
    server: Server,
    capsys: pytest.CaptureFixture[str],
    use: str,
    workload: bool,
    catalog: bool,
) -> None:
    file = server.project(workload=workload, catalog=catalog)
    code, found = checked(file, capsys)
    assert code == USER_ERROR
    grants = [sql for lack in found["lacks"] for sql in lack["sql"]]
    server.run(*pasted(server.store, use))
    code, after = checked(file, capsys)
    assert (code, after["lacks"]) == (DONE, [])
    said = {sql.rstrip(";").replace('"', "") for sql in grants}
    page = {sql.rstrip(";").replace('"', "") for sql in pasted(server.store, use)}
    # A superuser has made the extension already.
    assert said == {sql for sql in page if "EXTENSION" not in sql}


@EACH
def test_an_account_for_analysis_reads_statements_and_tables(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    server.run(*pasted(server.store, "Analysis only"))
    file = server.project(workload=True, catalog=True)
    code = main(["analyze", str(file), "--json", "--skip-invalid"])
    captured = capsys.readouterr()
    assert code == DONE, captured.err
    found = json.loads(captured.out)
    assert "orders" in {each["name"] for each in found["tables"]}
    # Said once: the server has no TLS.
    assert captured.err.count("is reached in clear text") == 1
    main(["analyze", str(file), "--json", "--skip-invalid"])
    assert "is reached in clear text" not in capsys.readouterr().err


@EACH
@pytest.mark.parametrize(
    ("use", "namespace"),
    [("Store of copies", NAMESPACE), ("Calibration", NAMESPACE + SUFFIX)],
)
def test_an_account_of_copies_loads_and_is_read_by_spark(
    server: Server, spark: "SparkSession", tmp_path: Path, use: str, namespace: str
) -> None:
    server.run(*pasted(server.store, use))
    account = replace(server.account, namespace=namespace)
    table = every_type(tmp_path)
    backend = BACKENDS[account.kind]
    with backend.hold(account):
        backend.prepare(account)
        backend.load(account, table)
        backend.load(account, replace(table, fingerprint="newer"))
        assert len(rows(spark, account, table.name)) == table.rows
        backend.drop(account, table.name)
        assert backend.end_sessions(account, "0123456789abcdef") == 0


@EACH
def test_a_check_changes_nothing(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.run(*pasted(server.store, "Store of copies"))
    code, found = checked(server.project(workload=False, catalog=False), capsys)
    assert (code, found["serves"]) == (DONE, True)
    assert found["encryption"] == ""
    words = {"pg": "PostgreSQL 18", "maria": "MariaDB 11", "mysql8": "MySQL 8"}
    assert found["version"].startswith(words[server.store])
    listing = {
        "pg": "SELECT 1 / count(*) FROM pg_tables WHERE schemaname = 'placement_advisor'",
        "maria": "CREATE DATABASE placement_advisor",
    }
    if server.store == "pg":
        with pytest.raises(Exception, match="division by zero"):
            server.run(listing["pg"])
    else:
        server.run(listing["maria"])
