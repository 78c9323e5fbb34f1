"""Prices corrected by measurements that are made up: of the stores' true speeds, or anyhow."""

import math
import random
from dataclasses import replace

import pytest

from evaluation.measuring.corrections import PRIOR, QUERY_PRIOR, corrections, misjudged
from evaluation.measuring.measurement import QueryOutcome
from placement.conflicts import infeasible
from placement.corrections import Factors
from placement.limits.check import check
from placement.plan_file import read_plan, write_plan
from placement.pricing import options
from placement.routing.refitted import at_prices, corrected, refitted
from placement.routing.routing import plan_for
from placement.strategies.optimal import Optimal
from tests.unit.evaluation.made_up_runs import measured, of_query
from tests.unit.placement.problems import changed, problem, query, store
from tests.unit.placement.random_problems import random_problem
from workloads.errors import InfeasibleError

TABLES = {"t": 1000, "u": 1000}
QUERIES = (
    query("q", ("t",)),
    query("r", ("t", "u"), joins=[("t", "u")]),
    query("s", ("u",), whole=False),
)


def asked(**options):
    return problem(TABLES, (store("a"), store("b")), QUERIES, **options)


def alone(made, name, strategy="x"):
    return plan_for(made, strategy, dict.fromkeys(TABLES, (name,)))


@pytest.mark.parametrize("objective", ["work", "latency"])
def test_a_measured_plan_is_predicted_to_take_what_it_took(objective):
    made = asked(objective=objective)
    plan = plan_for(made, "x", {"t": ("a",), "u": ("b",)})
    run = measured(made, [plan], work={"a": 3.0, "b": 0.4}, rest=1.7)
    now = corrected(made, corrections(made, [run]))
    again = at_prices(now, plan)
    for each in run.candidates[0].queries:
        assert again.query_s(each.query) == pytest.approx(each.measured_s)
    assert check(now, again) == ()


def test_fragments_that_were_read_at_the_same_time_add_up_to_what_the_query_took():
    made = asked()
    plan = plan_for(made, "x", {"t": ("a",), "u": ("b",)})
    run = measured(made, [plan], at_the_same_time=True)
    (found,) = [each for each in run.candidates[0].queries if each.query == "r"]
    assert sum(each.elapsed_s for each in found.fragments) > found.measured_s
    again = at_prices(corrected(made, corrections(made, [run])), plan)
    assert again.query_s("r") == pytest.approx(found.measured_s)


def test_what_was_predicted_rightly_is_not_corrected():
    made = asked()
    plans = [alone(made, "a", "x"), alone(made, "b", "y")]
    found = corrections(made, [measured(made, plans)])
    assert {name for names in found.measured.values() for name in names}
    factors = [each for names in found.measured.values() for each in names.values()]
    assert all(each.work == pytest.approx(1) for each in factors)
    assert all(each.rest == pytest.approx(1) for each in factors)
    assert found.rest == pytest.approx(1)
    queries = [each for of_store in found.queries.values() for each in of_store.values()]
    assert [*queries, *found.stores.values()] == pytest.approx([1.0] * (len(queries) + 2))


def test_what_a_store_answers_alone_tells_nothing_of_the_engine():
    strength = replace(store("a").strength, most_driver_rows=10_000)
    stores = (replace(store("a"), strength=strength), store("b"))
    made = problem(TABLES, stores, QUERIES)
    found = corrections(made, [measured(made, [alone(made, "a")], rest=0.1)])
    # Of the three queries the store answers two alone.
    assert found.rest == pytest.approx(math.exp(math.log(0.1) / (1 + PRIOR)))
    assert all(each.rest == pytest.approx(0.1) for each in found.measured["a"].values())


def test_a_fragment_that_was_not_measured_has_the_tendency_of_its_query_there_or_of_the_store():
    made = asked()
    found = corrections(made, [measured(made, [alone(made, "a")], work={"a": 5.0})])
    assert found.stores.keys() == found.queries.keys() == {"a"}
    # Three fragments were measured, one of each query.
    of_store = 3 * math.log(5) / (3 + PRIOR)
    of_query = (math.log(5) + QUERY_PRIOR * of_store) / (1 + QUERY_PRIOR)
    assert math.log(found.stores["a"]) == pytest.approx(of_store)
    assert math.log(found.queries["a"]["r"]) == pytest.approx(of_query)
    joined = next(each for each in QUERIES[1].fragments if each.kind == "join")
    other = changed(joined, query="another")
    assert found.factors(joined, "a") == Factors(work=found.queries["a"]["r"], rest=found.rest)
    assert found.factors(other, "a") == Factors(work=found.stores["a"], rest=found.rest)
    assert found.factors(joined, "b") == Factors(work=1.0, rest=found.rest)


def test_one_wild_fragment_does_not_condemn_its_store_but_its_query_there():
    made = asked()
    run = measured(made, [alone(made, "a")], wild={("q", "a"): 100.0})
    found = corrections(made, [run])
    assert found.measured["a"]["q/b"].work == pytest.approx(100)
    assert found.stores["a"] < 100**0.25
    assert found.queries["a"]["r"] < 100**0.25 < 100**0.5 < found.queries["a"]["q"]


def test_seconds_of_a_start_say_nothing_of_a_store():
    small = [replace(each, fragments=tuple(map(_small, each.fragments))) for each in QUERIES]
    made = problem(TABLES, (store("a"), store("b")), small)
    run = measured(made, [alone(made, "a")], work={"a": 20.0})
    found = corrections(made, [run])
    assert found.measured["a"]["q/b"].work == pytest.approx(20)
    assert found.stores == found.queries == {}


def _small(fragment):
    return changed(
        fragment, scan_bytes=0.1, column_bytes=0.1, join_rows=0, aggregate_rows=0, rows_out=0.1
    )


def test_what_was_not_verified_corrects_nothing():
    made = asked()
    run = measured(made, [alone(made, "a")], work={"a": 9.0}, failed={"q": QueryOutcome.TIMEOUT})
    assert "q/b" not in corrections(made, [run]).measured["a"]


def test_a_fragment_that_was_never_read_corrects_nothing():
    made = asked()
    plan = plan_for(made, "x", {"t": ("a",), "u": ("b",)})
    run = measured(made, [plan])
    unread = of_query(
        run, "r", lambda each: replace(each, partitions=0, execute_s=0.0, fetch_s=0.0)
    )
    found = corrections(made, [unread])
    assert not [name for names in found.measured.values() for name in names if "r/" in name]


def test_several_measurements_of_a_fragment_count_as_their_median():
    made = asked()
    plan = alone(made, "a")
    runs = [measured(made, [plan], work={"a": factor}) for factor in (2.0, 3.0, 50.0)]
    assert corrections(made, runs).measured["a"]["q/b"].work == pytest.approx(3)


def test_the_order_of_anything_changes_nothing():
    rng = random.Random(0)
    made = asked()
    plans = [
        plan_for(made, f"{t}{u}", {"t": (t,), "u": (u,)}) for t in ("a", "b") for u in ("a", "b")
    ]
    runs = [
        measured(made, plans, work={"a": rng.uniform(0.2, 5), "b": 1.3}, rest=rng.uniform(0.5, 2))
        for _ in range(5)
    ]
    found, reasons = corrections(made, runs), misjudged(made, runs)
    for _ in range(20):
        mixed = [_shuffled(rng, run) for run in rng.sample(runs, len(runs))]
        again = replace(
            made,
            stores=tuple(rng.sample(made.stores, 2)),
            queries=tuple(rng.sample(made.queries, 3)),
        )
        assert corrections(again, mixed) == found
        assert misjudged(again, mixed) == reasons


def _shuffled(rng, run):
    def mixed(items):
        return tuple(rng.sample(items, len(items)))

    candidates = [
        replace(
            each,
            queries=mixed([replace(q, fragments=mixed(q.fragments)) for q in each.queries]),
        )
        for each in run.candidates
    ]
    return replace(run, candidates=mixed(candidates))


def test_prices_may_be_corrected_again_and_measurements_are_held_against_the_formula():
    made = asked()
    first = measured(made, [alone(made, "a")], work={"a": 3.0})
    now = corrected(made, corrections(made, [first]))
    second = measured(made, [at_prices(now, alone(made, "a"))], work={"a": 3.0})
    assert corrections(now, [first, second]).measured["a"]["q/b"].work == pytest.approx(3)


def test_the_check_agrees_with_every_plan_of_corrected_prices(monkeypatch):
    monkeypatch.setattr(infeasible, "reason", lambda problem: "No placement fits.")
    checked = 0
    for seed in range(120):
        rng = random.Random(seed)
        made = random_problem(rng)
        names = [each.name for each in made.stores]
        try:
            plans = [
                plan_for(made, name, dict.fromkeys(made.table_bytes, (name,))) for name in names
            ]
            work = {name: rng.uniform(0.1, 10) for name in names}
            run = measured(made, plans, work=work, rest=rng.uniform(0.3, 3))
            now = corrected(made, corrections(made, [run]))
            plan = Optimal()(now)
        except InfeasibleError:
            continue
        assert check(now, plan) == ()
        assert check(made, plan) != ()
        assert refitted(made, plan) is plan
        again = read_plan(write_plan(plan))
        assert again.corrections == plan.corrections
        assert refitted(made, again) is again
        checked += 1
    assert checked > 10


def test_what_is_run_as_one_costs_what_its_members_cost():
    shared = 0
    for seed in range(200):
        rng = random.Random(seed)
        made = random_problem(rng)
        try:
            plans = [
                plan_for(made, each.name, dict.fromkeys(made.table_bytes, (each.name,)))
                for each in made.stores
            ]
        except InfeasibleError:
            continue
        run = measured(made, plans, work={each.name: 4.0 for each in made.stores}, rest=2.0)
        now = corrected(made, corrections(made, [run]))
        for each in now.queries:
            for option in options(now, each):
                members = getattr(option.fragment, "members", ())
                where = now.store(option.store)
                costs = [now.costs.fragment(one, where, len(each.sources)) for one in members]
                if members:
                    assert option.cost_s == pytest.approx(sum(cost.total_s for cost in costs))
                    shared += 1
    assert shared


def test_a_plan_of_other_rates_is_priced_by_the_formula_again():
    made = asked()
    run = measured(made, [alone(made, "a")], work={"a": 3.0})
    plan = Optimal()(corrected(made, corrections(made, [run])))
    faster = replace(made, stores=(store("a"), store("b", speed=2.0)))
    found = refitted(faster, plan)
    assert found.corrections is None
    assert found.placement == plan.placement
    assert check(faster, found) == ()


def test_what_was_most_off_comes_first_by_all_its_executions():
    often = replace(QUERIES[2], executions=100.0)
    made = problem(TABLES, (store("a"), store("b")), (*QUERIES[:2], often))
    run = measured(made, [alone(made, "a")], work={"a": 2.0})
    first, *others = misjudged(made, [run])
    assert first.query == "s"
    assert first.measured_s == pytest.approx(2 * first.predicted_s)
    assert [each.off_s for each in others] == sorted((e.off_s for e in others), reverse=True)
