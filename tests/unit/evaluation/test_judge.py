"""Answers over tables whose rows are not here are compared with the first of them."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.judging.answer import Answer, AnswerColumn
from evaluation.judging.judge import Judge, in_place, judge_of
from evaluation.judging.oracle import Oracle
from evaluation.measuring.measurement import QueryOutcome
from placement.plan import Outcome, PlacementPlan
from tests.data_fixtures import statement
from tests.unit.evaluation.judged import catalog_of
from workloads.catalog import Catalog, Origin

COLUMNS = (AnswerColumn(name="n", type="BIGINT"), AnswerColumn(name="s", type="DOUBLE"))


def answer(*rows: tuple[object, ...]) -> Answer:
    return Answer(columns=COLUMNS, rows=rows)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """A table whose rows are here, and a live one whose are not."""
    found = catalog_of(tmp_path, {"t": "SELECT 7 AS n"})
    live = replace(
        found.table("t"),
        name="live",
        parquet=None,
        origin=Origin(store="pg", is_too_large=True),
    )
    return replace(found, tables={**found.tables, "live": live})


@pytest.fixture
def judge(catalog: Catalog) -> Judge:
    return Judge(oracle=Oracle(catalog), beyond=frozenset({"q", "cut"}))


def test_the_first_answer_is_that_of_all(judge: Judge) -> None:
    query = statement("SELECT n, s FROM live", "q")
    assert judge.verdict(query, answer((1, 0.5), (2, 0.25))).outcome is QueryOutcome.VERIFIED
    assert judge.verdict(query, answer((2, 0.25), (1, 0.5))).outcome is QueryOutcome.VERIFIED
    found = judge.verdict(query, answer((1, 0.5), (3, 0.25)))
    assert found.outcome is QueryOutcome.WRONG
    assert found.message.startswith("other than the answer of the placement that there is: ")
    # A wrong one is nobody's measure.
    assert judge.verdict(query, answer((1, 0.5), (2, 0.25))).outcome is QueryOutcome.VERIFIED


def test_other_rows_of_a_query_that_is_cut_may_tie(judge: Judge) -> None:
    query = statement("SELECT n, s FROM live ORDER BY n LIMIT 1", "cut")
    assert judge.verdict(query, answer((1, 0.5))).outcome is QueryOutcome.VERIFIED
    assert judge.verdict(query, answer((1, 0.75))).outcome is QueryOutcome.UNDETERMINED


def test_answers_over_rows_that_are_here_are_the_oracles(judge: Judge) -> None:
    query = statement("SELECT n FROM t", "other")
    right = Answer(columns=(AnswerColumn(name="n", type="INTEGER"),), rows=[(7,)])
    assert judge.verdict(query, replace(right, rows=[(8,)])).outcome is QueryOutcome.WRONG
    assert judge.verdict(query, right).outcome is QueryOutcome.VERIFIED


def test_queries_on_the_large_table_are_beyond_the_oracle(catalog: Catalog) -> None:
    plans = [plan(live=("pg",)), plan(live=("pg",), t=("duck", "pg"))]
    assert judge_of(Oracle(catalog), catalog, plans).beyond == {"reads live"}
    assert in_place(catalog, plans[0])
    assert not in_place(catalog, plan(live=("pg", "duck")))


def routed(table: str) -> tuple[Any, ...]:
    return (SimpleNamespace(fragment=SimpleNamespace(tables=frozenset({table}))),)


def plan(**placement: tuple[str, ...]) -> PlacementPlan:
    return PlacementPlan(
        strategy="s",
        outcome=Outcome.FEASIBLE,
        placement=placement,
        routing={"reads live": routed("live"), "reads t": routed("t")},
        predicted_s=0.0,
        seed=0,
    )
