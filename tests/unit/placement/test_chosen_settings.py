"""Settings that are chosen while placing: only by a measured link, and only what saves seconds."""

import random
from dataclasses import replace

import pytest

from evaluation.kinds import BACKENDS
from placement.fetching import CLIENT_BYTES_PER_BYTE, Budget, client_bytes, result_of, settings_of
from placement.frontier.bounded_plans import point_of
from placement.limits.check import check
from placement.plan_file import read_plan, write_plan
from placement.problem import QueryProblem
from placement.routing.refitted import refitted
from placement.routing.routing import plan_for
from placement.stores import Capability, waiting
from placement.strategies.optimal import Optimal
from placement.transfer.bounds import MOST_MESSAGE, Bounds
from placement.transfer.closed_form import closed_form
from placement.transfer.link import FREE, Link, MessageCost
from placement.tuned import tuned
from tests.mind_thesis import HIGH_BANDWIDTH, LOW_BANDWIDTH
from tests.unit.placement.problems import changed, fragment, problem, store
from tests.unit.placement.random_problems import random_problem

BUDGET, FETCH_SIZE = Budget(), 100
LINKS = (FREE, waiting(0.001), HIGH_BANDWIDTH, LOW_BANDWIDTH)


def linked(where, link, *, measured=True):
    return replace(
        where,
        strength=replace(where.strength, portions=True, link=link, link_measured=measured),
    )


def asked(where, *, rows=500_000.0, row_bytes=100.0, budget=BUDGET, fetch_size=FETCH_SIZE):
    large = changed(fragment("q", ("t",), {"t": "t"}, rows=rows), row_bytes_out=row_bytes)
    query = QueryProblem(name="q", executions=3.0, sources=("b.t",), fragments=(large,))
    made = problem({"t": 10}, (where,), (query,))
    return replace(made, costs=replace(made.costs, budget=budget, fetch_size=fetch_size))


def untuned(made):
    return replace(made, costs=replace(made.costs, budget=None))


def routed(plan):
    (found,) = plan.routing["q"]
    return found


@pytest.mark.parametrize("kind", BACKENDS)
def test_a_plan_has_settings_where_the_driver_of_a_measured_link_waits(kind):
    """Every kind of store is given a link: only PostgreSQL's driver waits for portions."""
    strength = BACKENDS[kind].strength
    measured = replace(strength, link=LOW_BANDWIDTH, link_measured=True)
    plan = Optimal()(asked(replace(store("a", kind=kind), strength=measured)))
    assert (routed(plan).transfer is not None) == (kind == "postgresql")


def test_settings_are_those_that_tuning_chooses():
    made = asked(linked(store("a"), LOW_BANDWIDTH))
    plan = Optimal()(made)
    assert routed(plan).transfer == settings_of(
        routed(plan).fragment, made.stores[0], BUDGET, FETCH_SIZE
    )
    assert tuned(made, plan, BUDGET) is plan


def test_a_link_that_nobody_measured_leaves_the_plan_as_it_was():
    made = asked(linked(store("a"), LOW_BANDWIDTH, measured=False))
    assert write_plan(Optimal()(made)) == write_plan(Optimal()(untuned(made)))


def test_without_a_budget_a_measured_link_changes_no_setting():
    made = untuned(asked(linked(store("a"), LOW_BANDWIDTH)))
    assert routed(Optimal()(made)).transfer is None


def test_a_plan_with_settings_is_checked_and_kept_and_its_bound_is_of_its_own_prices():
    made = asked(linked(store("a"), LOW_BANDWIDTH))
    plan = Optimal()(made)
    assert check(made, plan) == ()
    assert refitted(made, plan) is plan
    assert read_plan(write_plan(plan)) == plan
    assert plan.predicted_s < Optimal()(untuned(made)).predicted_s
    assert plan.gap == 0


def test_a_plan_of_the_frontier_has_the_settings_that_its_price_is_of():
    made = asked(linked(store("a"), LOW_BANDWIDTH))
    plain = plan_for(untuned(made), "x", {"t": ("a",)})
    found = point_of(made, plain, "x").plan
    assert routed(found).transfer is not None
    assert check(made, found) == ()


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("fetch_size", [10, 10_000, 10_000_000])
def test_no_fragment_is_dearer_than_with_the_settings_of_the_run(link, fetch_size):
    """Where the run's own settings are faster, as they take more memory, they stay."""
    where = linked(store("a"), link)
    kept = 0
    for row_bytes in (9.0, 100.0, 5_000.0, 1e6):
        for rows in (10.0, 1e4, 1e6):
            made = asked(where, rows=rows, row_bytes=row_bytes, fetch_size=fetch_size)
            found, plain = (plan_for(each, "x", {"t": ("a",)}) for each in (made, untuned(made)))
            assert routed(found).predicted_s <= routed(plain).predicted_s
            transfer = routed(found).transfer
            if transfer is None:
                kept += 1
                assert routed(found) == routed(plain)
            else:
                assert routed(found).predicted_s < routed(plain).predicted_s
                memory = max(BUDGET.memory_bytes, 8 * row_bytes)
                assert client_bytes(routed(found).fragment, transfer) <= memory
    assert kept > 0


@pytest.mark.parametrize("seed", range(20))
def test_random_plans_are_never_dearer_and_pass_the_check(seed):
    """Drawn problems have few rows: here they have so many that they come in portions."""
    rng = random.Random(seed)
    drawn = random_problem(rng)
    made = replace(
        drawn,
        stores=tuple(linked(each, rng.choice(LINKS)) for each in drawn.stores),
        queries=tuple(
            replace(
                query,
                fragments=tuple(
                    each
                    if each.kind is Capability.QUERY
                    else changed(each, row_bytes_out=rng.choice((1e4, 1e6)))
                    for each in query.fragments
                ),
                shared=(),
            )
            for query in drawn.queries
        ),
        constraints=replace(drawn.constraints, latency_s={}, max_money=None),
        costs=replace(drawn.costs, budget=BUDGET),
    )
    names = tuple(sorted(each.name for each in made.stores))
    placement = dict.fromkeys(made.table_bytes, names)
    found, plain = (plan_for(each, "x", placement) for each in (made, untuned(made)))
    assert found.predicted_s <= plain.predicted_s
    assert not set(check(made, found)) - set(found.violations)


@pytest.mark.parametrize("link", [FREE, Link(further=MessageCost(s_per_batch_byte=1e-12))])
@pytest.mark.parametrize("row_bytes", [9.0, 5_000.0])
def test_a_link_whose_waits_were_not_told_from_noise_makes_no_portion_smaller(link, row_bytes):
    """By such a link a row at a time is as fast, and takes the least memory."""
    made = asked(linked(store("a"), link), row_bytes=row_bytes, fetch_size=10_000)
    fragments = routed(plan_for(untuned(made), "x", {"t": ("a",)})).fragment
    found = settings_of(fragments, made.stores[0], BUDGET, 10_000)
    assert found is not None
    fitting = (BUDGET.memory_bytes - MOST_MESSAGE) // CLIENT_BYTES_PER_BYTE // row_bytes
    assert found.fetch_rows == min(10_000, fitting)
    assert closed_form(link, result_of(fragments), Bounds()).fetch_rows == 1
