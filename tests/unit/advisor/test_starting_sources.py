"""`--from`: which servers and data are understood, and what is said of the rest."""

from pathlib import Path

import duckdb
import pytest

from advisor.starting.logins import names_of
from advisor.starting.names import password_variable
from advisor.starting.sources import DuckDBFile, ParquetFolder, Server, source_of
from workloads.errors import ConfigurationError

SECRET = "s3cret"


def server(text: str) -> Server:
    found = source_of(text, 1)
    assert isinstance(found, Server)
    return found


def refused(text: str) -> str:
    """The refusal of a source that cannot be used; nothing of a password in it."""
    with pytest.raises(ConfigurationError) as raised:
        source_of(text, 2)
    told = str(raised.value)
    assert told.startswith("--from number 2")
    assert SECRET not in told
    return told


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("postgresql://u@pg.example.org/s", ("postgresql", "pg.example.org", 5432, "u", "s")),
        ("postgres://u@h:6000/", ("postgresql", "h", 6000, "u", None)),
        ("mysql://u@h", ("mysql", "h", 3306, "u", None)),
        ("MariaDB://u@[fe80::1]:33/shop", ("mysql", "fe80::1", 33, "u", "shop")),
        ("postgresql://a%40b@h/x%2Fy%20%C3%BC", ("postgresql", "h", 5432, "a@b", "x/y ü")),
    ],
)
def test_a_url_names_a_server(text: str, named: tuple[str, str, int, str, str | None]) -> None:
    found = server(text)
    assert (found.kind, found.host, found.port, found.user, found.database) == named


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("oracle://u@h/d", "of the scheme 'oracle'"),
        ("postgresql:///d", "names no host"),
        ("postgresql://u@%2Fvar%2Frun/d", "A socket's path is no host"),
        ("postgresql://h/d", "names no user"),
        ("postgresql://u@h:70000/d", "cannot be read as a URL"),
        ("postgresql://u@h:0/d", "port 0: write one from 1 to 65535"),
        ("postgresql://u@::1:5432/d", "cannot be read as a URL"),
        ("postgresql://u@[::1/d", "cannot be read as a URL"),
        ("postgresql://u@h/d/e", "cannot be read as a URL"),
        ("postgresql://u@h/%ff", "cannot be read as a URL"),
        ("postgresql://u@h/d%0Ae", "cannot be read as a URL"),
        ("postgresql://u@h,i/d", "no host that a network can know"),
        (f"postgresql://u:{SECRET}@h/d", "has a password"),
        (f"postgresql://u:@{SECRET}@h/d", "has a password"),
        (f"postgresql://u:{SECRET}/@h/d", "cannot be read as a URL"),
        (f"postgresql://u:{SECRET}#@h/d", "cannot be read as a URL"),
        (f"mysql://u@h/d?password={SECRET}", "has a password as 'password'"),
        ("mysql://u@h/d?socket=/tmp/s", "has the option 'socket'"),
        ("postgresql://u@h/d?sslmode=allow", "no mode of TLS"),
        ("postgresql://u@h/d?sslmode=verify-full", "as ca=FILE"),
        ("postgresql://u@h/d?sslmode=require&tls=require", "says 'tls' twice"),
        ("postgresql://u@h/d?ca=/nosuch.pem", "is no file"),
        ("", "is no URL of a server"),
        ("/nosuch", "is no URL of a server"),
        ("/etc/passwd", "is neither a folder of Parquet nor a DuckDB file"),
        ("/etc", "is neither a folder of Parquet nor a DuckDB file"),
    ],
)
def test_what_names_no_server_is_refused_with_the_way_out(text: str, reason: str) -> None:
    assert reason in refused(text)


def test_options_have_the_names_of_each_program(tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    ca.touch()
    modes = {
        "postgresql://u@h/d?sslmode=require": "require",
        f"postgresql://u@h/d?sslmode=verify-ca&sslrootcert={ca}": "verify-ca",
        f"postgresql://u@h/d?sslrootcert={ca}": "verify-full",
        "mysql://u@h/d?ssl-mode=DISABLED": "disable",
        f"mysql://u@h/d?ssl-mode=VERIFY_IDENTITY&ssl-ca={ca}": "verify-full",
        f"mysql://u@h/d?ssl-cert={ca}&ssl-key={ca}": "require",
        "mysql://u@h/d": None,
    }
    assert {text: server(text).tls.mode for text in modes} == modes
    for contradicting in (
        f"postgresql://u@h/d?sslmode=require&sslrootcert={ca}",
        f"postgresql://u@h/d?sslcert={ca}",
        f"postgresql://u@h/d?sslmode=prefer&sslcert={ca}&sslkey={ca}",
    ):
        refused(contradicting)


def test_data_are_named_by_their_path(tmp_path: Path) -> None:
    file, folder = tmp_path / "a.duckdb", tmp_path / "parquet"
    folder.mkdir()
    with duckdb.connect(str(file)) as session:
        session.execute(f"COPY (SELECT 1 AS i) TO '{folder}/t.parquet'")
    assert source_of(str(file), 1) == DuckDBFile(path=file)
    assert source_of(f"duckdb://{file}", 1) == DuckDBFile(path=file)
    assert source_of(str(folder), 1) == ParquetFolder(source=str(folder))
    assert source_of("s3://bucket/folder", 1) == ParquetFolder(source="s3://bucket/folder")


def test_stores_are_called_after_databases_hosts_and_kinds() -> None:
    urls = [
        "postgresql://u@h/Größe%20%22x%22",
        "postgresql://u@h/grosse_x",
        "postgresql://u@i/größe_x",
        "postgresql://u@pg.example.org/postgres",
        "postgresql://u@127.0.0.1",
        "mysql://u@localhost:3307",
        "mysql://u@[::1]/%E5%BA%97",
        "mysql://u@h/copies",
        "mysql://u@h/2024",
    ]
    names = list(names_of([source_of(each, 1) for each in urls]))
    assert names == [
        *("grosse_x", "grosse_x_2", "grosse_x_3", "pg", "postgresql"),
        *("mysql", "mysql_2", "copies_2", "2024"),
    ]
    assert password_variable("grosse_x_2") == "GROSSE_X_2_PASSWORD"
    assert password_variable("2024") == "STORE_2024_PASSWORD"


@pytest.mark.parametrize(
    "pair",
    [
        ("postgresql://u@h", "postgres://v@h:5432/postgres"),
        ("mysql://u@h/a", "mysql://u@h"),
        ("mysql://u@h", "mysql://u@h/a"),
        ("mysql://u@127.0.0.1/a", "mysql://u@localhost/a"),
        ("mysql://u@[::1]", "mysql://u@127.0.1.1/a"),
        ("postgresql://u@DB.example.org", "postgresql://u@db.example.org."),
        ("s3://a/b", "s3://c/d"),
    ],
)
def test_tables_that_are_named_twice_are_refused(pair: tuple[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"once|has one"):
        names_of([source_of(each, 1) for each in pair])


def test_databases_of_one_server_may_stand_side_by_side() -> None:
    pair = [source_of(each, 1) for each in ("mysql://u@h/a", "mysql://u@h/b")]
    assert len(names_of(pair)) == len(pair)


def test_servers_of_one_machine_are_told_by_their_ports() -> None:
    pair = [source_of(each, 1) for each in ("mysql://u@localhost/a", "mysql://u@127.0.0.1:3307/a")]
    assert len(names_of(pair)) == len(pair)
