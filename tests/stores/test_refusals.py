"""What real servers refuse is asked before anything is loaded, and told together."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.commands import cli
from evaluation.evaluate import stores_held
from evaluation.kinds import BACKENDS
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from evaluation.stores.mysql import servers
from evaluation.stores.mysql.refusals import lacked
from evaluation.stores.postgresql import refusals as postgresql
from placement.plan import Outcome, PlacementPlan
from tests.stores.each_store import named
from tests.stores.live_servers import maria, postgres
from workloads.catalog import Catalog
from workloads.errors import RefusalsError
from workloads.workload import Workload

pytestmark = pytest.mark.stores

OURS = "refusals_test"
FILE = """
[workload]
source = "queries.sql"
querries = "all"
period = 7
[catalog]
source = "schema.sql"
sceme = "x"
[stores.right]
kind = "postgresql"
{reader}
databse = "d"
[stores.password]
kind = "mysql"
{login}
password_env = "WRONG_PASSWORD"
[stores.old]
kind = "mysql"
{login}
password_env = "RIGHT_PASSWORD"
[stores.gone]
kind = "postgresql"
host = "127.0.0.1"
port = 1
user = "nobody"
[evaluate]
repeets = 1
[constraints]
pin = {{ ordrs = "old" }}
together = [["orders", "itm"]]
"""


@pytest.fixture
def reader(embedded: Mapping[str, Connection]) -> Iterator[Connection]:
    """A user of PostgreSQL who may only read."""
    server = embedded["pg"]
    postgres(
        server,
        "CREATE ROLE reader LOGIN PASSWORD 'reads'",
        f"CREATE SCHEMA {OURS}_there",
    )
    yield replace(server, user="reader", password="reads", namespace=OURS)
    postgres(server, f"DROP SCHEMA {OURS}_there", "DROP OWNED BY reader", "DROP ROLE reader")


def told(connection: Connection) -> list[str]:
    return [str(each) for each in BACKENDS[connection.kind].refusals(connection)]


def test_one_command_tells_what_file_stores_and_constraints_refuse(
    embedded: Mapping[str, Connection],
    reader: Connection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pg, server = reader, embedded["maria"]
    for variable, value in (
        ("READS", "reads"),
        ("WRONG_PASSWORD", "not it"),
        ("RIGHT_PASSWORD", str(server.password)),
        ("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache")),
    ):
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(servers, "MARIADB", replace(servers.MARIADB, oldest=(99, 0, 0)))
    (tmp_path / "queries.sql").write_text("SELECT id FROM orders;")
    (tmp_path / "schema.sql").write_text("CREATE TABLE orders (id INT);CREATE TABLE item (id INT);")
    file = tmp_path / "shop.toml"
    file.write_text(
        FILE.format(
            reader=f'host = "{pg.host}"\nport = {pg.port}\nuser = "reader"\n'
            f'database = "{pg.database}"\nnamespace = "{OURS}"\npassword_env = "READS"',
            login=f'host = "{server.host}"\nport = {server.port}\nuser = "{server.user}"',
        )
    )
    assert cli.main(["run", str(file)]) == cli.USER_ERROR
    *lines, last = capsys.readouterr().err.splitlines()
    for text in (
        "'querries' in [workload]", "'period' in [workload]", "'sceme' in [catalog]",
        "'databse' in [stores.right]", "'repeets' in [evaluate]",
        f"Store 'right': user 'reader' may not create the schema '{OURS}'",
        "Store 'password': cannot log in", "is too old: 99.0.0 or newer is needed",
        "Store 'gone': cannot log in", "Unknown table or tag 'ordrs'",
        "Unknown table or tag 'itm'", "has no data to load",
    ):  # fmt: skip
        assert sum(text in line for line in lines) == 1, text
    assert last == "advisor: 12 things are refused: each has its line, with its way out."
    assert "reads" not in "".join(lines).replace("READS", "")
    assert "not it" not in "".join(lines)


def test_privileges_and_versions_of_postgresql_are_asked_without_writing(
    embedded: Mapping[str, Connection], reader: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told(embedded["pg"]) == []
    there = replace(reader, namespace=f"{OURS}_there")
    assert "may not create tables in its schema" in told(there)[0]
    postgres(embedded["pg"], f"GRANT CREATE, USAGE ON SCHEMA {OURS}_there TO reader")
    assert told(there) == []
    postgres(embedded["pg"], "ALTER ROLE reader SET default_transaction_read_only = on")
    monkeypatch.setattr(postgresql, "OLDEST", 99)
    found = told(reader)
    assert ["too old" in found[0], "no writes" in found[1], "GRANT CREATE" in found[2]] == [
        True
    ] * 3


@pytest.mark.parametrize("name", ["mysql", "mysql8"])
def test_privileges_of_mariadb_and_mysql_are_asked_without_writing(
    request: pytest.FixtureRequest, name: str
) -> None:
    server = replace(named(request, name), namespace=OURS)
    assert told(server) == []
    user = replace(server, user="reader", password="reads")
    maria(
        server,
        "CREATE USER 'reader'@'%' IDENTIFIED BY 'reads'",
        "GRANT SELECT, INSERT ON *.* TO 'reader'@'%'",
        r"GRANT CREATE, DROP, DELETE ON `refusals\_%`.* TO 'reader'@'%'",
        r"GRANT ALL PRIVILEGES ON `other`.* TO 'reader'@'%'",
    )
    try:
        (found,) = told(user)
        assert f"has not ALTER on its database '{OURS}'" in found
        maria(server, f"GRANT ALTER ON `{OURS}`.* TO 'reader'@'%'")
        assert told(user) == []
    finally:
        maria(server, "DROP USER 'reader'@'%'")


def test_files_and_nodes_are_looked_at_too(
    embedded: Mapping[str, Connection], objects: Mapping[str, Connection], tmp_path: Path
) -> None:
    assert told(embedded["duck"]) == told(objects["mem"]) == []
    missing = replace(embedded["duck"], path=tmp_path / "no_folder" / "file.duckdb")
    assert "no_folder cannot be written" in told(missing)[0]
    assert told(replace(missing, path=tmp_path / "new.duckdb")) == []
    assert not (tmp_path / "new.duckdb").exists()


@pytest.mark.parametrize(
    ("grants", "missing"),
    [
        (["GRANT ALL PRIVILEGES ON *.* TO `u`@`%` WITH GRANT OPTION"], ()),
        (["GRANT USAGE ON *.* TO `u`@`%`", "GRANT `role` TO `u`@`%`"], ()),
        (
            [
                "GRANT SELECT (`a`), INSERT, CREATE ON `shop`.`t` TO `u`@`%`",
                "GRANT ALTER, DROP, DELETE, SELECT, INSERT ON `sh__`.* TO `u`@`%`",
            ],
            ("CREATE",),
        ),
        ([r"GRANT ALL PRIVILEGES ON `sh\_p`.* TO `u`@`%`"], "all"),
    ],
)
def test_grants_are_read_as_the_server_reads_them(
    grants: list[str], missing: tuple[str, ...] | str
) -> None:
    found = lacked(grants, "shop")
    assert found == missing or (missing == "all" and len(found) == 6)


def test_all_stores_that_another_advisor_holds_are_told(
    embedded: Mapping[str, Connection],
) -> None:
    servers = {name: replace(embedded[name], namespace=OURS) for name in ("pg", "maria")}
    job = Job(
        workload=Workload(name="w", dialect="duckdb", queries=()),
        catalog=Catalog(name="c", tables={}),
        connections=servers,
    )
    plan = PlacementPlan(
        strategy="s",
        outcome=Outcome.FEASIBLE,
        placement={"orders": ("pg", "maria")},
        routing={},
        predicted_s=0.0,
        seed=0,
    )
    try:
        with (
            stores_held(job, (plan,)),
            pytest.raises(RefusalsError) as raised,
            stores_held(job, (plan,)),
        ):
            pass
        assert ["another advisor works in" in line for line in raised.value.details] == [True] * 2
    finally:
        postgres(servers["pg"], f"DROP SCHEMA {OURS} CASCADE")
        maria(servers["maria"], f"DROP DATABASE {OURS}")
