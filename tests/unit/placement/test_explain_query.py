"""The reasons why a query is one fragment or several."""

from dataclasses import replace

import pytest

from placement.reasons.explain_query import explain_query
from placement.routing.routing import plan_for
from tests.unit.placement.problems import SCANS, fragment, problem, query, store


def test_a_query_says_what_keeps_it_from_being_one_fragment():
    made = problem(
        {"t": 80, "u": 80},
        [
            store("a", 100),
            store("b", 200, lacks=("rollup",), kind="mysql"),
            store("c", 100, capabilities=SCANS),
        ],
        [query("q", ("t", "u"), features=("rollup",), executions=3.0)],
    )
    plan = plan_for(made, "spread", {"t": ("a",), "u": ("b",)})
    found = explain_query(made, plan, "q")
    assert [(routed.store, cost.total_s) for routed, cost in found.fragments] == [
        (routed.store, routed.predicted_s) for routed in plan.routing["q"]
    ]
    assert sum(cost.total_s for _, cost in found.fragments) == pytest.approx(found.predicted_s)
    in_a, in_b, in_c = found.stores
    assert in_a.obstacle == "u (80 B) not there; room for only 20 B more."
    assert in_a.predicted_s < found.predicted_s
    assert (in_b.missing, in_b.fragments) == (("t",), 2)
    assert in_b.obstacle == "A store of kind 'mysql' does not run rollup."
    assert in_c.obstacle == "A store of kind 'postgresql' runs no whole query."


def test_a_query_that_is_one_fragment_has_no_obstacle_there_and_a_cost_elsewhere():
    made = problem(
        {"t": 10}, [store("a"), store("b", speed=0.1)], [query("q", ("t",))], max_copies=2
    )
    found = explain_query(made, plan_for(made, "both", {"t": ("a", "b")}), "q")
    assert found.stores[0].obstacle == ""
    assert found.stores[1].obstacle == f"It would cost {found.stores[1].predicted_s:.3g} s there."


def test_a_query_that_a_store_cannot_read_has_no_cost_there():
    lone = replace(query("q", ("t",)), fragments=(fragment("q", ("t",), {"t": "t"}),))
    made = problem({"t": 10}, [store("a"), store("b", capabilities=frozenset())], [lone])
    found = explain_query(made, plan_for(made, "a", {"t": ("a",)}), "q")
    assert found.stores[1].predicted_s is None
    assert found.stores[1].obstacle == "It has no fragment that is the whole query."
