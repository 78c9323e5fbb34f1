"""A live store as catalog, through the project file."""

import psycopg
import pytest

from advisor.analysis.analyze import analyze
from advisor.project.config import load_project
from workloads.errors import ConfigurationError
from workloads.progress import Silent

pytestmark = pytest.mark.stores

SETUP = """
DROP SCHEMA IF EXISTS shop CASCADE;
CREATE SCHEMA shop;
CREATE TABLE shop.customer (c_id int PRIMARY KEY, c_name text);
CREATE TABLE shop.orders (o_id int PRIMARY KEY, o_customer int REFERENCES shop.customer);
INSERT INTO shop.customer SELECT i, 'name' || i FROM generate_series(1, 1000) AS i;
INSERT INTO shop.orders SELECT i, 1 + i % 1000 FROM generate_series(1, 20000) AS i;
ANALYZE shop.customer, shop.orders;
"""
SQL = "SELECT c_name FROM orders JOIN customer ON c_id = o_customer WHERE c_id <= 100;"


@pytest.fixture
def project(embedded, tmp_path, monkeypatch):
    """Make a project on a live PostgreSQL with two tables in the schema shop."""
    server = embedded["pg"]
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LIVE_PASSWORD", server.password or "")
    with psycopg.connect(
        host=server.host,
        port=server.port,
        user=server.user,
        password=server.password,
        dbname=server.database,
        autocommit=True,
    ) as session:
        session.execute(SETUP)
    (tmp_path / "queries.sql").write_text(SQL)
    file = tmp_path / "live.toml"

    def load(variable="LIVE_PASSWORD"):
        file.write_text(
            '[workload]\nsource = "queries.sql"\n'
            '[catalog]\nsource = "stores.pg"\nschema = "shop"\n'
            '[stores.pg]\nkind = "postgresql"\n'
            f'host = "{server.host}"\nport = {server.port}\nuser = "{server.user}"\n'
            f'database = "{server.database}"\npassword_env = "{variable}"\n'
        )
        return load_project(file)

    return load


def test_a_live_stores_tables_are_analysed(project):
    found = analyze(project(), Silent())
    assert {name: table.rows for name, table in found.catalog.tables.items()} == {
        "customer": 1_000,
        "orders": 20_000,
    }
    assert found.catalog.table("orders").foreign_keys[0].table == "customer"
    rows = {str(each.kind): each.work.rows_out for each in found.fragments["queries"]}
    assert rows["query"] == pytest.approx(2_000, rel=0.25)


def test_a_missing_password_is_known_before_the_store_is_asked(project, monkeypatch):
    monkeypatch.delenv("NO_PASSWORD", raising=False)
    with pytest.raises(ConfigurationError, match="NO_PASSWORD, which is not set"):
        analyze(project("NO_PASSWORD"), Silent())
