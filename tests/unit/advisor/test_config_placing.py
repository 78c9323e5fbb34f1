"""The current placement, the horizon and the objective that a project file sets."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from advisor.pipeline import prepare
from advisor.project.constraints import constraints_of, current_of
from placement.fetching import Budget
from placement.plan import Outcome, PlacementPlan
from placement.plan_file import write_plan
from tests.unit.advisor.project_files import BYTES, PRICED, QUERIES, error, load
from workloads.access_graph import AccessGraph
from workloads.catalog import Catalog, Column, Table
from workloads.errors import ConfigurationError


def plan(folder, placement):
    file = folder / "plan.json"
    file.write_text(
        write_plan(
            PlacementPlan(
                strategy="naive",
                outcome=Outcome.FEASIBLE,
                placement=placement,
                routing={},
                predicted_s=1.0,
            )
        )
    )


def test_the_placement_that_there_is_is_a_plan_or_written_out(tmp_path):
    plan(tmp_path, {"item": ("pg",), "orders": ("pg",)})
    ordered = {"orders": ("pg",), "item": ("pg",)}
    for current in ('"plan.json"', '{ item = "pg", orders = ["pg"] }'):
        found = current_of(load(tmp_path, place=f"current = {current}"), BYTES)
        assert list(found.items()) == list(ordered.items())


def test_a_current_placement_of_other_tables_or_stores_is_refused(tmp_path):
    plan(tmp_path, {"lineitem": ("pg",)})
    with pytest.raises(ConfigurationError, match=r"Unknown table 'lineitem' in \[place\].current"):
        constraints_of(load(tmp_path, place='current = "plan.json"'), BYTES, QUERIES)
    assert "did you mean 'pg'?" in error(tmp_path, place='current = { item = ["pgg"] }')
    assert "did you mean 'plan.json'?" in error(tmp_path, place='current = "plans.json"')
    (tmp_path / "plan.json").write_text("{}")
    assert "[place].current = 'plan.json' in shop.toml: " in error(
        tmp_path, place='current = "plan.json"'
    )
    assert "write the file of a plan, or tables" in error(tmp_path, place="current = 3")


def test_a_horizon_without_moves_is_refused(tmp_path):
    assert "name the placement that there is" in error(tmp_path, place="horizon = 12")
    project = load(tmp_path, place='horizon = 12\ncurrent = { item = "pg" }')
    assert project.place.horizon == 12


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('objective = "speed"', "Input should be 'work' or 'latency'"),
        ("work_limit = 0", "[place].work_limit = 0 in shop.toml"),
        ("tune_transfers = 1", "[place].tune_transfers = 1 in shop.toml"),
        ('current = { item = "pg" }\nhorizon = 0', "[place].horizon = 0 in shop.toml"),
    ],
)
def test_how_to_place_is_validated(tmp_path, body, expected):
    assert expected in error(tmp_path, place=body)


def test_the_problem_has_what_the_file_says(tmp_path):
    project = load(
        tmp_path,
        workload='source = "tpcds"\nperiod_days = 7',
        stores__pg=f"{PRICED}\nstrength = {{ scan_bytes_per_s = 7e9 }}",
        place='objective = "latency"\nwork_limit = 50\nhorizon = 4\ncurrent = { item = "pg" }',
        evaluate="fetch_size = 500",
    )
    item = Table(
        name="item",
        columns=(Column(name="i", type="BIGINT", width_bytes=8.0),),
        rows=10,
        fingerprint="",
    )
    nothing = AccessGraph(queries={}, tables={}, co_access={}, joins={})
    analysis = SimpleNamespace(
        catalog=Catalog(name="c", tables={"item": item}),
        footprints=(),
        fragments={},
        passed_through=(),
        candidates={},
        graph=nothing,
    )
    problem = prepare(project, analysis).problem
    assert problem.costs.budget == Budget()
    place = replace(project.place, tune_transfers=False)
    assert prepare(replace(project, place=place), analysis).problem.costs.budget is None
    assert (problem.objective, problem.work_limit, problem.horizon) == ("latency", 50, 4)
    assert problem.current == {"item": ("pg",)}
    assert (problem.costs.period_days, problem.costs.fetch_size) == (7, 500)
    store = problem.store("pg")
    assert store.prices.storage_gb_month == 0.1
    assert (store.strength.scan_bytes_per_s, store.strength.source) == (7e9, "project file")
