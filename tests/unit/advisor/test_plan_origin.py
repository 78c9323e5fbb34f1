from datetime import datetime

import pytest

from advisor.planned.plan_origin import project_of, recorded
from advisor.project.chosen_project import ProjectChoice
from advisor.project.plan_files import named_plan
from placement.plan import Outcome, PlacementPlan
from placement.plan_file import write_plan
from tests.unit.advisor.project_files import BASE, write
from workloads.counting.filters import Filters
from workloads.errors import ConfigurationError

PLAN = PlacementPlan(
    strategy="optimal",
    outcome=Outcome.FEASIBLE,
    placement={},
    routing={},
    predicted_s=1.0,
    settings={"steps": 3},
)


def placed(project, file, **options):
    """Return the plan that `advisor place PROJECT -o FILE` wrote, as it is read again."""
    file.parent.mkdir(exist_ok=True)
    choice = ProjectChoice(file=project, options=options)
    file.write_text(write_plan(recorded(PLAN, choice, file)))
    return named_plan(file)


def test_a_plan_finds_its_project_wherever_both_are_moved_together(tmp_path):
    before = tmp_path / "before"
    before.mkdir()
    plan = placed(write(before, BASE), before / "plans" / "plan.json")
    assert plan.settings == {"steps": 3, "project": "../shop.toml"}
    before.rename(tmp_path / "after")
    found = project_of(plan, tmp_path / "after" / "plans" / "plan.json")
    assert found.file == tmp_path / "after" / "shop.toml"
    assert found.workload.queries == ("q1", "q9")


def test_a_plan_brings_the_options_it_was_placed_with(tmp_path):
    options = {"queries": "3, q7", "scale_factor": 0.01, "skip_invalid": True}
    file = tmp_path / "plan.json"
    project = project_of(placed(write(tmp_path, BASE), file, **options), file)
    assert project.workload.queries == ("q3", "q7")
    assert project.workload.skip_invalid
    assert project.catalog.scale_factor == 0.01
    assert [store.name for store in project.stores] == ["pg"]
    log = BASE | {"workload": 'source = "log.sql"'}
    (tmp_path / "log.sql").write_text("SELECT 1")
    filtered = placed(
        write(tmp_path, log), file, user="ann,bob", since="2025-05-01", shortest_s=0.5
    )
    assert project_of(filtered, file).workload.filters == Filters(
        user=("ann", "bob"),
        since=datetime(2025, 5, 1),  # noqa: DTZ001
        shortest_s=0.5,
    )
    optional = BASE | {"stores.duck": 'kind = "duckdb"\noptional = true'}
    cached = project_of(placed(write(tmp_path, optional), file, with_stores="duck"), file)
    assert [store.name for store in cached.stores] == ["pg", "duck"]
    everything = project_of(placed(write(tmp_path, BASE), file, queries="all"), file)
    assert everything.workload.queries is None


def test_a_plan_whose_project_is_gone_or_unknown_says_what_to_do(tmp_path):
    file = tmp_path / "plan.json"
    plan = placed(write(tmp_path, BASE), file)
    (tmp_path / "shop.toml").unlink()
    with pytest.raises(ConfigurationError, match=r"project shop.toml, which is not at .*--project"):
        project_of(plan, file)
    with pytest.raises(ConfigurationError, match="does not say of which project it is"):
        project_of(PLAN, file)


def test_a_file_that_is_no_plan_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"There is no plan .*none.json: make one"):
        named_plan(tmp_path / "none.json")
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(ConfigurationError, match=r"x.json: This is not a plan"):
        named_plan(tmp_path / "x.json")
