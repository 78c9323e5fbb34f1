"""Reports of several clients: a table, what it says, and the figures as JSON and in MLflow."""

from dataclasses import replace

import pytest

from advisor.report import terminal
from advisor.report.documents import plan_json as documents
from advisor.report.html import render
from advisor.report.parts.throughput import throughput_sentences
from evaluation.measuring.measurement import ClosedLoop, LoopRound, Measurements, QueryOutcome
from evaluation.measuring.throughput import PairsApart, pairs_apart, percentiles
from evaluation.tracking.figures import SERIES, positions, series
from tests.unit.advisor import demo_tables
from tests.unit.advisor import measurements as made
from tests.unit.advisor.printed import text_of


def loop(clients: int, *per_s: float, predicted: float | None = 1.0) -> ClosedLoop:
    """100 queries, of 0.01 to 1 s, in a loop whose rounds were so fast."""
    seconds = tuple(number / 100 for number in range(1, 101))
    return ClosedLoop(
        clients=clients,
        outcome=QueryOutcome.VERIFIED,
        rounds=tuple(LoopRound(seconds=seconds[::-1], elapsed_s=100 / each) for each in per_s),
        predicted_per_s=predicted,
    )


def failed(clients: int) -> ClosedLoop:
    return ClosedLoop(
        clients=clients,
        outcome=QueryOutcome.TIMEOUT,
        predicted_per_s=1.5,
        query="q9",
        message="not done after 120 s: <raise> it.",
    )


def with_loops(**loops: tuple[ClosedLoop, ...]) -> Measurements:
    found = made.demo()
    named = {name.replace("_alone", ""): each for name, each in loops.items()}
    candidates = [
        replace(each, loops=named.get(each.plan.strategy.removeprefix("single_store:"), ()))
        for each in found.candidates
    ]
    return replace(found, candidates=tuple(candidates))


def said(measurements: Measurements) -> str:
    return " ".join(throughput_sentences(measurements))


def test_percentiles_are_nearest_ranks():
    assert percentiles(loop(1, 5.0)) == {"p50_s": 0.5, "p95_s": 0.95, "p99_s": 0.99}
    two = replace(loop(1, 5.0), rounds=(LoopRound(seconds=(0.4, 0.3), elapsed_s=0.7),))
    assert percentiles(two) == {"p50_s": 0.3, "p95_s": 0.4, "p99_s": 0.4}
    assert set(percentiles(failed(1)).values()) == {None}


def test_a_loop_that_failed_has_no_throughput():
    assert failed(2).queries_per_s is None
    assert loop(2, 5.0).queries_per_s == pytest.approx(5.0)


def test_one_sentence_tells_which_has_more_throughput_with_the_most_clients():
    found = with_loops(
        optimal=(loop(1, 1.0), loop(4, 6.0, predicted=3.0)),
        naive=(loop(1, 2.0), loop(4, 2.0, predicted=2.0)),
        maria_alone=(loop(1, 9.0), loop(4, 4.0)),
    )
    assert said(found) == (
        "With 4 clients 'optimal' answers 6.00 queries a second, 1.5 times as many as the best "
        "single store, maria alone (4.00, a reference), which their rounds do not tell apart. "
        "Kendall's tau-b of predicted and measured queries a second with 4 clients: 0.33 (1: same "
        "order). The rounds tell 2 of 3 pairs of candidates apart, 1 of them in the predicted "
        "order."
    )


def test_a_single_store_that_has_more_is_told():
    found = with_loops(
        optimal=(loop(2, 2.0, predicted=None),), duck_alone=(loop(2, 5.0, predicted=None),)
    )
    assert said(found) == (
        "With 2 clients duck alone (a reference) answers 5.00 queries a second, 2.5 times as "
        "many as the best placement over several stores, 'optimal' (2.00)."
    )


def test_where_one_side_has_no_throughput_that_is_told():
    found = with_loops(optimal=(loop(2, 2.0),), duck_alone=(failed(2),))
    assert "no single store has a throughput, but 'optimal' answers 2.00" in said(found)
    assert "no candidate that is compared has a throughput" in said(with_loops(naive=(failed(2),)))
    assert said(made.demo()) == ""


def test_the_reports_show_every_loop_and_why_one_has_no_figures():
    found = with_loops(optimal=(loop(1, 1.0, 1.25, 1.5), loop(4, 6.0)), naive=(failed(4),))
    shown = text_of(terminal.ranking_text(found, ""), 100)
    assert "Several clients at once" in shown
    assert "naive with 4: q9 timeout: not done after 120 s" in shown
    (line,) = (each for each in shown.splitlines() if each.split()[:2] == ["optimal", "1"])
    assert line.split() == ["optimal", "1", "1.25", "0.50", "3", "1.00", "0.500", "0.950", "0.990"]
    (line,) = (each for each in shown.splitlines() if each.split()[:2] == ["naive", "4"])
    assert line.split()[2:] == ["\N{EN DASH}", "\N{EN DASH}", "0", "1.50", *["\N{EN DASH}"] * 3]
    page = render(found, demo_tables.setting())
    assert "Several clients at once" in page
    assert "q9 timeout: not done after 120 s: &lt;raise&gt; it." in page
    assert "<td>4</td><td>6.00</td><td>\N{EN DASH}</td><td>1</td>" in page


def test_without_clients_nothing_of_it_is_in_the_reports():
    assert "Several clients" not in text_of(terminal.ranking_text(made.demo(), ""))
    assert "Several clients" not in render(made.demo(), demo_tables.setting())
    document = documents.measurements_document(
        made.demo(), sentence="", report="", tracking_run=None
    )
    assert document["throughput"] is None
    assert all(each["throughput"] == [] for each in document["candidates"])


def test_json_has_the_figures_and_none_of_what_failed():
    found = with_loops(optimal=(loop(4, 7.0, 5.0, 6.0),), naive=(failed(4),))
    document = documents.measurements_document(found, sentence="", report="", tracking_run=None)
    of = {each["strategy"]: each["throughput"] for each in document["candidates"]}
    (figures,) = of["optimal"]
    assert figures == {
        "clients": 4,
        "outcome": "verified",
        "rounds": 3,
        "queries": 100,
        "elapsed_s": pytest.approx(100 / 6),
        "queries_per_s": pytest.approx(6.0),
        "spread_queries_per_s": pytest.approx(2.0),
        "p50_s": 0.5,
        "p95_s": 0.95,
        "p99_s": 0.99,
        "predicted_queries_per_s": 1.0,
        "query": None,
        "message": "",
    }
    (figures,) = of["naive"]
    assert (figures["outcome"], figures["query"]) == ("timeout", "q9")
    names = (
        "queries",
        "elapsed_s",
        "queries_per_s",
        "spread_queries_per_s",
        "p50_s",
        "p95_s",
        "p99_s",
    )
    assert {figures[name] for name in names} == {None}
    assert figures["rounds"] == 0
    assert document["throughput"]["clients"] == 4
    assert document["throughput"]["pairs"] is None


def test_candidates_that_share_a_loop_are_one_in_the_pairs():
    shared, slower = loop(4, 6.0, 6.1, predicted=3.0), loop(4, 1.0, 1.1, predicted=2.0)
    found = with_loops(optimal=(shared,), maria_alone=(shared,), naive=(slower,))
    assert pairs_apart(found) == PairsApart(compared=1, apart=1, as_predicted=1)
    # Two of the same prediction have no order that could be right or wrong.
    tied = with_loops(optimal=(shared,), naive=(replace(slower, predicted_per_s=3.0),))
    assert pairs_apart(tied) is None
    document = documents.measurements_document(found, sentence="", report="", tracking_run=None)
    assert document["throughput"]["pairs"] == {"compared": 1, "apart": 1, "as_predicted": 1}


def test_pairs_within_the_noise_are_not_apart():
    close = with_loops(
        optimal=(loop(4, 6.0, 6.5, 5.5, predicted=3.0),),
        naive=(loop(4, 6.1, 5.4, 6.4, predicted=2.0),),
        proximity=(loop(4, 2.0, predicted=4.0),),
    )
    assert pairs_apart(close) == PairsApart(compared=3, apart=2, as_predicted=0)


def test_mlflow_has_the_figures_by_the_number_of_clients():
    found = with_loops(optimal=(loop(1, 1.25, 1.5, 1.0), loop(4, 6.0)), naive=(failed(4),))
    by_name = {each.plan.strategy: series(each, positions(found)) for each in found.candidates}
    optimal = by_name["optimal"]
    assert optimal["clients/queries_per_s"] == {1: 1.25, 4: 6.0}
    assert optimal["clients/spread_queries_per_s"] == {1: 0.5}
    assert optimal["clients/p95_s"] == {1: 0.95, 4: 0.95}
    assert by_name["naive"].get("clients/queries_per_s") is None
    assert by_name["naive"]["clients/predicted_queries_per_s"] == {4: 1.5}
    assert not any("clients/" in name for name in by_name["proximity"])
    assert optimal.keys() <= SERIES
