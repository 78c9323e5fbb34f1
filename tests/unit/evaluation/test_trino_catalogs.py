"""Stores as catalogs of Trino: its own connectors, and never a password."""

from pathlib import Path

import pytest

from evaluation.engines.trino_catalogs import trino_catalog
from evaluation.kinds import KINDS
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import Tls
from workloads.errors import ConfigurationError

SECRET = "s3cret"


def test_postgresql_takes_its_password_from_the_users_variable():
    found = trino_catalog(
        Connection(
            store="warehouse",
            kind="postgresql",
            host="pg.example.org",
            database="sales data",
            user="advisor",
            password=SECRET,
            password_env="WAREHOUSE_PASSWORD",
        )
    )
    assert found.file_name == "warehouse.properties"
    assert found.variable == "WAREHOUSE_PASSWORD"
    assert found.text.splitlines() == [
        "connector.name=postgresql",
        "connection-url=jdbc:postgresql://pg.example.org:5432/sales%20data",
        "connection-user=advisor",
        "join-pushdown.enabled=true",
        "aggregation-pushdown.enabled=true",
        "topn-pushdown.enabled=true",
        "connection-password=${ENV:WAREHOUSE_PASSWORD}",
    ]


@pytest.mark.parametrize(("product", "name"), [("mariadb", "mariadb"), ("mysql8", "mysql")])
def test_mysql_and_mariadb_have_a_connector_each(product: str, name: str, tmp_path: Path):
    file = tmp_path / "password"
    file.write_text(SECRET)
    found = trino_catalog(
        Connection(
            store="shop", kind="mysql", host="::1", port=3307, user="u", password=SECRET,
            password_file=file,
        ),
        product=KINDS["mysql"].product(product),
    )  # fmt: skip
    assert f"connector.name={name}\n" in found.text
    assert f"connection-url=jdbc:{name}://[::1]:3307/\n" in found.text
    assert "connection-password=${ENV:ADVISOR_SHOP_PASSWORD}\n" in found.text
    assert (found.variable, found.password_file) == ("ADVISOR_SHOP_PASSWORD", file)
    assert SECRET not in found.text


def test_duckdb_is_a_file():
    found = trino_catalog(Connection(store="duck", kind="duckdb", path=Path("/data/file.duckdb")))
    assert found.text == "connector.name=duckdb\nconnection-url=jdbc:duckdb:/data/file.duckdb\n"
    assert found.variable is None


def test_names_in_mixed_case_are_asked_for():
    connection = Connection(store="pg", kind="postgresql", host="h", user="u")
    assert "case-insensitive" not in trino_catalog(connection).text
    found = trino_catalog(connection, mixed_case=True)
    assert "case-insensitive-name-matching=true\n" in found.text


@pytest.mark.parametrize("store", ["Warehouse", "my-store", "1st", "a.b"])
def test_a_store_that_no_catalog_can_be_called_is_refused(store: str):
    with pytest.raises(ConfigurationError, match=f"Store '{store}' cannot be a catalog"):
        trino_catalog(Connection(store=store, kind="duckdb", path=Path("x")))


def accumulo(**given: object) -> Connection:
    login = {"host": "zoo", "database": "acc", "user": "u", "password": SECRET}
    return Connection(
        store="acc", kind="accumulo", password_env="ACC_PASSWORD", **{**login, **given}
    )


def test_accumulo_is_read_by_a_connector_of_ours():
    found = trino_catalog(accumulo(options={"iterators": "server"}), mixed_case=True)
    assert found.needs_plugin
    assert found.variable == "ACC_PASSWORD"
    assert sorted(found.text.splitlines()) == [
        "connector.name=placement_advisor_accumulo",
        "instance=acc",
        "iterators=server",
        "password=${ENV:ACC_PASSWORD}",
        "tls=prefer",
        "user=u",
        "zookeepers=zoo:2181",
    ]


def test_an_accumulo_that_wants_a_certificate_is_refused(tmp_path: Path):
    files = {name: tmp_path / name for name in ("certificate", "key")}
    for file in files.values():
        file.write_text("-")
    tls = Tls(mode="verify-full", ca=None, **files)
    with pytest.raises(ConfigurationError, match="takes no certificate of its own"):
        trino_catalog(accumulo(tls=tls))
