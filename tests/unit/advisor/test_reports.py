import io
import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from advisor.figures import (
    NONE,
    candidate_name,
    count,
    multiple,
    seconds,
    signed_percent,
    size,
    spread,
)
from advisor.report import terminal
from advisor.report.documents import plan_json as documents
from advisor.report.html import render
from advisor.report.output import Output
from advisor.report.pictures.charts import points, scatter_svg, typical_miss
from advisor.report.pictures.fragment_picture import ROWS, SECONDS, fragments_svg, store_colours
from advisor.report.pictures.groups import SHARED, UNUSED, groups
from advisor.report.pictures.placement_picture import placement_svg
from advisor.report.text import analysis_text
from evaluation.measuring.literals import MeasuredLiterals
from evaluation.measuring.measurement import QueryOutcome
from evaluation.measuring.prediction_quality import prediction_quality
from evaluation.tracking.track import TrackedRun
from tests.unit.advisor import measurements as made


def text_of(renderable, width=120):
    stream = io.StringIO()
    Console(file=stream, width=width).print(renderable)
    return stream.getvalue()


@pytest.fixture(scope="module")
def page():
    return render(made.demo(), made.setting())


def test_the_page_names_every_candidate_query_store_and_table(page):
    names = [candidate_name(strategy) for strategy in made.placements()]
    used = sorted(made.graph().tables)
    missing = [n for n in (*names, *made.QUERIES, *made.CAPACITIES, *used) if n not in page]
    assert missing == []


def test_the_page_needs_nothing_from_elsewhere(page):
    links = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"'\s)>]+)""", page)
    assert links == []
    assert "<script" not in page


def test_the_page_says_what_it_recommends_and_how_to_repeat_it(page):
    assert "Place as &#39;optimal&#39;: 3.20 s" in page
    assert "advisor run conf/demo.toml" in page
    assert "24 GiB" in page
    assert "pyspark 4.3.0" in page


def row_of(page, strategy):
    """The row of a candidate in the page's ranking, with its class."""
    rows = re.findall(r'<tr class="(\w*)">(.*?)</tr>', page, re.DOTALL)
    return next((kind, row) for kind, row in rows if f'<td class="name">{strategy}<' in row)


def test_a_reference_in_the_ranking_has_its_reason_and_no_place(page):
    kind, row = row_of(page, "pg alone")
    assert kind == "reference"
    assert "infeasible: needs 1.7 times the capacity of pg" in row
    assert '<td class="soft"></td>' in row
    kind, row = row_of(page, "optimal")
    assert kind == "best"
    assert "recommended" in row
    assert '<td class="soft">1</td>' in row
    assert '<td class="soft">2</td>' in row_of(page, "proximity")[1]


def test_the_conclusion_says_why_what_is_faster_is_not_recommended(page):
    header = page.partition("</header>")[0]
    assert "Although no slower, these are not recommended: duck alone (1.20 s) needs 5" in header
    assert "pg alone (3.00 s) needs 1.7 times the capacity of pg" in header


def test_errors_of_stores_are_shown_and_escaped(page):
    assert "column &lt;ss_sk&gt; &amp; co do not exist" in page
    assert "<ss_sk>" not in page
    for outcome in ("timeout", "failed", "wrong"):
        assert f'<td class="l bad">{outcome}</td>' in page


def test_names_of_tables_and_strategies_are_escaped():
    evil = '<script>alert("x")</script>'
    placed = {**made.placements()["naive"], evil: ("pg",)}
    measured = made.measurements([made.candidate(evil, (1.0, 1.1, 1.2), placement=placed)])
    page = render(measured, made.setting())
    assert evil not in page
    assert "&lt;script&gt;" in page


def test_a_page_without_a_verified_candidate_says_so():
    failed = dict.fromkeys(made.QUERIES, (QueryOutcome.FAILED, "refused"))
    page = render(
        made.measurements([made.candidate("naive", (1.0,), failed=failed)]), made.setting()
    )
    assert "No candidate is recommended" in page
    assert "No candidate was verified" in page


def test_ninety_nine_queries_and_twelve_candidates_are_all_there():
    page = render(made.demo(99, 4), made.setting(99))
    assert page.count("<details") == 12
    assert all(f">{query}<" in page for query in made.queries(99))


def test_a_placement_picture_is_a_picture_and_marks_what_is_over():
    over = made.candidate("single_store:duck", (1.0,)).plan
    fits = made.candidate("optimal", (1.0,)).plan
    for plan in (over, fits):
        ET.fromstring(placement_svg(plan, made.setting()))
    assert "118 MB over" in placement_svg(over, made.setting())
    assert "over</text>" not in placement_svg(fits, made.setting())
    assert "date_dim 10.3 MB, a copy" in placement_svg(fits, made.setting())


def test_returns_belong_to_their_sales_and_dimensions_to_several():
    of_table = groups(made.BYTES, made.graph())
    assert of_table["store_returns"] == "store_sales"
    assert of_table["date_dim"] == SHARED
    assert of_table["inventory"] == UNUSED


def test_the_scatter_is_logarithmic_only_where_the_figures_are_far_apart():
    assert "(logarithmic)" in scatter_svg(points(made.demo()))
    near = [made.candidate("optimal", (3.0,)), made.candidate("naive", (4.0,))]
    near_points = points(made.measurements(near))
    ET.fromstring(scatter_svg(near_points))
    assert "(logarithmic)" not in scatter_svg(near_points)
    assert typical_miss(near_points) == pytest.approx(1.25)
    assert scatter_svg(()) == ""
    assert typical_miss(()) is None


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("number", [10, 99])
def test_the_matrix_fits_the_terminal_and_marks_every_use(width, number):
    graph = made.graph(number)
    lines = text_of(analysis_text.matrix(graph, width), width).splitlines()
    assert max(map(len, lines)) <= width
    marks = sum(line.count("●") for line in lines)
    assert marks == sum(len(tables) for tables in graph.queries.values())


def test_ten_queries_take_one_line_a_table():
    lines = text_of(analysis_text.matrix(made.graph(), 80), 80).splitlines()
    assert len(lines) == 1 + len(made.graph().tables)


def test_the_ranking_shows_failures_references_and_the_sentence():
    shown = text_of(terminal.ranking_text(made.demo(), "Do this."))
    assert "Do this." in shown
    assert "(pg alone)" in shown
    assert "paper_partition_1 q9 timeout: Query q9 ran over its 120 s." in shown
    order = [shown.index(name) for name in ("(duck alone)", "optimal", "naive", "(maria alone)")]
    assert order == sorted(order)


def test_an_undetermined_query_is_told_once_and_has_no_part_in_what_is_compared():
    left_out = {"q9": (QueryOutcome.UNDETERMINED, "not determined: LIMIT without a total order")}
    found = made.measurements(
        [made.candidate(name, (6.0, 6.1), failed=left_out) for name in ("naive", "optimal")]
    )
    shown = text_of(terminal.ranking_text(found, ""))
    assert shown.count("q9 has no part in any candidate's seconds: not determined: LIMIT") == 1
    assert "did not verify" not in shown
    for each in found.candidates:
        assert each.verified
        assert each.measured_s is not None
        (query,) = (one for one in each.queries if one.query == "q9")
        expected = each.plan.predicted_s - query.executions * each.plan.query_s("q9")
        assert each.predicted_s == pytest.approx(expected)
        (document,) = (
            one
            for one in documents.measurements_document(
                found, sentence="s", report="r", tracking_run="t"
            )["candidates"]
            if one["strategy"] == each.plan.strategy
        )
        assert document["predicted_s"] == each.predicted_s
    page = render(found, made.setting())
    assert "has no part in the total of any candidate" in page


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
    shown = " ".join(text_of(terminal.placement_text(plan, made.BYTES)).split())
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


def test_the_page_compares_every_fragment_and_names_the_worst(page):
    quality = prediction_quality(made.demo())
    assert "Fragment by fragment" in page
    assert page.count('<circle class="k') == 2 * len(quality.fragments)
    worst = quality.seconds.worst[0]
    assert f"predicted {seconds(worst.predicted_s)}, measured {seconds(worst.measured_s)}" in page


def test_a_page_without_fragments_has_no_comparison_of_them():
    bare = replace(
        made.demo(),
        candidates=tuple(
            replace(each, queries=tuple(replace(query, fragments=()) for query in each.queries))
            for each in made.demo().candidates
        ),
    )
    page = render(bare, made.setting())
    assert "Fragment by fragment" not in page
    assert "Kendall" in page


def test_seconds_that_are_all_too_short_are_said_not_to_be_compared():
    demo = made.demo()
    short = replace(
        demo,
        candidates=tuple(
            replace(
                each,
                plan=replace(
                    each.plan,
                    routing={
                        name: tuple(replace(one, predicted_s=0.04) for one in routed)
                        for name, routed in each.plan.routing.items()
                    },
                ),
                queries=tuple(
                    replace(
                        query,
                        fragments=tuple(
                            replace(one, execute_s=0.0002, fetch_s=0.0001)
                            for one in query.fragments
                        ),
                    )
                    for query in each.queries
                ),
            )
            for each in demo.candidates
        ),
    )
    page = render(short, made.setting())
    assert "which no fragment reached" in page
    assert '<td class="name">rows</td>' in page
    assert '<td class="name">seconds</td>' not in page
    shown = text_of(terminal.ranking_text(short, "Do this."))
    (line,) = (line for line in shown.splitlines() if "seconds in a store" in line)
    assert line.split()[-4:] == ["0", NONE, NONE, NONE]


def test_the_picture_of_seconds_frames_what_is_too_short_to_be_compared():
    quality = prediction_quality(made.demo())
    colours = store_colours(quality.fragments)
    short = replace(quality.fragments[0], predicted_s=0.04, measured_s=0.002)
    drawn = ET.fromstring(fragments_svg([*quality.fragments, short], SECONDS, colours))
    (frame,) = (each for each in drawn.iter("rect") if each.get("class") == "uncompared")
    left, top = float(frame.get("x")), float(frame.get("y"))
    right, bottom = left + float(frame.get("width")), top + float(frame.get("height"))
    inside = {
        each.findtext("title")
        for each in drawn.iter("circle")
        if left <= float(each.get("cx")) <= right and top <= float(each.get("cy")) <= bottom
    }
    assert len(inside) == 1
    assert "predicted 0.040, measured 0.002" in inside.pop()
    assert "uncompared" not in fragments_svg(quality.fragments, ROWS, colours)


def test_the_fragments_picture_is_a_picture_and_escapes_names():
    quality = prediction_quality(made.demo())
    evil = replace(quality.fragments[0], query="<script>", measured_rows=0, measured_s=0.0)
    for what in (ROWS, SECONDS):
        drawn = fragments_svg([evil], what, store_colours([evil]))
        ET.fromstring(drawn)
        assert "<script>" not in drawn
        assert fragments_svg([], what, {}) == ""


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


def test_reports_tell_which_statements_got_literals_and_from_where():
    why = "parameter $2: the column that it is compared with cannot be told"
    literals = (
        MeasuredLiterals(query="q1", source="log", sets=1),
        MeasuredLiterals(query="q9", source="statistics", sets=3),
        MeasuredLiterals(query="q12", source="statistics", sets=2),
        MeasuredLiterals(query="q15", source=None, sets=0, reason=why),
    )
    found = replace(made.demo(), literals=literals)
    said = " ".join(text_of(terminal.ranking_text(found, "")).split())
    assert "1 statement has literals from the log for the parameters: q1." in said
    assert (
        "2 statements have literals from statistics for the parameters, in up to 3 sets: q9, q12."
    ) in said
    assert "1 statement has parameters for which no literals were found: q15." in said
    page = render(found, made.setting())
    assert '<td class="l">q1</td><td class="l">from the log</td><td>1</td>' in page
    assert '<td class="l">q9</td><td class="l">from statistics</td><td>3</td>' in page
    assert why in page
    document = documents.measurements_document(found, sentence="", report="", tracking_run=None)
    assert document["literals"][1] == {
        "query": "q9", "source": "statistics", "sets": 3, "reason": "",
    }  # fmt: skip
    assert "Literals" not in render(made.demo(), made.setting())
