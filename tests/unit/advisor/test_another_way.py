"""Reports tell which verified answers came about otherwise than planned."""

from dataclasses import replace

import pytest

from advisor.report import terminal
from advisor.report.parts.another_way import MOST_NAMED, answered_otherwise
from evaluation.measuring.measurement import Measurements
from evaluation.running.executed import Execution
from tests.unit.advisor import demo_tables
from tests.unit.advisor import measurements as made
from tests.unit.advisor.printed import text_of
from tests.unit.advisor.test_report_page import render

REFUSED = "Spark took part instead, after Store 'pg': too many connections"
DONE = Execution(columns=(), rows=(), seconds=1.0, moved={})


def told(found: Measurements, said: dict[str, str]) -> Measurements:
    """The measurements, whose queries in `said` have these messages."""
    candidates = tuple(
        replace(
            each,
            queries=tuple(
                replace(query, message=said.get(query.query, query.message))
                for query in each.queries
            ),
        )
        for each in found.candidates
    )
    return replace(found, candidates=candidates)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (DONE, ""),
        (replace(DONE, by_spark="Store 'pg': too many connections"), REFUSED),
        (
            replace(DONE, second_try="'x' is no number", by_spark="Store 'pg': gone"),
            "answered over whole tables, after 'x' is no number",
        ),
    ],
)
def test_another_way_is_told_with_its_reason(run: Execution, said: str):
    assert run.otherwise == said


def test_a_way_is_told_once_with_its_queries():
    found = made.demo(10)
    names = list(demo_tables.queries(10))
    assert answered_otherwise(found) == ()
    assert "not answered as planned" not in text_of(terminal.ranking_text(found, ""))
    several = told(found, dict.fromkeys(names[: MOST_NAMED + 2], REFUSED))
    (sentence,) = answered_otherwise(several)
    assert sentence == f"{', '.join(names[:MOST_NAMED])} and 2 more: {REFUSED}"
    shown = " ".join(text_of(terminal.ranking_text(several, "")).split())
    assert f"Verified, but not answered as planned {sentence}" in shown
    page = render(several, demo_tables.setting(10))
    assert "<h2>Verified, but not answered as planned</h2>" in page
    assert "and 2 more: Spark took part instead" in page


def test_what_did_not_verify_is_a_failure_and_no_other_way():
    failed = {"q1": (made.QueryOutcome.FAILED, "Store 'pg': gone")}
    found = made.measurements([made.candidate("naive", (1.0,), failed=failed)])
    assert answered_otherwise(found) == ()
