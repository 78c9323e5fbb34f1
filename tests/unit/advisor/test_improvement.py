"""The loop of measuring and placing again, on stores whose true speeds are made up."""

import random
from dataclasses import dataclass, field, replace

import pytest

from advisor.improvement import End, improve
from evaluation.measuring.measurement import QueryOutcome
from placement.conflicts import infeasible
from placement.limits.check import check
from placement.routing.refitted import corrected
from placement.routing.routing import plan_for
from placement.strategies.optimal import Optimal
from tests.unit.evaluation.made_up_runs import measured
from tests.unit.placement.problems import problem, query, store
from tests.unit.placement.random_problems import random_problem
from tests.unit.placement.test_advised_indexes import ON_C, read
from tests.unit.placement.test_advised_indexes import asked as asked_for_indexes
from workloads.errors import InfeasibleError

TABLES = {"t": 1000, "u": 1000}
QUERIES = (
    query("q", ("t",), executions=3.0),
    query("r", ("t", "u"), joins=[("t", "u")]),
    query("s", ("u",)),
)
FAST, SLOW = store("fast", speed=4.0), store("slow")


@dataclass
class Heard:
    """What an audience heard, in order."""

    rounds: list = field(default_factory=list)
    proposals: list = field(default_factory=list)

    def proposed(self, number, proposal):
        assert number == len(self.rounds) + 1
        self.proposals.append(proposal)

    def measured(self, found):
        self.rounds.append(found)


def asked(stores=(FAST, SLOW), tables=TABLES, **options):
    return problem(tables, stores, QUERIES, **options)


def improved(made, first=None, most=3, heard=None, measure=None, **truth):
    """Improve from the optimum, measured by the truth."""
    first = [Optimal()(made)] if first is None else first
    heard = Heard() if heard is None else heard
    found = improve(
        made,
        first,
        most,
        heard,
        measure=measure or (lambda plans: measured(made, plans, **truth)),
    )
    assert found.rounds == tuple(heard.rounds)
    return found


def in_store(plan):
    return dict(plan.placement)


def test_a_store_that_is_slower_than_predicted_is_left_after_one_round():
    made = asked()
    assert set(in_store(Optimal()(made)).values()) == {("fast",)}
    found = improved(made, work={"fast": 20.0})
    assert [each.number for each in found.rounds] == [1, 2]
    assert set(in_store(found.recommended.plan).values()) == {("slow",)}
    assert found.recommended.plan.strategy == "improved_2"
    assert found.end is End.MEASURED


def test_what_is_measured_next_is_told_with_the_tables_that_move_and_why():
    heard = Heard()
    improved(asked(), heard=heard, work={"fast": 20.0})
    (proposal,) = heard.proposals
    moves = {each.table: (each.before, each.after) for each in proposal.changes.tables}
    assert moves == dict.fromkeys(TABLES, (("fast",), ("slow",)))
    assert proposal.plan.predicted_s < proposal.best.predicted_s
    first, *_ = proposal.misjudged
    assert (first.query, first.store) == ("q", "fast")
    assert first.measured_s == pytest.approx(20 * first.predicted_s)


def test_indexes_are_chosen_again_at_measured_prices():
    made = asked_for_indexes(read(ON_C, 90.0), upkeep=1e-2)
    first = Optimal()(made)
    assert first.indexes == {"a": (ON_C,)}
    # Reading is so fast in truth that the index does not pay what it costs.
    found = improved(made, [first], work={"a": 1e-3})
    proposed = found.rounds[1].proposal.plan
    assert (proposed.placement, proposed.indexes) == (first.placement, {})
    # As slow as predicted it stays, and is not measured again.
    assert len(improved(made, [first]).rounds) == 1


def test_with_right_prices_the_first_plan_stays():
    found = improved(asked())
    assert (found.end, len(found.rounds)) == (End.MEASURED, 1)
    assert found.recommended.plan == Optimal()(asked())


def test_a_plan_that_was_measured_already_is_not_measured_again():
    made = asked()
    alone = [plan_for(made, name, dict.fromkeys(TABLES, (name,))) for name in ("fast", "slow")]
    found = improved(made, first=alone, work={"fast": 20.0})
    assert (found.end, len(found.rounds)) == (End.MEASURED, 1)
    assert found.recommended.plan.strategy == "slow"


def test_a_reference_that_breaks_a_limit_is_not_recommended_and_yet_tells_the_prices():
    stores = (replace(FAST, capacity_bytes=1000), SLOW)
    made = asked(stores)
    reference = plan_for(made, "reference", dict.fromkeys(TABLES, ("fast",)))
    assert not reference.feasible
    found = improved(made, first=[reference, Optimal()(made)], wild={("q", "fast"): 50.0})
    assert found.recommended.plan.feasible
    assert found.recommended.plan.placement["t"] == ("slow",)


def test_what_looks_better_and_is_not_is_measured_once_and_the_best_one_stays():
    other = store("other", speed=3.0)
    found = improved(asked((FAST, other, SLOW)), most=9, work={"fast": 2.0, "other": 9.0})
    assert len(found.rounds) == 2
    assert found.end is End.MEASURED
    assert found.rounds[1].proposed.plan.placement["t"] == ("other",)
    assert found.recommended.plan.strategy == "optimal"
    assert set(in_store(found.recommended.plan).values()) == {("fast",)}


def test_no_more_rounds_are_measured_than_asked_for_and_the_next_one_is_told():
    found = improved(asked(), most=1, work={"fast": 20.0})
    assert (found.end, len(found.rounds)) == (End.ROUNDS, 1)
    assert found.recommended.plan.strategy == "optimal"
    assert found.last.plan.placement["t"] == ("slow",)


def test_a_gain_that_no_rounds_could_tell_is_not_tried():
    near = store("near", speed=3.99)
    found = improved(asked((FAST, near)), work={"fast": 1.003})
    assert (found.end, len(found.rounds)) == (End.NO_GAIN, 1)


def test_without_a_verified_candidate_there_is_nothing_to_improve():
    found = improved(asked(), failed={"q": QueryOutcome.FAILED})
    assert (found.end, len(found.rounds)) == (End.NOT_VERIFIED, 1)
    assert found.recommended is None
    assert found.last is None


def test_a_proposal_that_fails_is_not_recommended():
    made, runs = asked(), []

    def measure(plans):
        runs.append(plans)
        found = measured(made, plans, work={"fast": 20.0})
        if len(runs) == 1:
            return found
        broken = measured(made, plans, work={"fast": 20.0}, failed={"q": QueryOutcome.WRONG})
        return replace(found, candidates=(found.candidates[0], broken.candidates[1]))

    found = improved(made, measure=measure)
    assert (found.end, len(found.rounds)) == (End.MEASURED, 2)
    assert found.recommended.plan.strategy == "optimal"


def test_what_was_verified_beside_the_best_plan_that_failed_is_compared_with_nothing():
    made, runs = asked(), []

    def measure(plans):
        runs.append(plans)
        found = measured(made, plans, work={"fast": 20.0})
        if len(runs) == 1:
            return found
        broken = measured(made, plans, work={"fast": 20.0}, failed={"q": QueryOutcome.FAILED})
        return replace(found, candidates=(broken.candidates[0], found.candidates[1]))

    found = improved(made, measure=measure)
    assert found.recommended is found.rounds[0].best


def test_what_was_measured_is_heard_before_an_interruption():
    made, heard, runs = asked(), Heard(), []

    def measure(plans):
        runs.append(plans)
        if len(runs) > 1:
            raise KeyboardInterrupt
        return measured(made, plans, work={"fast": 20.0})

    with pytest.raises(KeyboardInterrupt):
        improved(made, heard=heard, measure=measure)
    assert [each.number for each in heard.rounds] == [1]


def test_both_plans_of_a_round_are_predicted_with_the_same_prices_and_pass_the_check():
    made, heard = asked(), Heard()
    improved(made, heard=heard, work={"fast": 20.0}, rest=1.5)
    (proposal,) = heard.proposals
    assert proposal.best.corrections == proposal.plan.corrections
    now = corrected(made, proposal.plan.corrections)
    assert check(now, proposal.best) == check(now, proposal.plan) == ()


def test_a_search_that_finds_nothing_in_time_ends_the_loop():
    made = asked()

    def place(problem):
        raise InfeasibleError("No placement was found within 0.1 s.")

    found = improve(
        made,
        [Optimal()(made)],
        3,
        Heard(),
        measure=lambda plans: measured(made, plans, work={"fast": 20.0}),
        place=place,
    )
    assert (found.end, len(found.rounds)) == (End.NO_GAIN, 1)


def test_a_plan_whose_query_was_measured_above_its_ceiling_is_given_up_for_one_that_keeps_it():
    made = asked(latency_s={"q": 0.5})
    found = improved(made, wild={("q", "fast"): 30.0}, work={"slow": 4.0}, most=2)
    before, after = found.rounds[1].measurements.candidates
    assert before.plan.strategy == "optimal"
    assert not before.plan.feasible
    assert found.recommended is after
    assert after.plan.feasible
    assert after.measured_s > before.measured_s


def test_a_plan_that_is_given_up_need_not_be_measured_again():
    made, runs = asked(latency_s={"q": 0.5}), []

    def measure(plans):
        runs.append(plans)
        feasible = [each for each in plans if each.feasible]
        return measured(made, feasible, wild={("q", "fast"): 30.0})

    found = improved(made, measure=measure)
    assert len(runs[1]) == 2
    assert [each.plan.strategy for each in found.rounds[1].measurements.candidates] == [
        "improved_2"
    ]
    assert found.recommended.plan.strategy == "improved_2"


def test_the_order_of_stores_and_queries_changes_no_placement():
    made = asked((FAST, SLOW, store("other", speed=3.0)))
    found = improved(made, most=5, work={"fast": 20.0, "other": 0.9})
    for seed in range(6):
        rng = random.Random(seed)
        other = replace(
            made,
            stores=tuple(rng.sample(made.stores, 3)),
            queries=tuple(rng.sample(made.queries, 3)),
        )
        again = improved(other, most=5, work={"fast": 20.0, "other": 0.9})
        assert in_store(again.recommended.plan) == in_store(found.recommended.plan)
        assert again.end is found.end
        assert len(again.rounds) == len(found.rounds)


def test_no_plan_is_recommended_that_is_slower_than_one_measured_beside_it(monkeypatch):
    monkeypatch.setattr(infeasible, "reason", lambda problem: "No placement fits.")
    improvements = 0
    for seed in range(25):
        rng = random.Random(seed)
        made = random_problem(rng)
        truth = {
            "work": {each.name: 10 ** rng.uniform(-1, 1) for each in made.stores},
            "rest": rng.uniform(0.5, 2),
            "at_the_same_time": rng.random() < 0.5,
        }
        try:
            first = [Optimal()(made)]
        except InfeasibleError:
            continue
        found = improved(made, first=first, most=4, **truth)
        assert found.recommended is not None
        assert found.recommended.plan.feasible
        for each in found.rounds:
            if found.recommended in each.measurements.candidates:
                took = [c.measured_s for c in each.measurements.candidates if c.plan.feasible]
                assert found.recommended.measured_s == min(took)
        (start,) = found.rounds[0].measurements.candidates
        if not made.constraints.latency_s:
            assert found.recommended.measured_s <= start.measured_s
        improvements += found.recommended.measured_s < start.measured_s
    assert improvements
