"""Reports in the terminal and as JSON."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.figures import (
    NONE,
    count,
    multiple,
    seconds,
    signed_percent,
    size,
    spread,
)
from advisor.report import terminal
from advisor.report.documents import plan_json as documents
from advisor.report.output import Output
from advisor.report.text import analysis_text
from evaluation.tracking.track import TrackedRun
from tests.unit.advisor import demo_tables
from tests.unit.advisor import measurements as made
from tests.unit.advisor.printed import text_of


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("number", [10, 99])
def test_the_matrix_fits_the_terminal_and_marks_every_use(width, number):
    graph = demo_tables.graph(number)
    lines = text_of(analysis_text.matrix(graph, width), width).splitlines()
    assert max(map(len, lines)) <= width
    marks = sum(line.count("●") for line in lines)
    assert marks == sum(len(tables) for tables in graph.queries.values())


def test_ten_queries_take_one_line_a_table():
    lines = text_of(analysis_text.matrix(demo_tables.graph(), 80), 80).splitlines()
    assert len(lines) == 1 + len(demo_tables.graph().tables)


def test_the_ranking_shows_failures_references_and_the_sentence():
    shown = text_of(terminal.ranking_text(made.demo(), "Do this."))
    assert "Do this." in shown
    assert "(pg alone)" in shown
    assert "paper_partition_1 q9 timeout: Query q9 ran over its 120 s." in shown
    order = [shown.index(name) for name in ("(duck alone)", "optimal", "naive", "(maria alone)")]
    assert order == sorted(order)


def test_the_ranking_keeps_one_line_a_candidate_at_eighty_columns():
    shown = text_of(terminal.ranking_text(made.demo(), ""), 80).splitlines()
    assert sum("/10" in line for line in shown) == len(made.placements())
    assert any(line.split()[0] == "(paper_partition_1)" for line in shown if line.strip())


def test_the_candidates_are_shown_with_the_limits_they_break():
    plans = [candidate.plan for candidate in made.demo().candidates]
    shown = " ".join(text_of(terminal.plans_text(plans)).split())
    assert "optimal OPTIMAL 2.48 2.48 0.0% kept" in shown
    assert "Store 'duck' would hold" in shown
    assert "advisor place -s NAME" in shown


def test_of_many_broken_limits_the_table_has_the_first_and_how_many_more_there_are():
    broken = tuple(f"Limit {number} is broken: way {number} out." for number in range(9))
    plan = replace(made.candidate("naive", (1.0,)).plan, violations=broken)
    shown = " ".join(text_of(terminal.plans_text([plan])).split())
    assert "Limit 0 is broken, and 8 more" in shown
    assert "Limit 1" not in shown
    assert "way 0 out" not in shown


def test_the_strategies_that_were_left_out_are_named_with_what_they_need():
    plans = [candidate.plan for candidate in made.demo().candidates]
    left_out = terminal.plans_text(plans, {"paper_partition_1": "mysql"})
    named = "Left out: paper_partition_1, which needs a store of kind mysql."
    assert named in " ".join(text_of(left_out).split())
    assert "Left out" not in text_of(terminal.plans_text(plans))


def test_what_the_time_limit_cut_is_said_below_the_candidates():
    plans = [candidate.plan for candidate in made.demo().candidates]
    plans[0] = replace(plans[0], cut="[place].time_limit_s of 5 s cut its search for moves")
    late = {"greedy": "[place].time_limit_s of 5 s cut it"}
    shown = " ".join(text_of(terminal.plans_text(plans, {}, late)).split())
    assert "Left out: greedy: [place].time_limit_s of 5 s cut it." in shown
    assert "pg alone: [place].time_limit_s of 5 s cut its search for moves." in shown
    document = documents.plan_document(plans[0], plans, unmade=late)
    assert (document["cut"], document["unmade"]) == (plans[0].cut, late)


def test_the_placement_is_listed_by_store_with_copies_starred():
    plan = made.candidate("optimal", (1.0,)).plan
    shown = " ".join(text_of(terminal.placement_text(plan, demo_tables.BYTES)).split())
    assert "date_dim*" in shown
    assert "duck 17.4 MB 4 web_sales" in shown


def test_the_json_documents_have_their_documented_keys():
    demo = made.demo()
    plans = [candidate.plan for candidate in demo.candidates]
    placed = documents.plan_document(plans[-1], plans)
    keys = "strategy outcome predicted_s bound_s gap placement routing baselines"
    assert set(keys.split()) <= set(placed)
    assert placed["baselines"]["naive"] == pytest.approx(5.28)
    assert placed["routing"]["q1"][0]["store"] == "pg"
    measured = documents.measurements_document(demo, sentence="s", report="r", tracking_run="t")
    assert measured["recommended"] == "optimal"
    keys = "strategy feasible placement predicted_s measured_s spread_s queries"
    assert set(keys.split()) <= set(measured["candidates"][0])
    keys = "name outcome measured_s rows_moved bytes_moved"
    assert set(keys.split()) <= set(measured["candidates"][0]["queries"][0])
    failed = {c["strategy"]: c for c in measured["candidates"]}["paper_partition_1"]
    assert failed["measured_s"] is None
    for document in (placed, measured):
        json.dumps(document, allow_nan=False)


def test_what_an_engine_did_not_tell_is_null_and_not_0():
    candidate = made.candidate("optimal", (1.0,))
    silent = replace(candidate.queries[0], exchanges=None, shuffle_bytes=None)
    measured = made.measurements([replace(candidate, queries=(silent,))])
    shown = documents.measurements_document(measured, sentence="", report="", tracking_run=None)
    (query,) = shown["candidates"][0]["queries"]
    assert query["exchanges"] is query["shuffle_bytes"] is None
    assert query["shuffle_records"] == 12_000


def test_rows_that_a_tracked_run_does_not_tell_are_no_0():
    parent = TrackedRun(run_id="1", parent=None, name="w", started_at="", params={}, metrics={})
    nested = replace(parent, run_id="2", parent="1", name="naive")
    shown = text_of(terminal.tracked_text([parent, nested])).splitlines()
    assert ["naive", *(NONE for _ in range(4))] in [line.split() for line in shown]


@pytest.mark.parametrize(
    ("name", "params"),
    [("pg alone", {"strategy": "single_store:pg"}), ("single_store:pg", {})],
    ids=["now", "of an earlier version"],
)
def test_the_recommended_candidate_stands_out_among_tracked_runs(name, params):
    recommended = {"recommended": "single_store:pg"}
    parent = TrackedRun(
        run_id="1", parent=None, name="w", started_at="", params=recommended, metrics={}
    )
    nested = replace(parent, run_id="2", parent="1", name=name, params=params)
    table = terminal.tracked_text([parent, nested]).renderables[-1]
    assert [row.style for row in table.rows] == ["bold green"]
    assert "pg alone" in text_of(table)


def test_an_address_is_on_one_line_however_narrow_the_terminal(capsys):
    address = f"http://127.0.0.1:5000/#/{'x' * 300}"
    Output(as_json=False).show_lines(terminal.ui_lines("http://a", address, None))
    assert address in capsys.readouterr().out.splitlines()


def test_figures_are_written_with_their_units():
    assert [seconds(v) for v in (None, 0.0012, 2.345, 23.45, 1234.5)] == [
        "\N{EN DASH}",
        "0.001",
        "2.35",
        "23.4",
        "1,234",
    ]
    assert [seconds(v) for v in (-0.0001, -0.002, -2.345, -1234.5)] == [
        "0.000",
        "-0.002",
        "-2.35",
        "-1,234",
    ]
    assert [spread(v) for v in (0.0, 0.204, 3.0)] == ["<0.01", "0.20", "3.00"]
    assert [signed_percent(v) for v in (-0.004, 0.004, 0.0, -0.006, 0.2)] == [
        "0 %",
        "0 %",
        "0 %",
        "\N{MINUS SIGN}1 %",
        "+20 %",
    ]
    assert [multiple(v) for v in (1.004, 1.04, 1.66, 12.3, 123.4)] == [
        "1.00",
        "1.04",
        "1.7",
        "12",
        "123",
    ]
    assert [size(v) for v in (12, 1500, 47_238_560, 3e12)] == [
        "12 B",
        "1.5 kB",
        "47.2 MB",
        "3.0 TB",
    ]
    assert [count(v) for v in (0, 999, 1200, 2_880_404)] == ["0", "999", "1.2 k", "2.88 M"]


def test_the_ranking_says_how_near_the_predictions_were():
    shown = text_of(terminal.ranking_text(made.demo(), "Do this."))
    assert "Kendall's tau-b over 7 candidates: 1.00" in shown
    assert "proximity \N{MINUS SIGN}20 %" in shown
    assert "rows out of a store" in shown
    assert "seconds in a store" in shown
    assert shown.index("tau-b") < shown.index("Do this.")


def test_measured_fragments_are_documented_beside_their_predictions():
    shown = documents.measurements_document(made.demo(), sentence="", report="r", tracking_run=None)
    query = shown["candidates"][0]["queries"][0]
    (fragment,) = query["fragments"]
    assert fragment["predicted_rows"] == 100
    assert fragment["seconds"] == pytest.approx(fragment["execute_s"] + fragment["fetch_s"])
    assert query["stores_s"] == {fragment["store"]: fragment["seconds"]}
    assert query["engine_s"] == 0.05
    assert shown["predictions"]["kendall_tau_b"] == 1
    assert len(shown["predictions"]["rows"]["worst"]) == 5
    json.dumps(shown)


def test_documented_keys_are_those_of_the_documents():
    text = (Path(__file__).parents[3] / "docs" / "json.md").read_text()
    shown = documents.measurements_document(made.demo(), sentence="", report="r", tracking_run=None)
    query = shown["candidates"][0]["queries"][0]
    keys = {*shown, *query, *query["fragments"][0], *shown["predictions"]["rows"]}
    assert {key for key in keys if not re.search(rf"\b{key}\b", text)} == set()
