import random
from dataclasses import replace

import pytest

from evaluation.measuring.prediction_quality import (
    LEAST_S,
    compared_fragments,
    kendall_tau_b,
    prediction_quality,
    q_error,
    quantile,
    seconds_q_error,
)
from tests.unit.advisor import measurements as made


@pytest.mark.parametrize(
    ("left", "right", "tau"),
    [
        ([1, 2, 3, 4], [10, 20, 30, 40], 1.0),
        ([1, 2, 3, 4], [40, 30, 20, 10], -1.0),
        # six pairs, one of them discordant
        ([1, 2, 3, 4], [1, 2, 4, 3], 4 / 6),
        # six pairs: one tied left, another tied right, the other four concordant
        ([1, 1, 2, 3], [1, 2, 3, 3], 4 / (5 * 5) ** 0.5),
        # six pairs: two tied left, another tied right, the other three concordant
        ([1, 1, 2, 2], [1, 2, 2, 3], 3 / (4 * 5) ** 0.5),
    ],
)
def test_tau_b_is_as_computed_by_hand(left, right, tau):
    assert kendall_tau_b(left, right) == pytest.approx(tau)
    assert kendall_tau_b(right, left) == pytest.approx(tau)


@pytest.mark.parametrize(("left", "right"), [([], []), ([1], [2]), ([1, 1], [1, 2])])
def test_series_without_an_order_have_no_tau(left, right):
    assert kendall_tau_b(left, right) is None


def test_a_q_error_is_the_larger_factor_either_way():
    assert q_error(200, 100, least=1) == q_error(50, 100, least=1) == 2
    assert q_error(0, 0, least=1) == 1
    assert q_error(0.2, 4, least=1) == 4


def test_seconds_of_a_connection_and_a_task_are_not_compared():
    assert seconds_q_error(0.06, 0.000001) is None
    assert seconds_q_error(0.145, 0.001) == pytest.approx(0.145 / LEAST_S)
    assert seconds_q_error(0.001, 4) == pytest.approx(4 / LEAST_S)
    assert seconds_q_error(0.5, 2) == 4


def test_quantiles_are_values_that_were_seen():
    values = list(range(1, 11))
    assert quantile(values, 0.5) == 5
    assert quantile(values, 0.9) == 9
    assert quantile([3.0], 0.9) == 3


def measured(factors):
    """One candidate whose fragments hand out so many times what was predicted, in turn."""
    candidate = made.candidate("optimal", (3.0,))
    turn = iter(factors * 100)
    queries = tuple(
        replace(
            query,
            fragments=tuple(
                replace(
                    made.measured_fragment(index, routed),
                    rows=round(routed.fragment.work.rows_out * next(turn)),
                )
                for index, routed in enumerate(candidate.plan.routing[query.query])
            ),
        )
        for query in candidate.queries
    )
    return replace(candidate, queries=queries)


def test_the_worst_fragments_come_first_and_each_once():
    one = measured([1, 2, 8])
    twice = replace(one, plan=replace(one.plan, strategy="again"))
    quality = prediction_quality(made.measurements([one, twice]))
    errors = [each.rows_q_error for each in quality.rows.worst]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] == quality.rows.largest == 8
    names = [(each.name, each.store) for each in quality.rows.worst]
    assert len(set(names)) == len(names) == 5
    assert (
        quality.rows.number
        == len(quality.fragments)
        == 2 * sum(len(query.fragments) for query in one.queries)
    )


def test_the_median_and_the_tail_are_those_of_all_fragments():
    quality = prediction_quality(made.measurements([measured([1] * 8 + [3, 3])]))
    assert quality.rows.median == 1
    assert quality.rows.p90 == quality.rows.largest == 3


def test_short_fragments_have_no_part_in_the_quantiles_of_seconds():
    def taking(predicted_s, measured_s):
        candidate = made.candidate("single_store:pg", (3.0,))
        (query, *_) = candidate.queries
        (routed,) = candidate.plan.routing[query.query]
        plan = replace(
            candidate.plan, routing={query.query: (replace(routed, predicted_s=predicted_s),)}
        )
        (fragment,) = query.fragments
        found = replace(fragment, execute_s=measured_s, fetch_s=0.0)
        return replace(candidate, plan=plan, queries=(replace(query, fragments=(found,)),))

    several = [taking(0.04, 0.0003)] * 8 + [taking(0.5, 1.0)]
    quality = prediction_quality(made.measurements(several))
    assert quality.rows.number == len(quality.fragments) == 9
    assert quality.seconds.number == 1
    assert quality.seconds.median == quality.seconds.largest == 2
    assert prediction_quality(made.measurements(several[:8])).seconds is None


def test_what_was_not_read_or_ran_elsewhere_is_not_compared():
    candidate = made.candidate("optimal", (3.0,))
    query = next(each for each in candidate.queries if len(each.fragments) > 1)
    first, second, *others = query.fragments
    unread = replace(query, fragments=(replace(first, partitions=0, rows=0), second, *others))
    moved = replace(query, fragments=(replace(first, store="elsewhere"), second, *others))
    for changed in (unread, moved):
        found = list(compared_fragments(candidate, changed))
        assert [each.name for each in found] == [each.name for each in query.fragments[1:]]


def test_the_engines_share_is_no_part_of_a_fragments_prediction():
    candidate = made.candidate("single_store:pg", (3.0,))
    name = candidate.queries[0].query
    (routed,) = candidate.plan.routing[name]
    routing = {**candidate.plan.routing, name: (replace(routed, predicted_s=0.5, engine_s=0.2),)}
    changed = replace(candidate, plan=replace(candidate.plan, routing=routing))
    (found,) = compared_fragments(changed, changed.queries[0])
    assert found.predicted_s == pytest.approx(0.3)


def test_candidates_are_compared_where_they_verified_and_in_what_order():
    quality = prediction_quality(made.demo())
    assert "paper_partition_1" not in {each.candidate for each in quality.candidates}
    assert quality.tau == 1
    optimal = next(each for each in quality.candidates if each.candidate == "optimal")
    assert optimal.relative_error == pytest.approx(2.48 / 3.2 - 1)


def test_a_run_without_fragments_has_no_q_errors_but_an_order():
    bare = tuple(
        replace(each, queries=tuple(replace(query, fragments=()) for query in each.queries))
        for each in made.demo().candidates
    )
    quality = prediction_quality(made.measurements(bare))
    assert quality.rows is quality.seconds is None
    assert quality.tau == 1


def test_tau_agrees_with_its_definition_on_random_series():
    draw = random.Random(0)
    for _ in range(50):
        size = draw.randint(2, 9)
        left = [draw.randint(0, 4) for _ in range(size)]
        right = [draw.randint(0, 4) for _ in range(size)]
        pairs = [(i, j) for i in range(size) for j in range(i)]
        signs = [
            ((left[i] > left[j]) - (left[i] < left[j]))
            * ((right[i] > right[j]) - (right[i] < right[j]))
            for i, j in pairs
        ]
        tied_left = sum(left[i] == left[j] for i, j in pairs)
        tied_right = sum(right[i] == right[j] for i, j in pairs)
        below = ((len(pairs) - tied_left) * (len(pairs) - tied_right)) ** 0.5
        found = kendall_tau_b(left, right)
        assert found is None if below == 0 else found == pytest.approx(sum(signs) / below)
