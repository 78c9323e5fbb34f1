"""A small shop with two plans, from the command line to its answer."""

import json

from advisor.commands import cli
from tests.unit.advisor.test_place import SCHEMA, SQL

PROJECT = """
[workload]
source = "queries.sql"
[catalog]
source = "schema.sql"
[stores.pg]
kind = "postgresql"
host = "db.example.org"
user = "advisor"
password_env = "SHOP_PASSWORD"
capacity = "110%"
prices = {{ storage_gb_month = 3.0, transfer_gb = 0.1 }}
[stores.duck]
kind = "duckdb"
path = "shop.duckdb"
capacity = "110%"
[place]
max_copies = 2
{place}
"""
ALL_IN_PG = 'current = { orders = "pg", customer = "pg", events = "pg" }'


def planned(tmp_path, capfd, monkeypatch):
    """Return a function that calls the advisor in the shop's folder, which has plans a and b."""
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SHOP_PASSWORD", "open sesame")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schema.sql").write_text(SCHEMA)
    (tmp_path / "queries.sql").write_text(SQL)
    (tmp_path / "shop.toml").write_text(PROJECT.format(place=ALL_IN_PG))

    def run(*arguments):
        code = cli.main(arguments)
        shown = capfd.readouterr()
        return code, shown.out, shown.err

    for file, strategy in (("a.json", "single_store:pg"), ("b.json", "single_store:duck")):
        assert run("place", "shop.toml", "-s", strategy, "-o", file)[0] == 0
    return run


def answer(shop, *arguments):
    code, out, err = shop(*arguments, "--json")
    assert code == 0, err
    assert "open sesame" not in out
    return json.loads(out)
