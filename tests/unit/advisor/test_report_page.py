"""The page of a measured comparison."""

import re
from dataclasses import replace

import pytest

from advisor.figures import NONE, candidate_name, seconds
from advisor.report import terminal
from advisor.report.documents import plan_json as documents
from advisor.report.html import render
from evaluation.measuring.literals import MeasuredLiterals
from evaluation.measuring.measurement import QueryOutcome
from evaluation.measuring.prediction_quality import prediction_quality
from tests.unit.advisor import demo_tables
from tests.unit.advisor import measurements as made
from tests.unit.advisor.printed import text_of


@pytest.fixture(scope="module")
def page():
    return render(made.demo(), demo_tables.setting())


def test_the_page_names_every_candidate_query_store_and_table(page):
    names = [candidate_name(strategy) for strategy in made.placements()]
    used = sorted(demo_tables.graph().tables)
    missing = [
        n for n in (*names, *demo_tables.QUERIES, *demo_tables.CAPACITIES, *used) if n not in page
    ]
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
    page = render(measured, demo_tables.setting())
    assert evil not in page
    assert "&lt;script&gt;" in page


def test_a_page_without_a_verified_candidate_says_so():
    failed = dict.fromkeys(demo_tables.QUERIES, (QueryOutcome.FAILED, "refused"))
    page = render(
        made.measurements([made.candidate("naive", (1.0,), failed=failed)]), demo_tables.setting()
    )
    assert "No candidate is recommended" in page
    assert "No candidate was verified" in page


def test_ninety_nine_queries_and_twelve_candidates_are_all_there():
    page = render(made.demo(99, 4), demo_tables.setting(99))
    assert page.count("<details") == 12
    assert all(f">{query}<" in page for query in demo_tables.queries(99))


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
    page = render(found, demo_tables.setting())
    assert "has no part in the total of any candidate" in page
    assert unverified(page).count("not determined: LIMIT without a total order") == 1


def unverified(page):
    """Return the table of the queries that did not verify."""
    return page.partition("Queries that did not verify</h2>")[2].partition("</table>")[0]


def test_the_same_failure_of_all_candidates_is_one_row_and_others_name_theirs():
    failed = {"q9": (QueryOutcome.FAILED, "no such function")}
    late = {"q9": (QueryOutcome.TIMEOUT, "late")}
    names = ("naive", "optimal", "proximity")

    def page_of(*of_each):
        made_of = zip(names, of_each, strict=True)
        found = [made.candidate(name, (6.0, 6.1), failed=each) for name, each in made_of]
        return unverified(render(made.measurements(found), demo_tables.setting()))

    assert page_of(failed, failed, failed).count("no such function") == 1
    page = page_of(failed, failed, late)
    assert page.count("no such function") == 1
    assert ">naive, optimal</td>" in page or ">optimal, naive</td>" in page


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
    page = render(bare, demo_tables.setting())
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
    page = render(short, demo_tables.setting())
    assert "which no fragment reached" in page
    assert '<td class="name">rows</td>' in page
    assert '<td class="name">seconds</td>' not in page
    shown = text_of(terminal.ranking_text(short, "Do this."))
    (line,) = (line for line in shown.splitlines() if "seconds in a store" in line)
    assert line.split()[-4:] == ["0", NONE, NONE, NONE]


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
    page = render(found, demo_tables.setting())
    assert '<td class="l">q1</td><td class="l">from the log</td><td>1</td>' in page
    assert '<td class="l">q9</td><td class="l">from statistics</td><td>3</td>' in page
    assert why in page
    document = documents.measurements_document(found, sentence="", report="", tracking_run=None)
    assert document["literals"][1] == {
        "query": "q9", "source": "statistics", "sets": 3, "reason": "",
    }  # fmt: skip
    assert "Literals" not in render(made.demo(), demo_tables.setting())
