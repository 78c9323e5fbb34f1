"""Tuned plans: what is large is fetched with settings of its own, within the client's memory."""

from dataclasses import replace

import pytest

from placement.fetching import FEW_BYTES, Budget, client_bytes, settings_of
from placement.limits.check import check
from placement.plan import Outcome
from placement.plan_file import read_plan, write_plan
from placement.problem import QueryProblem
from placement.routing.refitted import refitted
from placement.routing.routing import plan_for
from placement.stores import waiting
from placement.transfer.link import TransferSettings
from placement.tuned import tuned, with_transfer
from tests.mind_thesis import LOW_BANDWIDTH
from tests.unit.placement.problems import changed, fragment, problem, query, store

ROWS, ROW_BYTES = 500_000.0, 100.0
FETCH_SIZE = 100


def far(*, portions=True, link=LOW_BANDWIDTH):
    plain = store("a")
    return replace(plain, strength=replace(plain.strength, portions=portions, link=link))


def large(rows=ROWS, row_bytes=ROW_BYTES):
    plain = fragment("q", ("t",), {"t": "t"}, rows=rows)
    return changed(plain, row_bytes_out=row_bytes)


def test_only_what_a_driver_fetches_in_portions_has_settings():
    assert settings_of(large(), far(), Budget(), FETCH_SIZE) is not None
    assert settings_of(large(), far(portions=False), Budget(), FETCH_SIZE) is None
    assert settings_of(large(rows=FEW_BYTES / ROW_BYTES), far(), Budget(), FETCH_SIZE) is None
    assert settings_of(changed(large(), repeats="q/b.v"), far(), Budget(), FETCH_SIZE) is None


@pytest.mark.parametrize("memory_bytes", [1 << 20, 16 << 20, 64 << 20])
@pytest.mark.parametrize("link", [LOW_BANDWIDTH, waiting(0.001)])
def test_settings_keep_the_memory_of_the_client(memory_bytes, link):
    for row_bytes in (9.0, 100.0, 5_000.0):
        each = large(row_bytes=row_bytes)
        found = settings_of(each, far(link=link), Budget(memory_bytes=memory_bytes), FETCH_SIZE)
        assert found is not None
        assert client_bytes(each, found) <= memory_bytes


def placed():
    query_of_one = QueryProblem(
        name="q",
        executions=3.0,
        sources=("b.t",),
        fragments=(large(),),
    )
    made = problem({"t": 10}, (far(),), (query_of_one,))
    made = replace(made, costs=replace(made.costs, fetch_size=FETCH_SIZE))
    return made, plan_for(made, "x", {"t": ("a",)})


def test_a_tuned_plan_is_cheaper_and_the_check_finds_its_price():
    made, plan = placed()
    found = tuned(made, plan, Budget())
    assert found.predicted_s < plan.predicted_s
    (routed,) = found.routing["q"]
    assert routed.transfer == settings_of(large(), far(), Budget(), FETCH_SIZE)
    assert check(made, found) == ()
    assert refitted(made, found) is found


def test_a_plan_that_is_routed_again_keeps_the_settings_that_it_states():
    """Its queries are run more often now; what was tuned for their results still is."""
    made, plan = placed()
    found = tuned(made, plan, Budget())
    (routed,) = found.routing["q"]
    stated = replace(found, routing={"q": (replace(routed, memory_bytes=1 << 20),)})
    (more,) = made.queries
    again = refitted(replace(made, queries=(replace(more, executions=7.0),)), stated)
    (kept,) = again.routing["q"]
    assert (kept.transfer, kept.memory_bytes) == (routed.transfer, 1 << 20)
    assert kept.predicted_s == routed.predicted_s
    assert again.predicted_s != found.predicted_s


def test_a_price_with_other_settings_than_the_plan_states_is_found():
    made, plan = placed()
    found = tuned(made, plan, Budget())
    (routed,) = found.routing["q"]
    other = replace(routed, transfer=TransferSettings(fetch_rows=10, message_bytes=512))
    wrong = replace(found, routing={"q": (other,)})
    assert any(" costs " in sentence for sentence in check(made, wrong))
    right = with_transfer(made, made.queries[0], routed, other.transfer)
    assert right.predicted_s > routed.predicted_s


def test_no_bound_is_left_that_is_of_plans_fetched_otherwise():
    made, plan = placed()
    proven = replace(plan, outcome=Outcome.OPTIMAL, bound_s=plan.predicted_s)
    found = tuned(made, proven, Budget())
    assert (found.outcome, found.bound_s) == (Outcome.FEASIBLE, None)


def test_a_plan_without_large_results_is_left_as_it_is():
    made = problem({"t": 10}, (far(),), (query("q", ("t",)),))
    plan = plan_for(made, "x", {"t": ("a",)})
    assert tuned(made, plan, Budget()) is plan


def test_settings_are_in_the_plan_s_file():
    made, plan = placed()
    found = tuned(made, plan, Budget())
    assert read_plan(write_plan(found)) == found
    without = write_plan(plan).replace('"transfer": null', '"engine_s": 0.0')
    assert read_plan(without).routing["q"][0].transfer is None
