"""Indexes that are chosen with the placement: what they save, cost and take, and the bound."""

from dataclasses import replace

import pytest

from placement.advising.gains import gains
from placement.fragment import IndexRead
from placement.limits.check import check
from placement.machines import Machines
from placement.plan import Outcome
from placement.plan_file import read_plan, write_plan
from placement.pricing import options
from placement.reasons.breakdown import breakdown
from placement.reasons.indexes import index_gains
from placement.routing.routing import plan_for
from placement.strategies import candidates as plans_of
from placement.strategies.optimal import Optimal
from tests.unit.placement.problems import changed, joined, problem, query, store, strength
from workloads.indexes import NamedIndex

ON_C, ON_D = NamedIndex("t", ("c",)), NamedIndex("t", ("d",))
ON_U = NamedIndex("u", ("e",))


def indexing(name, capacity=None, **rates):
    """Return a store that reads by indexes."""
    found = replace(strength(), index_rows_per_s=1000.0, **rates)
    return replace(store(name, capacity), strength=found)


def read(index, spared_bytes, rows=1.0, source="b.t"):
    return IndexRead(
        source=source, clustered=False, rows=rows, spared_bytes=spared_bytes, index=index
    )


def reading(*reads, name="q", tables=("t",), executions=10.0):
    """Return a query of which each fragment may read by those of `reads` of its sources."""
    asked = query(name, tables, executions=executions)
    fragments = (
        changed(each, index_reads=tuple(r for r in reads if r.source in each.sources))
        for each in asked.fragments
    )
    return replace(asked, fragments=tuple(fragments))


def asked(*reads, sizes=None, stores=None, **limits):
    """Return a problem of one query; all stores may have an index for each of the reads."""
    index_bytes = {each.index: 10 for each in reads} if sizes is None else sizes
    stores = stores or (indexing("a"),)
    offered = {each.name: frozenset(index_bytes) for each in stores}
    return problem(
        {"t": 100},
        stores,
        [reading(*reads)],
        candidates=offered,
        index_bytes=index_bytes,
        **limits,
    )


def best(problem):
    """Return the optimal plan, which the check has nothing to say against."""
    plan = Optimal()(problem)
    assert check(problem, plan) == ()
    return plan


def test_an_index_that_saves_more_than_it_costs_is_chosen_and_priced():
    made = asked(read(ON_C, 90.0))
    plan = best(made)
    assert plan.indexes == {"a": (ON_C,)}
    without = best(replace(made, candidates={}))
    # 90 bytes less of 1000 a second, one row of 1000 a second, ten times; upkeep of ten bytes.
    assert without.predicted_s - plan.predicted_s == pytest.approx(0.89 - 10 * 1e-6)
    assert plan.outcome is Outcome.OPTIMAL


def test_of_two_indexes_for_one_source_the_better_is_chosen():
    assert best(asked(read(ON_C, 60.0), read(ON_D, 70.0))).indexes == {"a": (ON_D,)}


def test_indexes_for_different_queries_are_chosen_together():
    made = asked(read(ON_C, 60.0), read(ON_D, 70.0))
    queries = (reading(read(ON_C, 60.0), name="p"), reading(read(ON_D, 70.0)))
    assert best(replace(made, queries=queries)).indexes == {"a": (ON_C, ON_D)}


def test_an_index_that_the_writes_make_too_dear_is_not_chosen():
    made = asked(read(ON_C, 90.0))
    graph = replace(joined(), writes={"t": 8_000.0})
    assert best(replace(made, graph=graph)).indexes == {"a": (ON_C,)}
    # Ten thousand rows a second take 0.9 s, of which the index saves 0.89.
    assert best(replace(made, graph=replace(graph, writes={"t": 9_000.0}))).indexes == {}


def test_indexes_take_of_the_capacity_of_their_store():
    reads, sizes = (read(ON_C, 60.0), read(ON_D, 70.0)), {ON_C: 10, ON_D: 11}
    for capacity, chosen in ((110, ON_C), (111, ON_D)):
        made = asked(*reads, sizes=sizes, stores=(indexing("a", capacity),))
        assert best(made).indexes == {"a": (chosen,)}
    assert best(asked(*reads, sizes=sizes, stores=(indexing("a", 109),))).indexes == {}


def test_indexes_have_a_budget_over_all_stores():
    reads, sizes = (read(ON_C, 60.0), read(ON_D, 70.0)), {ON_C: 10, ON_D: 11}
    assert best(asked(*reads, sizes=sizes, max_index_bytes=10)).indexes == {"a": (ON_C,)}
    assert best(asked(*reads, sizes=sizes, max_index_bytes=9)).indexes == {}


def test_a_budget_that_is_broken_is_told_with_the_way_out():
    made = asked(read(ON_C, 60.0), sizes={ON_C: 10}, max_index_bytes=9).with_indexes({"a": [ON_C]})
    assert plan_for(made, "x", {"t": ("a",)}).violations == (
        (
            "The chosen indexes have 10 B, 1 B over the 9 B allowed: drop indexes, or raise "
            "[constraints].max_index_bytes."
        ),
    )


def test_a_full_store_is_told_of_with_its_indexes():
    made = asked(read(ON_C, 60.0), sizes={ON_C: 10}, stores=(indexing("a", 105),))
    (told,) = plan_for(made.with_indexes({"a": [ON_C]}), "x", {"t": ("a",)}).violations
    assert "would hold 110 B, 5 B over its capacity of 105 B" in told


def test_what_each_index_gains_is_what_the_plan_costs_more_without_it():
    reads = (read(ON_C, 60.0), read(ON_D, 70.0))
    made = asked(*reads, upkeep=1e-4)
    queries = (reading(reads[0], name="p"), reading(reads[1]), reading(*reads, name="r"))
    made = replace(made, queries=queries)
    plan = best(made)
    found = index_gains(made, plan)
    assert [(each.index, each.queries) for each in found] == [(ON_D, ("q", "r")), (ON_C, ("p",))]
    for each in found:
        left = [index for index in plan.indexes["a"] if index != each.index]
        without = plan_for(made.with_indexes({"a": left}), "x", plan.placement)
        assert each.gain_s == pytest.approx(without.predicted_s - plan.predicted_s)
        assert each.upkeep_s == pytest.approx(10 * 1e-4)


def test_an_index_counts_as_new_where_there_is_a_placement_already():
    made = asked(read(ON_C, 90.0), current={"t": ("a",)}, horizon=2.0)
    load_s = 10 / made.store("a").strength.load_bytes_per_s / 2.0
    assert made.index_s(ON_C, made.store("a")) == pytest.approx(load_s + 10 * 1e-6)
    costs = breakdown(made.with_indexes({"a": [ON_C]}), best(made))
    assert costs.total_s == pytest.approx(best(made).predicted_s)


def test_an_index_that_the_placement_already_has_is_not_made_again():
    made = asked(read(ON_C, 90.0), current={"t": ("a",)}, horizon=2.0)
    there = replace(made, current_indexes={"a": frozenset({ON_C})})
    assert there.index_s(ON_C, there.store("a")) == pytest.approx(10 * 1e-6)
    plan = best(there)
    assert plan.indexes == {"a": (ON_C,)}
    assert check(there, plan) == ()
    costs = breakdown(there.with_indexes({"a": [ON_C]}), plan)
    assert costs.total_s == pytest.approx(plan.predicted_s)


def test_a_table_goes_where_an_index_may_be_made():
    stores = (store("fast", speed=1.1), indexing("a"))
    made = asked(read(ON_C, 100.0), stores=stores)
    assert best(replace(made, candidates={})).placement == {"t": ("fast",)}
    plan = best(made)
    assert (plan.placement, plan.indexes) == ({"t": ("a",)}, {"a": (ON_C,)})


def test_naive_has_no_indexes_and_throughput_those_of_the_optimal_plan():
    made = asked(read(ON_C, 90.0))
    machines = Machines(engine="here", of_store={"a": "there"}, cores={"here": 2, "there": 2})
    asked_for = ("naive", "throughput", "optimal")
    naive, throughput, optimal = plans_of(replace(made, machines=machines), asked_for)
    assert naive.indexes == {}
    assert throughput.indexes == optimal.indexes == {"a": (ON_C,)}


@pytest.mark.parametrize("objective", ["work", "latency"])
def test_too_many_options_leave_the_choice_to_the_placements_found(objective):
    stores = (indexing("a"), store("b", speed=1.1))
    made = asked(read(ON_C, 100.0), stores=stores, objective=objective)
    plan = Optimal(most_options=1)(made)
    assert check(made, plan) == ()
    assert plan.indexes == {"a": (ON_C,)}
    assert plan.bound_s <= plan.predicted_s


def test_the_plan_s_file_keeps_its_indexes():
    plan = best(asked(read(ON_C, 90.0)))
    assert read_plan(write_plan(plan)) == plan


def test_an_index_without_a_copy_and_one_that_nobody_offers_are_found():
    made = asked(read(ON_C, 90.0), stores=(indexing("a"), store("b")))
    plan = best(made)
    nowhere = replace(plan, indexes={"a": (ON_C,), "b": (ON_C,)})
    assert check(made, nowhere) == ("Index t (c) in 'b' is of a table without a copy there.",)
    unknown = replace(plan, indexes={"a": (ON_C, ON_D)})
    assert check(made, unknown) == ("Index t (d) in 'a' is none that may be chosen there.",)


def test_a_price_without_the_chosen_index_is_found():
    made = asked(read(ON_C, 90.0))
    plan = best(made)
    assert any("costs 0." in each for each in check(made, replace(plan, indexes={})))


def test_a_fragment_that_is_not_read_by_the_indexes_that_a_plan_names_is_found():
    made = asked(read(ON_C, 90.0), read(ON_D, 80.0))
    plan = best(made)
    (routed,) = plan.routing["q"]
    assert routed.read_by == (ON_C,)

    def told(read_by):
        return check(made, replace(plan, routing={"q": (replace(routed, read_by=read_by),)}))

    assert told(None) == told((ON_C,)) == ()
    (sentence,) = told(())
    assert "by the indexes that the plan names for it" in sentence
    of_none, of_other = told((ON_D,))
    assert "is read by index t (d), which is none of that store" in of_none
    assert "by the indexes that the plan names for it" in of_other


@pytest.mark.parametrize("kept_bytes", [None, 40.0, 120.0, 1000.0])
def test_gains_together_are_at_least_what_all_indexes_save(kept_bytes):
    rates = {"kept_bytes": kept_bytes, "missed_bytes_per_s": 300.0}
    rates |= {"pool_bytes": kept_bytes, "missed_pages_per_s": 300.0}
    where = indexing("a", **rates)
    pages = {"touched_bytes": 30.0, "fetched_pages": 35.0, "table_bytes": 75.0}
    reads = (
        replace(read(ON_C, 60.0), **pages),
        replace(read(ON_U, 70.0, source="b.u"), **pages),
    )
    indexed = changed(
        reading(*reads, tables=("t", "u")).fragments[-1],
        tables_bytes=150.0,
        scan_bytes=200.0,
    )
    several = replace(query("q", ("t", "u")), fragments=(indexed,))
    made = problem({"t": 100, "u": 100}, [where], [several], index_bytes={ON_C: 1, ON_U: 1})
    (plain,) = options(made, several)
    with_both = made.with_indexes({"a": (ON_C, ON_U)})
    (faster,) = options(with_both, several)
    found = sum(each.seconds for each in gains(made, plain, (ON_C, ON_U)))
    saved_s = plain.cost_s - faster.cost_s
    assert found >= saved_s * (1 - 1e-12)
    if kept_bytes in (None, 1000.0):
        assert found == pytest.approx(saved_s)


def test_a_sole_copy_s_indexes_are_no_bytes_of_copies():
    made = asked(read(ON_C, 60.0), sizes={ON_C: 10}, max_copies=2, max_copy_bytes=0)
    assert best(made).indexes == {"a": (ON_C,)}


def test_of_several_copies_the_one_with_the_most_bytes_is_the_first():
    stores = (indexing("a"), indexing("b"))
    sizes = {ON_C: 10, ON_D: 30}
    made = asked(read(ON_C, 60.0), sizes=sizes, stores=stores, max_copies=2, max_copy_bytes=109)
    both = made.with_indexes({"a": [ON_C], "b": [ON_D]})
    (told,) = plan_for(both, "x", {"t": ("a", "b")}).violations
    assert "The copies beyond the first of each table have 110 B, 1 B over the 109 B" in told
    one = made.with_indexes({"b": [ON_D]})
    assert plan_for(one, "x", {"t": ("a", "b")}).violations == ()


def test_a_balance_counts_indexes():
    stores = (indexing("a"), indexing("b"))
    made = asked(read(ON_C, 60.0), sizes={ON_C: 100}, stores=stores, max_copies=2, balance=0.3)
    in_both = {"t": ("a", "b")}
    assert plan_for(made.with_indexes({}), "x", in_both).violations == ()
    told = plan_for(made.with_indexes({"a": [ON_C]}), "x", in_both).violations
    assert "would hold 200 B, 33.3% above the mean of 150 B" in told[0]
