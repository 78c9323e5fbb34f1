import subprocess
import sys
from dataclasses import replace

import pytest

from placement.plan_file import read_plan, write_plan
from placement.strategies import candidates
from tests.unit.placement.problems import problem, query, store
from workloads.errors import ConfigurationError

PRINT_PLAN = """
from tests.unit.placement.test_plan_file import plans
from placement.plan_file import write_plan
print(write_plan(plans()[-1]), end="")
"""


def plans():
    made = problem(
        {"t": 100, "u": 100, "v": 100},
        [store("a", 210), store("b", 210)],
        [query("q", ("t", "u", "v"), features=("rollup", "window", "grouping"))],
    )
    return candidates(made, ("single_store", "naive", "optimal"))


def plan_for_latency():
    """A plan with every field that a plan may have, of fragments in two stores at once."""
    made = problem(
        {"t": 100, "u": 100},
        [store("a", 100), store("b", 100)],
        [query("q", ("t", "u"))],
        objective="latency",
        current={"t": ("a",), "u": ("a",)},
    )
    (plan,) = candidates(made, ("optimal",))
    return replace(plan, settings={**plan.settings, "project": "p.toml", "scale_factor": 0.1})


@pytest.mark.parametrize("plan", plans(), ids=lambda plan: plan.strategy)
def test_a_plan_is_read_as_it_was_written(plan):
    assert read_plan(write_plan(plan)) == plan


def test_a_plan_for_latency_keeps_its_seconds_in_a_file():
    plan = plan_for_latency()
    assert plan.objective == "latency"
    assert any(each.engine_s for each in plan.routing["q"])
    again = read_plan(write_plan(plan))
    assert again == plan
    assert again.query_s("q") == plan.query_s("q")


def test_the_text_of_a_plan_does_not_depend_on_the_order_of_sets():
    texts = {
        subprocess.run(
            [sys.executable, "-c", PRINT_PLAN],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {write_plan(plans()[-1])}


@pytest.mark.parametrize("text", ["", "{}", '{"strategy": 1}', "[]"])
def test_what_is_no_plan_is_a_users_error(text):
    with pytest.raises(ConfigurationError, match=r"^This is not a plan: .*advisor place -o"):
        read_plan(text)
