"""`[place].indexes` on a small shop of DDL, from the command line to the answers."""

import json
import re
from dataclasses import replace

import pytest

from advisor.analysis.chosen_indexes import offering, own_indexes, with_asked_indexes
from advisor.commands import cli
from advisor.project.plan_files import named_plan
from tests.catalogs import table
from tests.unit.advisor import analyses
from tests.unit.advisor.project_files import error, load
from workloads.catalog import Catalog, Origin
from workloads.copied_indexes import copied_indexes, of_copies
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
kind = "{kind}"
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
        given = {"kind": "postgresql", "pg": "", "constraints": "", "place": ADVISE, **sections}
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


def test_explain_shows_which_index_a_query_is_not_to_be_read_by(shop):
    by_spark = f'{ADVISE}\n[evaluate]\ncombine = "spark"'  # So the join stays in its store.
    shop("place", "shop.toml", "-s", "optimal", "-o", "plan.json", kind="mysql", place=by_spark)

    def sql(query):
        asked = ("explain", "plan.json", "--query", query, "--json")
        (fragment,) = shop(*asked, kind="mysql", place=by_spark)["fragments"]
        return fragment["sql"]

    assert re.search(r"AS `orders` IGNORE INDEX \(`\w+`\) JOIN", sql("regions"))
    assert "IGNORE" not in sql("mine")


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
    made = re.findall(r'CREATE INDEX "_advisor_staging_(\w+)" ON [^;]*?\)', unquoted(printed))
    assert len(made) == 1
    assert f'"_advisor_staging_{made[0]}" RENAME TO "{made[0]}"' in unquoted(printed)


def test_a_migration_between_plans_of_one_placement_changes_their_indexes(shop, tmp_path):
    shop("place", "shop.toml", "-s", "optimal", "-o", "indexed.json")
    shop("place", "shop.toml", "-s", "single_store", "-o", "plain.json")
    plain = json.loads((tmp_path / "plain.json").read_text())
    assert (plain["placement"]["orders"], plain["indexes"]) == (["pg"], {})
    (made,) = shop("migrate", "plain.json", "indexed.json", "--json")["steps"]
    assert (made["kind"], made["table"], made["columns"]) == ("index", "orders", ["c_id"])
    assert made["estimated_s"] > 0
    (command,) = made["commands"]
    assert any("CREATE INDEX IF NOT EXISTS" in each for each in command["text"])
    (dropped,) = shop("migrate", "indexed.json", "plain.json", "--json")["steps"]
    assert (dropped["kind"], dropped["source"]) == ("drop_index", "pg")
    assert dropped["held_bytes"]["pg"] == made["held_bytes"]["pg"] - made["bytes"]
    assert any("DROP INDEX IF EXISTS" in each for each in dropped["commands"][0]["text"])
    shown = shop("migrate", "plain.json", "indexed.json", "--sql", "steps")
    assert "create index" in shown
    assert "of indexes are created on copies that stay" in " ".join(shown.split())
    assert {each.name for each in (tmp_path / "steps").iterdir()} == {
        "README.txt", "1-1-index-orders.pg.sql",
    }  # fmt: skip


def test_a_difference_has_the_indexes_that_one_of_the_plans_chooses(shop):
    shop("place", "shop.toml", "-s", "optimal", "-o", "indexed.json")
    shop("place", "shop.toml", "-s", "single_store", "-o", "plain.json")
    for plans, kind in (("plain indexed", "added"), ("indexed plain", "dropped")):
        files = [f"{name}.json" for name in plans.split()]
        found = shop("diff", *files, "--json")
        assert found["tables"] == []
        assert found["indexes"] == [
            {"store": "pg", "table": "orders", "columns": ["c_id"], "kind": kind,
             "bytes": 2_000_000 * 20}
        ]  # fmt: skip
        gained_s = found["before"]["predicted_s"] - found["after"]["predicted_s"]
        assert (gained_s > 0) == (kind == "added")
        assert [each["query"] for each in found["queries"]] == ["mine"]
        shown = shop("diff", *files)
        assert "place every table alike" in shown
        assert re.search(rf"orders \(c_id\) +{kind} +40.0 MB +pg", shown)
        assert "Queries that change most" in shown
    assert "index" not in shop("diff", "plain.json", "plain.json")
    gone = shop("diff", "plain.json", "indexed.json", "--json", place='indexes = "source"')
    assert gone["indexes"] == []


def test_a_migration_starts_with_the_indexes_of_the_plan_that_is_current(shop, tmp_path):
    shop("place", "shop.toml", "-s", "optimal", "-o", "indexed.json")
    shop("place", "shop.toml", "-s", "single_store", "-o", "plain.json")
    current = f'{ADVISE}\ncurrent = "indexed.json"'
    steps = shop("migrate", "--to", "plain.json", "--json", place=current)["steps"]
    assert [each["kind"] for each in steps] == ["drop_index"]
    assert "Nothing moves" in shop("migrate", "--to", "indexed.json", place=current)


def test_the_indexes_of_a_plan_are_no_candidates_any_more_and_still_dropped(shop):
    shop("place", "shop.toml", "-s", "optimal", "-o", "indexed.json")
    shop("place", "shop.toml", "-s", "single_store", "-o", "plain.json")
    found = shop("migrate", "indexed.json", "plain.json", "--json", place='indexes = "source"')
    assert [each["kind"] for each in found["steps"]] == ["drop_index"]


def test_an_index_over_a_column_that_is_gone_is_left_out_of_a_migrations_start(shop, tmp_path):
    shop("place", "shop.toml", "-s", "optimal", "-o", "indexed.json")
    shop("place", "shop.toml", "-s", "single_store", "-o", "plain.json")
    known = (tmp_path / "indexed.json").read_text()
    gone = json.loads(known)
    ((index,),) = gone["indexes"].values()
    index["columns"] = ["renamed"]
    (tmp_path / "indexed.json").write_text(json.dumps(gone))
    assert "Nothing moves" in shop("migrate", "indexed.json", "plain.json")


def test_the_present_placement_is_priced_with_its_indexes(shop):
    """The frontier says what the plan that is current takes: as much as when it was made."""
    placed = shop("place", "shop.toml", "-s", "optimal", "-o", "indexed.json", "--json")
    current = f'{ADVISE}\ncurrent = "indexed.json"'
    found = shop("pareto", "shop.toml", "--points", "2", "--json", place=current)
    (present,) = (each for each in found["baselines"] if each["name"] == "current")
    assert present["indexes"] == placed["indexes"] != []
    assert present["predicted_s"] == pytest.approx(placed["predicted_s"])
    shown = " ".join(shop("pareto", "shop.toml", "--points", "2", place=current).split())
    assert "It is the present placement: nothing moves." in shown


def test_no_index_of_a_live_table_is_made_or_dropped_where_it_is():
    live = replace(table("orders", 10, {"c_id": "BIGINT"}), origin=Origin(store="pg"))
    catalog = Catalog(name="c", tables={"orders": live})
    index = NamedIndex("orders", ("c_id",))
    assert of_copies(catalog, {"pg": (index,), "other": (index,)}) == {"other": (index,)}


def test_the_frontier_has_plans_with_indexes_of_their_own(shop, tmp_path):
    plain = shop("pareto", "shop.toml", "--points", "2", "--json", place="")
    found = shop("pareto", "shop.toml", "--points", "2", "-o", "knee.json", "--json")
    assert all(each["indexes"] == [] for each in plain["points"])
    fastest, before = found["points"][0], plain["points"][0]
    assert fastest["indexes"] == [{"store": "pg", "table": "orders", "columns": ["c_id"]}]
    assert fastest["predicted_s"] < before["predicted_s"]
    assert (fastest["outcome"], fastest["gap"]) == ("OPTIMAL", pytest.approx(0.0, abs=1e-6))
    placed = shop("place", "shop.toml", "-s", "optimal", "--json")
    assert fastest["predicted_s"] == pytest.approx(placed["predicted_s"])
    assert named_plan(tmp_path / "knee.json").indexes
    shown = shop("pareto", "shop.toml", "--points", "2", "--html", "f.html")
    assert "Its indexes: orders (c_id) in pg." in " ".join(shown.split())
    assert "<li>orders (c_id) in pg</li>" in (tmp_path / "f.html").read_text()


def unquoted(printed):
    return printed.replace("\\", "")


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
