import pytest

from placement.exact import model as models
from placement.programs.variables import variables
from placement.stores import Capability
from tests.unit.placement.problems import problem, query, store

LIMIT_S = 10.0


def test_a_store_runs_no_fragment_that_it_is_not_capable_of():
    scans = store("a", capabilities=frozenset({Capability.SCAN}), speed=100.0)
    able = store("b", lacks=("rollup",), speed=100.0)
    made = problem({"t": 1}, [scans, able], [query("q", ("t",), features=("rollup",))])
    kinds = {(o.fragment.kind, o.store) for o, _ in variables(made).run["q"]}
    assert kinds == {(Capability.SCAN, "a"), (Capability.SCAN, "b")}


@pytest.mark.parametrize("objective", ["work", "latency"])
def test_the_bound_is_below_the_cost_of_any_plan_and_above_the_simple_floor(objective):
    made = problem(
        {"t": 100, "u": 100},
        [store("a", 100), store("b", 100)],
        [query("q", ("t", "u"))],
        objective=objective,
    )
    solution = models.solve(made, time_limit_s=LIMIT_S)
    assert solution.proven
    assert models.floor_s(variables(made), made) <= solution.bound_s


def test_capacities_hold_to_the_byte_beyond_the_solvers_tolerance():
    tables = {"t": 5 * 10**11, "u": 5 * 10**11 + 1}
    made = problem(
        tables,
        [store("a", 10**12, speed=5.0), store("b", 10**12)],
        [query("q", ("t", "u"))],
        upkeep=0.0,
    )
    placement = models.solve(made, time_limit_s=LIMIT_S).placement
    assert {len(stores) for stores in placement.values()} == {1}
    assert placement["t"] != placement["u"]


def test_a_budget_for_copies_holds_to_the_byte_beyond_the_solvers_tolerance():
    made = problem(
        {"t": 5 * 10**11, "u": 5 * 10**11 + 1},
        [store("slow", speed=0.1), store("fast")],
        [query("q", ("t",)), query("r", ("u",), executions=2.0)],
        pin={"t": ("slow",), "u": ("slow",)},
        max_copies=2,
        max_copy_bytes=5 * 10**11,
        upkeep=0.0,
    )
    placement = models.solve(made, time_limit_s=LIMIT_S).placement
    assert placement == {"t": ("fast", "slow"), "u": ("slow",)}
