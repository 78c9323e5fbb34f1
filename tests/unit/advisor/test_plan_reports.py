import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console

from advisor.report.documents import plan_json as documents
from advisor.report.parts.plan_facts import plan_facts
from advisor.report.text.plan_text import costs_text, facts_text, outcome_text
from placement.constraints.usage import Unit, Usage
from placement.plan import Outcome
from placement.reasons.breakdown import CostKind
from placement.reasons.copies import CopyGain
from placement.routing.routing import plan_for
from tests.unit.placement.problems import problem, query, store

TABLES = {"orders": 4_000, "item": 500, "date": 100}
QUERIES = (
    query("q1", ("orders", "item"), executions=3.0, whole=False),
    query("q2", ("orders", "date"), executions=10.0),
)


def placed(**changes):
    stores = (store("pg", 4_100, storage=0.001), store("maria", transfer=0.01), store("duck"))
    asked = problem(TABLES, stores, QUERIES, max_copies=2, **changes)
    placement = {"orders": ("pg",), "item": ("maria",), "date": ("maria", "pg")}
    return asked, plan_for(asked, "by_hand", placement)


def text_of(renderable, width=120):
    stream = io.StringIO()
    Console(file=stream, width=width).print(renderable)
    return " ".join(stream.getvalue().split())


def test_an_optimal_plan_is_called_the_cheapest():
    _, plan = placed()
    optimal = replace(plan, outcome=Outcome.OPTIMAL, bound_s=plan.predicted_s)
    assert "'by_hand' is OPTIMAL" in str(outcome_text(optimal))
    assert "no plan that keeps all limits is cheaper." in str(outcome_text(optimal))


def test_another_plans_bound_says_how_much_could_be_saved():
    _, plan = placed()
    other = replace(plan, strategy="optimal", bound_s=plan.predicted_s * 0.75)
    assert "at most 25 % could be saved" in str(outcome_text(plan, [plan, other]))
    assert "no lower bound is known" in str(outcome_text(plan, [plan]))


def test_a_plan_that_breaks_a_limit_says_which_and_claims_no_bound():
    _, plan = placed()
    broken = replace(plan, outcome=Outcome.INFEASIBLE, violations=("Store 'pg' is too full.",))
    assert str(outcome_text(broken)).endswith("but it breaks limits: Store 'pg' is too full.")


def test_costs_are_shown_by_kind_and_store_with_what_is_there_alone():
    shown = text_of(costs_text(plan_facts(*placed()).costs))
    assert "pg maria all share" in shown  # nothing runs in duck
    for kind in ("start", "scan", "transfer", "engine", "bytes moved", "money a month, storage"):
        assert kind in shown
    assert "migration" not in shown
    assert "overlap" not in shown


def test_overlap_is_taken_off_and_migration_is_shown_where_there_is_any():
    current = {"orders": ("pg",), "item": ("pg",), "date": ("pg",)}
    shown = text_of(costs_text(plan_facts(*placed(objective="latency", current=current)).costs))
    assert "migration" in shown
    assert "overlap -" in shown


def test_copies_and_full_stores_are_listed():
    facts = plan_facts(*placed())
    gaining = tuple(replace(each, gain_s=1.0) for each in facts.copies)
    shown = text_of(facts_text(replace(facts, copies=gaining)))
    assert "1 table in several stores, and what it gains by it" in shown
    assert "date maria, pg 100 B 1.00 pg" in shown
    assert "[stores.pg].capacity 4.1 kB 4.1 kB" in shown
    bare = text_of(facts_text(replace(facts, copies=(), binding=())))
    assert "several stores" not in bare
    assert "used up" not in bare
    unknown = text_of(facts_text(replace(facts, copies=None)))
    assert "The gains of copies are not known: [place].time_limit_s" in unknown


def test_the_smallest_gains_of_many_copies_are_summed_up_and_what_is_needed_says_so():
    facts = plan_facts(*placed())
    gains = [
        CopyGain(
            table=f"t{i}",
            stores=("maria", "pg"),
            copy_bytes=8,
            gain_s=None if i == 0 else 20.0 - i,
            best="pg",
        )
        for i in range(20)
    ]
    shown = text_of(facts_text(replace(facts, copies=tuple(gains))))
    assert "t0 maria, pg 8 B needed" in shown
    assert "and 5 more, each gaining at most 5.00 s" in shown


def copies_of(*gains):
    facts = plan_facts(*placed())
    found = (
        CopyGain(table=f"t{i}", stores=("maria", "pg"), copy_bytes=8, gain_s=gain_s, best="pg")
        for i, gain_s in enumerate(gains)
    )
    return text_of(facts_text(replace(facts, copies=tuple(found))))


def test_copies_that_gain_nothing_are_counted_and_those_that_lose_are_shown():
    shown = copies_of(4.2, 0.0, -0.0001, 0.0004, -2.5)
    assert "t0 maria, pg 8 B 4.20" in shown
    assert "t4 maria, pg 8 B -2.50" in shown
    assert "3 more gain nothing" in shown
    assert not re.search(r"\bt[123]\b", shown)
    assert "1 more gains nothing" in copies_of(4.2, 0.0)
    assert "None of the 2 gains anything" in copies_of(0.0, -0.0001)
    assert "It gains nothing" in copies_of(-0.0001)
    assert "-0.000" not in copies_of(4.2, -0.0001)


def test_more_needed_copies_than_there_are_lines_are_counted():
    assert "and 3 more, 2 of them needed" in copies_of(*[None] * 17, 1.0)


@pytest.mark.parametrize("unit", list(Unit))
def test_every_unit_of_a_limit_can_be_written(unit):
    facts = plan_facts(*placed())
    usage = Usage(key="[constraints].x", used=1.0, most=1.0, unit=unit)
    assert "[constraints].x" in text_of(facts_text(replace(facts, binding=(usage,))))


def test_the_tables_fit_eighty_columns():
    stream = io.StringIO()
    Console(file=stream, width=80).print(facts_text(plan_facts(*placed())))
    assert max(map(len, stream.getvalue().splitlines())) <= 80


def test_the_document_adds_costs_copies_and_limits_to_the_plan():
    asked, plan = placed()
    facts = plan_facts(asked, plan)
    document = documents.plan_document(plan, [plan], facts)
    costs = document["costs"]
    assert set(costs) == {"by_store", "by_kind", "overlap_s", "money_month", "bytes_moved"}
    assert set(costs["by_kind"]) == {str(kind) for kind in CostKind}
    assert sum(costs["by_kind"].values()) == pytest.approx(plan.predicted_s)
    by_store = sum(sum(kinds.values()) for kinds in costs["by_store"].values())
    assert by_store == pytest.approx(plan.predicted_s)
    assert costs["money_month"]["pg"]["storage"] == pytest.approx(4.1)
    assert costs["bytes_moved"]["duck"] == 0
    assert [each["table"] for each in document["copies"]] == ["date"]
    assert document["binding"][0]["key"] == "[stores.pg].capacity"
    json.dumps(document, allow_nan=False)
