"""`[place].indexes` on a small shop of DDL, from the command line to the answers."""

import json
import re
from dataclasses import replace

import pytest

from advisor.analysis.chosen_indexes import offering, own_indexes, with_asked_indexes
from advisor.commands import cli
from advisor.project.plan_files import named_plan
from tests.unit.advisor import analyses
from tests.unit.advisor.project_files import error, load
from workloads.catalog import Origin
from workloads.copied_indexes import copied_indexes
from workloads.indexes import NamedIndex

SCHEMA = """
-- rows: 50_000
CREATE TABLE customer (c_id BIGINT PRIMARY KEY, region BIGINT);
-- rows: 2_000_000
CREATE TABLE orders (o_id BIGINT PRIMARY KEY, c_id BIGINT REFERENCES customer, total BIGINT);
"""
INDEXED = SCHEMA + "CREATE INDEX by_customer ON orders (c_id);"
SQL = """
-- name: mine
-- executions: 100
SELECT o_id, total FROM orders WHERE c_id = 7;
-- name: regions
SELECT region, sum(total) FROM orders JOIN customer USING (c_id) GROUP BY region;
"""
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
{pg}
[stores.duck]
kind = "duckdb"
capacity = 1
[constraints]
{constraints}
[place]
strategies = ["single_store", "optimal"]
{place}
"""
ADVISE = 'indexes = "advise"'


@pytest.fixture
def shop(tmp_path, capfd, monkeypatch):
    """Return a function that calls the advisor in the shop's folder."""
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SHOP_PASSWORD", "open sesame")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queries.sql").write_text(SQL)

    def run(*arguments, ddl=SCHEMA, **sections):
        (tmp_path / "schema.sql").write_text(ddl)
        given = {"pg": "", "constraints": "", "place": ADVISE, **sections}
        text = PROJECT.format(**given).replace("capacity = 1\n", 'capacity = "1 B"\n')
        (tmp_path / "shop.toml").write_text(text)
        code = cli.main(arguments)
        shown = capfd.readouterr()
        assert code == 0, shown.err
        return json.loads(shown.out) if "--json" in arguments else shown.out

    return run


def test_an_index_that_pays_is_in_the_plan_with_what_it_gains(shop):
    plain = shop("place", "shop.toml", "--json", place="")
    placed = shop("place", "shop.toml", "--json")
    assert (plain["indexes"], plain["index_gains"]) == ([], [])
    assert placed["indexes"] == [{"store": "pg", "table": "orders", "columns": ["c_id"]}]
    (gain,) = placed["index_gains"]
    assert gain["gain_s"] == pytest.approx(plain["predicted_s"] - placed["predicted_s"])
    assert (gain["queries"], gain["bytes"]) == (["mine"], 2_000_000 * 20)
    assert sum(placed["costs"]["by_kind"].values()) == pytest.approx(placed["predicted_s"])
    assert placed["outcome"] == "OPTIMAL"


def test_baselines_keep_to_the_indexes_of_the_source(shop):
    placed = shop("place", "shop.toml", "-s", "single_store:pg", "--json")
    assert placed["indexes"] == []
    assert placed["baselines"]["optimal"] < placed["predicted_s"]


def test_an_index_that_the_source_has_is_on_copies_and_not_chosen_again(shop):
    placed = shop("place", "shop.toml", "--json", ddl=INDEXED)
    assert placed["indexes"] == []
    source = shop("place", "shop.toml", "--json", ddl=INDEXED, place='indexes = "source"')
    unless_said = shop("place", "shop.toml", "--json", ddl=INDEXED, place="")
    assert placed["predicted_s"] == source["predicted_s"] == unless_said["predicted_s"]


def test_none_leaves_copies_without_indexes_of_which_nothing_is_noted(shop):
    bare = shop("place", "shop.toml", "--json", place='indexes = "none"')
    none = shop("place", "shop.toml", "--json", ddl=INDEXED, place='indexes = "none"')
    source = shop("place", "shop.toml", "--json", ddl=INDEXED, place="")
    assert none["predicted_s"] == bare["predicted_s"] > source["predicted_s"]
    assert "by_customer" not in shop("place", "shop.toml", ddl=INDEXED, place='indexes = "none"')


def test_chosen_indexes_count_against_the_capacity_and_their_budget(shop):
    placed = shop("place", "shop.toml", "--json", constraints='max_index_bytes = "40 MB"')
    assert len(placed["indexes"]) == 1
    assert [each["key"] for each in placed["binding"]] == ["[constraints].max_index_bytes"]
    assert (
        shop("place", "shop.toml", "--json", constraints='max_index_bytes = "39 MB"')["indexes"]
        == []
    )
    full = {"pg": 'capacity = "100%"'}
    assert shop("place", "shop.toml", "--json", **full)["indexes"] == []


def test_explain_says_what_each_index_gains(shop):
    shop("place", "shop.toml", "-s", "optimal", "-o", "plan.json")
    shown = shop("explain", "plan.json")
    assert "1 index chosen, and its gain" in shown
    assert "orders (c_id)" in shown
    of_table = shop("explain", "plan.json", "orders", "--fixed-only", "--json")
    assert [each["queries"] for each in of_table["indexes"]] == [["mine"]]
    of_other = shop("explain", "plan.json", "customer", "--fixed-only", "--json")
    assert of_other["indexes"] == []


def test_a_plan_without_its_indexes_any_more_is_priced_again(shop, tmp_path):
    shop("place", "shop.toml", "-s", "optimal", "-o", "plan.json")
    chosen = named_plan(tmp_path / "plan.json").indexes
    assert {store: [str(each) for each in found] for store, found in chosen.items()} == {
        "pg": ["orders (c_id)"]
    }
    shown = shop("explain", "plan.json", "--json", place='indexes = "source"')
    assert shown["indexes"] == []


def test_printed_sql_makes_chosen_indexes_on_new_copies(shop):
    shop("place", "shop.toml", "-s", "optimal", "-o", "plan.json")
    current = f'{ADVISE}\ncurrent = {{ orders = "duck", customer = "duck" }}'
    printed = json.dumps(shop("migrate", "--to", "plan.json", "--json", place=current))
    made = re.findall(r"CREATE INDEX ON [^;]*?\)", printed.replace("\\", ""))
    assert [re.sub(r" ON .* ", " ON … ", each) for each in made] == ['CREATE INDEX ON … ("c_id")']


def test_a_live_table_is_read_by_its_indexes_where_copies_are_to_get_none(tmp_path):
    project = load(tmp_path, place='indexes = "none"')
    analysis = analyses.analysed(tmp_path, ddl=analyses.DDL + "CREATE INDEX a ON orders (o_day);")
    orders = analysis.catalog.table("orders")
    live = replace(orders, origin=Origin(store="pg"))
    catalog = replace(analysis.catalog, tables={"orders": live, "copied": orders})
    found = with_asked_indexes(project, replace(analysis, catalog=catalog))
    assert copied_indexes(found.catalog.table("orders")) == ()
    assert copied_indexes(found.catalog.table("copied")) == ()
    assert own_indexes(found) == {"pg": {NamedIndex("orders", ("o_day",))}}
    offered = offering(found)
    (own,) = copied_indexes(offered.table("orders"))
    assert (own.columns, own.is_chosen) == (("o_day",), True)
    assert copied_indexes(offered.table("copied")) == ()


def test_other_words_and_a_budget_for_what_is_not_chosen_are_refused(tmp_path):
    assert "[place].indexes = 'some' in shop.toml" in error(tmp_path, place='indexes = "some"')
    assert 'ask for them with [place].indexes = "advise"' in error(
        tmp_path, constraints='max_index_bytes = "5%"'
    )
    advised = load(tmp_path, place=ADVISE, constraints='max_index_bytes = "5%"')
    assert advised.place.indexes == "advise"
    assert load(tmp_path).place.indexes == "source"
