"""Projects and caches of a test's own: a shop of three tables with its plan, and a bare one."""

import json
import shutil

import pytest

from advisor.commands import cli
from advisor.project.project import Project
from tests.unit.advisor import project_files

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, region INTEGER, name VARCHAR(40));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, total DECIMAL(9, 2));
CREATE TABLE visits (customer INTEGER, page VARCHAR(80));
"""
ROWS = "table,rows\ncustomers,20000\norders,2000000\nvisits,500000\n"
QUERIES = """
-- name: revenue
SELECT region, SUM(total) FROM orders JOIN customers ON customer = customers.id GROUP BY region;
-- name: pages
SELECT page, COUNT(*) FROM visits GROUP BY page;
-- name: audience
SELECT region, COUNT(*) FROM visits JOIN customers ON customer = customers.id GROUP BY region;
-- name: rename
UPDATE customers SET name = 'x' WHERE id = 1;
"""
PROJECT = """
[workload]
source = "queries.sql"
dialect = "postgres"
[catalog]
source = "schema.sql"
rows = "rows.csv"
dialect = "postgres"
[stores.pg]
kind = "postgresql"
embedded = true
capacity = "70%"
[stores.duck]
kind = "duckdb"
capacity = "90%"
[constraints]
exclude = { orders = ["duck"] }
[place]
strategies = ["single_store", "optimal"]
max_copies = 2
"""


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """A cache of the test's own: plans, reports and calibrations of others are not there."""
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def project(own_cache, tmp_path) -> Project:
    """The project of `project_files.BASE`."""
    return project_files.load(tmp_path)


@pytest.fixture(scope="session")
def placed_shop(tmp_path_factory):
    """A project of three tables with its plan, to be copied."""
    folder = tmp_path_factory.mktemp("placed_shop")
    for name, text in (
        ("schema.sql", SCHEMA),
        ("rows.csv", ROWS),
        ("queries.sql", QUERIES),
        ("shop.toml", PROJECT),
    ):
        (folder / name).write_text(text)
    plans = folder / "plans"
    plans.mkdir()
    assert cli.main(["place", str(folder / "shop.toml"), "-o", str(plans / "plan.json")]) == 0
    return folder


@pytest.fixture
def shop(placed_shop, own_cache, tmp_path):
    """A project of three tables with its plan, of the test's own: its cache holds nothing else."""
    return shutil.copytree(placed_shop, tmp_path, dirs_exist_ok=True)


@pytest.fixture
def answer(shop, capfd):
    """Run a command on the shop's plan; return its object, or the lines of its error."""
    capfd.readouterr()

    def run(command, *arguments, plan="plans/plan.json"):
        code = cli.main([command, str(shop / plan), *map(str, arguments)])
        shown = capfd.readouterr()
        if "--json" in arguments:
            assert code == 0, shown.err
            return json.loads(shown.out)
        return shown.out if code == 0 else shown.err

    return run
