"""`advisor init`: a file that the project's reader takes, whatever servers and names there are."""

import getpass
import json
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from advisor.project.config import load_project
from advisor.starting.beginning import FILE
from advisor.starting.found import Found, FoundLog, FoundStore, Statistics
from advisor.starting.logins import Login, login
from advisor.starting.names import password_variable
from advisor.starting.project_text import project_text
from advisor.starting.sources import DuckDBFile, ParquetFolder, Server
from advisor.starting.url_tls import UrlTls
from advisor.starting.workload_text import workload_sources
from evaluation.surveys.survey import SchemaFound, ServerLog, Survey
from tests.unit.advisor.command import called

AWKWARD = "a \"b\" \\ 'c' # ü 店\u2028\x07\nd"
SERVER = Server(
    kind="postgresql",
    host="pg.example.org",
    port=5432,
    user=AWKWARD,
    database=AWKWARD,
    tls=UrlTls(),
)


def store(name: str, **more: object) -> FoundStore:
    """A server with awkward names, of whose three schemas one may not be read."""
    schemas = (
        SchemaFound(name=AWKWARD, tables=3, readable=2, bytes=5_000),
        SchemaFound(name="sales", tables=1, readable=1, bytes=7 << 40),
        SchemaFound(name="hr\n", tables=9, readable=0, bytes=1),
    )
    found = FoundStore(
        login=Login(store=name, server=SERVER, password="secret"),
        encryption="TLSv1.3",
        survey=Survey(version=f"PostgreSQL {AWKWARD}", schemas=schemas, counted_s=86_400.0),
        schemas=schemas,
        statistics=Statistics(statements=4, executions=9.0),
        logs=(),
        free_bytes=None,
    )
    return replace(found, **more)


def found(*stores: FoundStore, **more: object) -> Found:
    at = datetime(2025, 5, 1, tzinfo=UTC)
    return replace(Found(at=at, stores=stores, files={}, free_bytes=5 << 30), **more)


def log(recorded: str, *files: Path) -> FoundLog:
    return FoundLog(
        log=ServerLog(
            name="csvlog", folder=Path("/log"), pattern="*.csv", recorded=recorded, settings="x = 1"
        ),
        files=files,
    )


def test_names_of_any_characters_come_back_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text(project_text(found(store("shop"), store("other"))))
    project = load_project(file)
    first = project.store("shop")
    assert (first.user, first.database) == (AWKWARD, AWKWARD)
    assert first.schemas == (AWKWARD, "sales")
    assert first.is_live
    assert first.tls == "require"
    assert first.password_env == "SHOP_PASSWORD"
    assert project.workload.source == ("stores.shop", "stores.other")
    assert project.workload.period_days == 1.0
    assert project.store("copies").capacity.size_bytes == 5 << 29
    assert "secret" not in file.read_text()


def test_what_is_not_known_is_a_comment_and_no_key() -> None:
    unknown = store(
        "shop",
        encryption="",
        statistics=Statistics(obstacle="keeps no statement statistics."),
        survey=Survey(version="PostgreSQL 12", schemas=()),
    )
    text = project_text(found(unknown, free_bytes=1000))
    read = tomllib.loads(text)
    assert read["workload"] == {"source": ["queries/"], "skip_invalid": True}
    assert read["stores"]["shop"]["tls"] == "prefer"
    assert "capacity" not in read["stores"]["shop"]
    assert "capacity" not in read["stores"]["copies"]
    assert "shop: keeps no statement statistics." in text
    assert "how much is free on its disk is not known here" in text
    assert "# capacity: 1.0 kB are free" in text


def test_a_section_for_copies_on_a_server_is_read_once_its_marks_are_removed() -> None:
    lines = project_text(found(store("shop", free_bytes=3 << 30))).splitlines()
    start = lines.index("# [stores.shop_copies]")
    section = lines[start : lines.index("", start)]
    read = tomllib.loads("\n".join(line.removeprefix("# ") for line in section))
    copies = read["stores"]["shop_copies"]
    assert copies["capacity"] == "1.5 GiB"
    assert copies["database"] == AWKWARD
    assert "tables" not in copies


@pytest.mark.parametrize(
    ("logs", "statements", "sources"),
    [
        ((), 4, ("stores.shop",)),
        ((log("slow", Path("/log/a.csv")),), 4, ("stores.shop",)),
        ((log("slow", Path("/log/a.csv")),), 0, ("/log/a.csv",)),
        ((log("all", Path("/log/a.csv"), Path("/log/b.csv")),), 4, ("/log/a.csv", "/log/b.csv")),
        ((log("all"),), 4, ("stores.shop",)),
        ((), 0, ("queries/",)),
    ],
)
def test_each_server_is_one_source_of_the_workload(
    logs: tuple[FoundLog, ...], statements: int, sources: tuple[str, ...]
) -> None:
    one = store("shop", logs=logs, statistics=Statistics(statements=statements))
    assert workload_sources(found(one)) == sources
    assert tuple(tomllib.loads(project_text(found(one)))["workload"]["source"]) == sources
    own = found(one, workload=(Path("/own.sql"),))
    kept = () if sources == ("queries/",) else sources
    assert workload_sources(own) == ("/own.sql", *kept)


def test_data_are_sources_of_the_catalog(tmp_path: Path) -> None:
    file, folder = tmp_path / 'a "b".duckdb', tmp_path / "parquet"
    folder.mkdir()
    with duckdb.connect(str(file)) as session:
        session.execute("CREATE TABLE t AS SELECT 1 AS i")
        session.execute(f"COPY (SELECT 1 AS i) TO '{folder}/u.parquet'")
    (tmp_path / "queries").mkdir()
    data = found(files={"a_b": DuckDBFile(path=file)}, folder=ParquetFolder(source=str(folder)))
    (tmp_path / FILE).write_text(project_text(data))
    project = load_project(tmp_path / FILE)
    assert project.catalog.source == (str(folder), "stores.a_b")
    live = {each.name: each for each in project.stores}["a_b"]
    assert live.is_live
    assert live.path == file


def test_a_folder_of_parquet_is_begun_with_and_analysed(tmp_path: Path) -> None:
    folder, shop = tmp_path / "parquet", tmp_path / "shop"
    folder.mkdir()
    duckdb.sql(f"COPY (SELECT 1 AS i) TO '{folder}/u.parquet'")
    (tmp_path / "asked.sql").write_text("SELECT count(*) FROM u;")
    begun = ("init", "--from", str(folder), "--workload", str(tmp_path / "asked.sql"))
    done = called(*begun, "-o", str(shop), "--json", env={"PLACEMENT_ADVISOR_CACHE": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["file"] == str(shop / FILE)
    assert (answer["stores"], answer["catalog"]) == ([], [str(folder)])
    told = called("analyze", str(shop / FILE), env={"PLACEMENT_ADVISOR_CACHE": str(tmp_path)})
    assert told.returncode == 0, told.stderr
    assert "asked" in told.stdout


def test_a_file_that_is_there_stays_until_it_is_given_up(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("mine")
    folder = tmp_path / "parquet"
    folder.mkdir()
    duckdb.sql(f"COPY (SELECT 1 AS i) TO '{folder}/u.parquet'")
    begun = ("init", "--from", str(folder), "-o", str(tmp_path))
    refused = called(*begun)
    assert refused.returncode == 2
    assert "exists: --overwrite replaces it" in refused.stderr
    assert (tmp_path / FILE).read_text() == "mine"
    assert called(*begun, "--overwrite").returncode == 0
    assert (tmp_path / FILE).read_text() != "mine"
    assert (tmp_path / "queries").is_dir()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "parquet"
    folder.mkdir()
    duckdb.sql(f"COPY (SELECT 1 AS i) TO '{folder}/u.parquet'")
    refused = called("init", "--from", str(folder), "-o", "/proc/nothing")
    assert refused.returncode == 2
    assert "/proc/nothing cannot be written to" in refused.stderr
    assert refused.stdout == ""


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    """A terminal on which the password "s3cret" is typed; the prompt that was shown."""
    asked: dict[str, str] = {}
    monkeypatch.delenv("SHOP_PASSWORD", raising=False)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(
        getpass, "getpass", lambda prompt: asked.setdefault("prompt", prompt) and "s3cret"
    )
    return asked


def test_a_password_is_asked_for_on_a_terminal_and_shown_nowhere(
    typed: Mapping[str, str],
) -> None:
    found_login = login("shop", SERVER)
    assert found_login.password == "s3cret"
    assert found_login.is_typed
    assert "pg.example.org:5432" in typed["prompt"]
    assert "s3cret" not in repr(found_login) + repr(found_login.connection())


def test_a_variable_that_is_set_is_not_asked_for(
    typed: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(password_variable("shop"), "set")
    assert login("shop", SERVER).password == "set"
    assert not typed
    assert login("shop", SERVER).connection().read_only


def test_a_second_url_without_its_option_shows_no_password() -> None:
    refused = called("init", "--from", "mysql://u@h", "postgresql://u:s3cret@h/d")
    assert refused.returncode == 2
    assert "one argument too many" in refused.stderr
    assert "s3cret" not in refused.stderr
