import dataclasses

from advisor.report.parts.broken_limits import broken_limit
from advisor.report.recommendation import recommendation
from evaluation.measuring.measurement import QueryOutcome
from tests.unit.advisor import demo_tables
from tests.unit.advisor import measurements as made


def sentence(*candidates, repeats=3):
    return recommendation(made.measurements(candidates, repeats), demo_tables.setting())


def feasible_alone(strategy, seconds):
    """A single store that has room: the setting's capacities are for another one."""
    full = made.candidate(strategy, seconds)
    return dataclasses.replace(full, plan=dataclasses.replace(full.plan, violations=()))


def test_the_best_plan_is_compared_with_the_next_and_with_the_store_that_cannot_be_had():
    text = sentence(
        made.candidate("optimal", (3.1, 3.3, 3.2)),
        made.candidate("naive", (6.6, 6.8, 6.7)),
        made.candidate("single_store:pg", (2.4, 2.5, 2.6)),
    )
    assert text.startswith("Place as 'optimal': 3.20 s (spread 0.20 s) measured for the workload")
    assert "2.1 times faster than the best other feasible placement ('naive', 6.70 s)" in text
    told = (
        "Although faster, pg alone at 2.50 s (spread 0.20 s) is not recommended: it needs 1.7 "
        "times the capacity of pg."
    )
    assert text.endswith(told)


def test_a_plan_that_two_strategies_have_found_is_no_other_placement():
    best = made.candidate("optimal", (3.1, 3.3, 3.2))
    twin = dataclasses.replace(best, plan=dataclasses.replace(best.plan, strategy="throughput"))
    text = sentence(best, twin, made.candidate("naive", (6.6, 6.8, 6.7)))
    assert "2.1 times faster than the best other feasible placement ('naive', 6.70 s)" in text
    assert "no other placement that fits the stores was verified" in sentence(best, twin)


def test_every_reference_that_ranks_above_is_named_with_its_reason():
    failed = {"q9": (QueryOutcome.FAILED, "refused")}
    text = sentence(
        made.candidate("optimal", (5.1, 5.3, 5.2)),
        made.candidate("single_store:duck", (1.2, 1.1, 1.2)),
        made.candidate("single_store:pg", (2.9, 3.0, 3.1)),
        made.candidate("paper_partition_2", (4.0, 4.0, 4.1)),
        made.candidate("single_store:maria", (4.4, 4.4, 4.4)),
        made.candidate("paper_partition_1", (1.0,), failed=failed),
    )
    assert "Although faster, these are not recommended: duck alone (1.20 s) needs 5 times" in text
    assert "pg alone (3.00 s) needs 1.7 times the capacity of pg, 'paper_partition_2' (4" in text
    assert text.endswith("the capacity of pg, 1 other is infeasible too.")
    assert "paper_partition_1" not in text


def test_a_broken_limit_is_the_capacity_that_is_exceeded_most_or_the_first_sentence():
    plan = made.candidate("single_store:pg", (1.0,)).plan
    assert broken_limit(plan, demo_tables.setting()) == "needs 1.7 times the capacity of pg"
    tagged = dataclasses.replace(plan, violations=(*plan.violations, "a", "b"))
    assert broken_limit(tagged, demo_tables.setting()).endswith("of pg and breaks 2 more limits")
    narrow = {**demo_tables.CAPACITIES, "pg": demo_tables.TOTAL - 1}
    slight = broken_limit(plan, dataclasses.replace(demo_tables.setting(), capacities_bytes=narrow))
    assert slight == "needs slightly more than the capacity of pg"
    fits = dataclasses.replace(
        made.candidate("optimal", (1.0,)).plan,
        violations=("Table item is pinned to duck: move it, or unpin it.",),
    )
    assert (
        broken_limit(fits, demo_tables.setting()) == "breaks a limit (Table item is pinned to duck)"
    )
    kept = dataclasses.replace(plan, violations=())
    assert broken_limit(kept, demo_tables.setting()) == ""


def test_a_single_store_that_wins_is_recommended():
    text = sentence(
        feasible_alone("single_store:pg", (2.0, 2.1, 2.0)),
        made.candidate("optimal", (3.1, 3.3, 3.2)),
    )
    assert text.startswith("Keep every table in 'pg': 2.00 s")
    assert "1.6 times faster than the best feasible split over several stores ('optimal'" in text


def test_single_stores_alone_are_compared_with_each_other():
    text = sentence(
        feasible_alone("single_store:pg", (2.0, 2.1, 2.0)),
        feasible_alone("single_store:maria", (4.0, 4.1, 4.0)),
    )
    assert "2 times faster than the best other feasible placement (maria alone, 4.00 s)" in text


def test_a_difference_within_the_spread_is_not_called_faster():
    text = sentence(
        made.candidate("optimal", (3.0, 3.4, 3.2)), made.candidate("naive", (3.3, 3.3, 3.3))
    )
    assert "within the spread it is indistinguishable from" in text
    assert "faster than" not in text


def test_a_reference_that_the_rounds_cannot_tell_is_named_with_its_time():
    text = sentence(
        made.candidate("optimal", (3.0, 3.4, 3.2)),
        made.candidate("single_store:pg", (3.1, 3.2, 3.1)),
    )
    told = "Although the rounds do not tell it apart, pg alone at 3.10 s (spread 0.10 s) is not"
    assert told in text


def test_a_plan_that_beats_even_what_cannot_be_had_says_so():
    text = sentence(
        made.candidate("optimal", (1.0, 1.0, 1.1)),
        made.candidate("single_store:pg", (3.1, 3.2, 3.1)),
    )
    assert "Even pg alone, which is infeasible since it needs 1.7 times the capacity of pg" in text


def test_one_round_has_no_spread():
    assert "3.10 s (one round)" in sentence(made.candidate("optimal", (3.1,)), repeats=1)


def test_one_round_each_tells_apart_only_what_is_far_apart():
    near = sentence(made.candidate("optimal", (3.1,)), made.candidate("naive", (3.6,)))
    assert "within the spread it is indistinguishable from" in near
    far = sentence(made.candidate("optimal", (3.1,)), made.candidate("naive", (9.3,)))
    assert "3 times faster than the best other feasible placement ('naive', 9.30 s)" in far


def test_a_lone_candidate_is_compared_with_nothing():
    assert "no other placement that fits the stores was verified" in sentence(
        made.candidate("optimal", (3.1, 3.1, 3.1))
    )


def test_the_model_is_held_to_its_prediction():
    text = sentence(
        made.candidate("optimal", (5.1, 5.2, 5.2), predicted_s=1.0),
        made.candidate("naive", (3.1, 3.1, 3.1), predicted_s=2.0),
    )
    assert text.startswith("Place as 'naive'")
    assert "The model had expected 'optimal' to be fastest (it took 5.20 s)." in text


def test_an_expected_winner_that_did_not_verify_is_named():
    failed = {"q9": (QueryOutcome.WRONG, "rows differ")}
    text = sentence(
        made.candidate("optimal", (1.1, 1.1, 1.1), failed=failed),
        made.candidate("naive", (3.1, 3.1, 3.1)),
    )
    assert "expected 'optimal' to be fastest, which did not verify" in text


def test_nothing_is_recommended_where_nothing_verified():
    failed = {"q9": (QueryOutcome.FAILED, "refused")}
    text = sentence(made.candidate("naive", (1.1, 1.1, 1.1), failed=failed))
    assert text == (
        "No candidate is recommended: none answered every query rightly and in time "
        "('naive' 9 of 10 queries)."
    )


def test_nothing_is_recommended_where_only_references_verified():
    text = sentence(made.candidate("single_store:pg", (3.1, 3.2, 3.1)))
    assert text.startswith("No candidate is recommended: none that fits the stores")
    assert "pg alone did in 3.10 s (spread 0.10 s), but needs 1.7 times the capacity" in text


def test_nothing_measured_is_said():
    assert sentence() == "No candidate is recommended: none was measured."
