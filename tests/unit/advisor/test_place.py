"""`advisor place` on a small shop of DDL, from the command line to its answer."""

import json

import pytest

from advisor.commands import cli
from advisor.planned.plan_origin import project_of
from advisor.project.plan_files import named_plan
from advisor.report.parts.at_once import AtOnce
from advisor.report.text.at_once_text import at_once_text
from tests.unit.advisor.printed import text_of

SCHEMA = """
-- rows: 1_000_000
CREATE TABLE orders (o_id BIGINT PRIMARY KEY, c_id BIGINT, total BIGINT);
-- rows: 50_000
CREATE TABLE customer (c_id BIGINT PRIMARY KEY, region BIGINT);
-- rows: 200_000
CREATE TABLE events (e_id BIGINT PRIMARY KEY, c_id BIGINT, kind BIGINT);
"""
SQL = """
-- name: revenue
-- executions: 20
SELECT c.region, sum(o.total) FROM orders AS o JOIN customer AS c ON c.c_id = o.c_id
GROUP BY c.region;
-- name: funnel
-- executions: 5
SELECT c.region, count(*) FROM events AS e JOIN customer AS c ON c.c_id = e.c_id
GROUP BY c.region;
"""
PROJECT = """
[workload]
source = "queries.sql"
[catalog]
source = "schema.sql"
[stores.pg]
kind = "postgresql"
embedded = true
{pg}
[stores.duck]
kind = "duckdb"
{duck}
[constraints]
{constraints}
[place]
strategies = ["single_store", "naive", "optimal"]
max_copies = 2
{place}
"""


@pytest.fixture
def place(tmp_path, capfd, monkeypatch):
    """Return a function that places the shop with what is added to its sections."""
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    (tmp_path / "schema.sql").write_text(SCHEMA)
    (tmp_path / "queries.sql").write_text(SQL)
    file = tmp_path / "shop.toml"

    def run(*options, **sections):
        given = {"pg": "", "duck": "", "constraints": "", "place": "", **sections}
        file.write_text(PROJECT.format(**given))
        code = cli.main(["place", str(file), *options])
        return code, capfd.readouterr()

    return run


def answer(run, /, *options, **sections):
    code, shown = run("--json", *options, **sections)
    assert code == 0, shown.err
    return json.loads(shown.out)


def test_the_parts_of_the_costs_are_what_is_predicted(place):
    placed = answer(place, "-s", "optimal")
    costs = placed["costs"]
    assert placed["outcome"] == "OPTIMAL"
    assert sum(costs["by_kind"].values()) == pytest.approx(placed["predicted_s"])
    assert costs["money_month"]["pg"] == {"storage": 0, "transfer": 0}


def test_a_tag_that_may_only_be_in_one_store_keeps_its_tables_out_of_the_other(place):
    assert answer(place)["placement"]["customer"] == ["duck"]
    tagged = 'only = { pii = "pg" }\n[constraints.tags]\npii = ["customer"]'
    assert answer(place, constraints=tagged)["placement"]["customer"] == ["pg"]


def test_a_copy_is_listed_with_its_gain_once_the_stores_are_capped(place):
    capped = {"pg": 'capacity = "90%"', "duck": 'capacity = "30%"'}
    placed = answer(place, constraints='pin = { customer = ["pg", "duck"] }', **capped)
    (copy,) = placed["copies"]
    assert (copy["table"], copy["stores"]) == ("customer", ["duck", "pg"])


def test_what_there_is_stands_beside_the_candidates_and_costs_no_moves(place, tmp_path):
    code, _ = place("-s", "single_store:pg", "-o", str(tmp_path / "now.json"))
    assert code == 0
    shown = answer(place, "-s", "current", place='current = "now.json"')
    assert set(map(tuple, shown["placement"].values())) == {("pg",)}
    assert shown["costs"]["by_kind"]["migration"] == 0
    moved = answer(place, "-s", "single_store:duck", place='current = "now.json"\nhorizon = 2')
    later = answer(place, "-s", "single_store:duck", place='current = "now.json"\nhorizon = 4')
    migration = moved["costs"]["by_kind"]["migration"]
    assert migration == pytest.approx(2 * later["costs"]["by_kind"]["migration"])
    assert migration > 0
    assert moved["baselines"]["current"] == pytest.approx(shown["predicted_s"])


def test_a_current_placement_of_some_tables_is_no_candidate(place):
    placed = answer(place, place='current = { orders = "pg" }')
    assert "current" not in placed["baselines"]


def test_no_moves_allowed_leaves_everything_where_it_is(place):
    stay = 'current = { orders = "pg", customer = "pg", events = "duck" }'
    placed = answer(place, constraints="max_moves = 0", place=stay)
    assert placed["placement"] == {"orders": ["pg"], "customer": ["pg"], "events": ["duck"]}
    assert placed["binding"] == [
        {
            "key": "[constraints].max_moves",
            "subject": "",
            "used": 0,
            "most": 0,
            "unit": "moves",
        }
    ]


def test_dear_storage_moves_tables_out_of_a_store_and_the_money_is_shown(place):
    prices = "prices = { storage_gb_month = 10.0 }"
    dear = answer(place, duck=prices)
    assert dear["costs"]["money_month"]["duck"]["storage"] > 0
    cheap = answer(place, duck=prices, constraints="max_money = 0")
    assert cheap["costs"]["money_month"]["duck"]["storage"] == 0
    assert {"duck"} not in [set(stores) for stores in cheap["placement"].values()]


def test_a_store_that_the_user_knows_to_be_slow_is_avoided(place):
    slow = "strength = { scan_bytes_per_s = 1e3 }"
    assert answer(place, duck=slow)["placement"]["orders"] == ["pg"]


def test_people_see_the_outcome_the_costs_and_where_the_plan_was_written(place, tmp_path):
    file = tmp_path / "plans" / "plan.json"
    code, shown = place("-o", str(file))
    assert code == 0
    assert "'duck alone' is FEASIBLE" in shown.out
    assert "and no plan that keeps all limits is cheaper." in shown.out
    assert "Predicted seconds by kind and store" in shown.out
    assert f"Written: {file}" in "".join(shown.out.splitlines())
    plan = named_plan(file)
    assert plan.settings["project"] == "../shop.toml"
    assert project_of(plan, file).file == tmp_path / "shop.toml"


def test_names_that_are_nowhere_are_one_line(place):
    code, shown = place(constraints='pin = { custmer = "pg" }')
    assert code == 2
    assert shown.err.splitlines()[-1] == (
        "advisor: Unknown table or tag 'custmer' in [constraints].pin of shop.toml: "
        "did you mean 'customer'?"
    )
    code, shown = place(constraints="latency_s = { revenu = 1.0 }")
    assert code == 2
    assert "did you mean 'revenue'?" in shown.err.splitlines()[-1]


AT_ONCE = ("--strategies", "naive,optimal,throughput")
PREDICTED = "Predicted with 2 clients at once"


def test_throughput_is_predicted_for_each_candidate_where_it_is_placed_for(place):
    told = answer(place, *AT_ONCE, place="clients = 2")["throughput"]
    assert told["clients"] == 2
    rates = told["queries_per_s"]
    assert set(rates) == {"naive", "optimal", "throughput"}
    assert rates["throughput"] == pytest.approx(rates["optimal"])
    assert rates["throughput"] >= rates["naive"]
    assert told["bound_queries_per_s"] == pytest.approx(rates["throughput"])
    assert told["plan_of_optimal"] == "all stores and the engine share one machine"
    assert told["untold_cores"] == []
    code, shown = place(*AT_ONCE, "-s", "throughput", place="clients = 2")
    said = " ".join(shown.out.split())
    assert code == 0
    assert PREDICTED in said
    assert "'throughput' is the plan of 'optimal': all stores and the engine share one" in said
    assert "No plan that keeps all limits has more queries a second than 'throughput'." in said


def test_nothing_of_several_clients_is_said_where_nobody_asked(place):
    assert answer(place)["throughput"] is None
    code, shown = place()
    assert code == 0
    assert "at once" not in shown.out


def test_a_bound_above_the_plan_says_how_far_it_is():
    found = AtOnce(
        clients=4,
        queries_per_s={"naive": 1.5, "throughput": 2.0},
        bound_per_s=2.5,
        plan_of_optimal=None,
        untold=("192.0.2.1",),
    )
    shown = " ".join(text_of(at_once_text(found, [])).split())
    assert "No plan that keeps all limits has more than 2.50 queries a second, 25 %" in shown
    assert shown.index("throughput") < shown.index("naive")
    assert "is the plan of" not in shown
    assert "Nobody told the cores of 192.0.2.1: no client is taken to wait there." in shown
