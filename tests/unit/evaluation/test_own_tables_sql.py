"""Stores' own tables in the SQL that they get, and queries whose tables changed."""

from dataclasses import replace

import pytest
import sqlglot

from advisor.figures import live_tables
from advisor.report.documents.plan_json import measurements_document
from advisor.report.html import render
from advisor.report.text.direct_text import beside_direct, direct_totals
from evaluation.federation.own_tables import with_own_tables
from evaluation.federation.store_dialect import StoreDialect
from evaluation.measuring.live_measurement import DirectMeasurement, LiveTable
from evaluation.measuring.measurement import ClosedLoop, LoopRound, QueryOutcome
from evaluation.stale import with_stale
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.register import as_of, fingerprint_of, registered
from evaluation.table_statements import TableStatements
from tests.unit.advisor import demo_tables
from tests.unit.advisor import measurements as made
from workloads.catalog import Column, Origin, Table

CODES = Table(
    name="codes",
    schema='the "own"',
    columns=(
        Column(name="id", type="INTEGER", width_bytes=4),
        Column(name="A `b`", type="VARCHAR", width_bytes=4, read_as="{} COLLATE plain"),
    ),
    rows=1,
    fingerprint="f",
    origin=Origin(store="db"),
)
PLAIN = replace(CODES, name="crm.plain", schema="crm", columns=CODES.columns[:1])
OWN = {"codes": CODES, "crm.plain": PLAIN}


def written(sql: str, dialect: str) -> str:
    target = StoreDialect(dialect=dialect, namespace="ours", own=OWN)
    tree = with_own_tables(sqlglot.parse_one(sql, dialect=dialect), target)
    return tree.sql(dialect, identify=True)


def test_a_table_of_the_stores_own_is_read_under_its_own_name():
    assert written('SELECT p.id FROM ours."crm.plain" AS p', "postgres") == (
        'SELECT "p"."id" FROM "crm"."plain" AS "p"'
    )
    # Copies stay as they are.
    assert written("SELECT p.id FROM ours.other AS p", "postgres") == (
        'SELECT "p"."id" FROM "ours"."other" AS "p"'
    )


def test_values_are_read_in_the_form_that_copies_have():
    assert written("SELECT c.id FROM ours.codes AS c JOIN ours.codes AS d USING (id)", "mysql") == (
        "SELECT `c`.`id` FROM (SELECT `id`, `A ``b``` COLLATE plain AS `A ``b``` FROM "
        '`the "own"`.`codes`) AS `c` JOIN (SELECT `id`, `A ``b``` COLLATE plain AS `A ``b``` FROM '
        '`the "own"`.`codes`) AS `d` USING (`id`)'
    )
    assert '"A `b`" COLLATE plain AS "A `b`" FROM "the ""own"""."codes"' in written(
        "SELECT id FROM ours.codes AS c", "postgres"
    )


def test_a_migration_copies_from_the_table_itself():
    connection = Connection(store="db", kind="postgresql", read_only=True)
    there = TableStatements(connection=connection, table=CODES)
    assert there.rows() == (
        'SELECT "id", "A `b`" FROM (SELECT "id" AS "id", "A `b`" COLLATE plain AS "A `b`" FROM '
        '"the ""own"""."codes") own'
    )
    other = TableStatements(connection=replace(connection, store="other"), table=CODES)
    assert '"placement_advisor"."codes"' in other.rows()


def test_the_register_says_of_when_a_copy_of_a_live_table_is():
    kept = registered("abc", "2025-01-01T00:00:00+00:00")
    assert fingerprint_of(kept) == "abc"
    assert as_of(kept) == "2025-01-01T00:00:00+00:00"
    assert as_of(registered("abc")) == ""


def stale(*live: LiveTable):
    wrong = {"q9": (QueryOutcome.WRONG, "row 1 differs")}
    candidates = [
        made.candidate("single_store:pg", (6.0, 6.1), failed=wrong),
        made.candidate("single_store:duck", (6.0, 6.1)),
    ]
    return with_stale(candidates, live)


def outcomes(found, query="q9"):
    return [each.outcome for one in found for each in one.queries if each.query == query]


def test_a_wrong_answer_from_a_table_that_changed_is_stale_for_all():
    changed = LiveTable(table="store_sales", store="pg", as_of="then", is_changed=True)
    found = stale(changed)
    assert outcomes(found) == [QueryOutcome.STALE, QueryOutcome.STALE]
    (query,) = (each for each in found[0].queries if each.query == "q9")
    assert query.message == (
        "table 'store_sales' in 'pg' has changed since then, when the rows were read that answers "
        "are compared with (row 1 differs)"
    )
    assert all(each.verified and each.measured_s is not None for each in found)


def test_a_wrong_answer_from_tables_that_did_not_change_is_wrong():
    same = LiveTable(table="store_sales", store="pg", as_of="then", is_changed=False)
    elsewhere = LiveTable(table="store_sales", store="maria", as_of="then", is_changed=True)
    assert outcomes(stale(same, elsewhere)) == [QueryOutcome.WRONG, QueryOutcome.VERIFIED]


def test_a_store_that_does_not_say_whether_its_tables_changed_leaves_them_in_doubt():
    unknown = LiveTable(table="store_sales", store="pg", as_of="then", is_changed=None)
    found = stale(unknown)
    assert outcomes(found)[0] is QueryOutcome.STALE
    (query,) = (each for each in found[0].queries if each.query == "q9")
    assert "may have changed, which its store does not say" in query.message


def test_answers_that_are_compared_with_live_ones_are_stale_where_any_table_has_changed():
    large = LiveTable(
        table="store_sales", store="pg", as_of="then", is_changed=False, is_read=False
    )
    assert outcomes(stale(large)) == [QueryOutcome.WRONG, QueryOutcome.VERIFIED]
    found = stale(replace(large, is_changed=True))
    assert outcomes(found) == [QueryOutcome.STALE, QueryOutcome.STALE]
    (query,) = (each for each in found[0].queries if each.query == "q9")
    assert query.message == "table 'store_sales' in 'pg' has changed since then (row 1 differs)"
    # A copy of it is older than the rows that the placement that there is has answered from.
    copied = LiveTable(table="reason", store="maria", as_of="then", is_changed=True)
    assert outcomes(stale(large, copied))[0] is QueryOutcome.STALE


def test_a_wrong_answer_over_parquet_that_was_replaced_is_stale():
    wrong = {"q9": (QueryOutcome.WRONG, "row 1 differs")}
    candidates = [made.candidate("single_store:pg", (6.0, 6.1), failed=wrong)]
    assert outcomes(with_stale(candidates, (), {"item"})) == [QueryOutcome.WRONG]
    found = with_stale(candidates, (), {"store_sales"})
    assert outcomes(found) == [QueryOutcome.STALE]
    (query,) = (each for each in found[0].queries if each.query == "q9")
    assert "the Parquet of table 'store_sales' was replaced or written to" in query.message


def test_a_loop_of_clients_that_ends_at_such_an_answer_is_stale_as_well():
    wrong = ClosedLoop(clients=2, outcome=QueryOutcome.WRONG, query="q9", message="row 1 differs")
    done = ClosedLoop(
        clients=1, outcome=QueryOutcome.VERIFIED, rounds=(LoopRound(seconds=(1.0,), elapsed_s=1.0),)
    )
    candidates = [replace(made.candidate("single_store:pg", (6.0,)), loops=(done, wrong))]
    changed = LiveTable(table="store_sales", store="pg", as_of="then", is_changed=True)
    (found,) = with_stale(candidates, [changed])
    assert found.loops[0] == done
    assert found.loops[1].outcome is QueryOutcome.STALE
    assert "'store_sales' in 'pg' has changed since then" in found.loops[1].message
    same = replace(changed, is_changed=False)
    (found,) = with_stale(candidates, [same])
    assert found.loops == (done, wrong)


def test_reports_say_of_when_live_tables_are_and_which_changed():
    live = (
        LiveTable(table="item", store="pg", as_of="then", is_changed=True),
        LiveTable(table="store", store="pg", as_of="then", is_changed=False),
        LiveTable(table="reason", store="maria", as_of="later", is_changed=None),
    )
    found = replace(made.demo(), live=live)
    told = live_tables(found)
    assert told == (
        "2 live tables of 'pg' read at then; 1 live table of 'maria' read at later; changed since: "
        "item; not known of reason, of which no store told it at the end."
    )
    assert "changed since: item" in render(found, demo_tables.setting())
    document = measurements_document(found, sentence="s", report="r", tracking_run="t")
    assert document["live"][0] == {
        "table": "item", "store": "pg", "as_of": "then", "is_changed": True,
        "is_read": True,
    }  # fmt: skip


def test_what_one_server_takes_alone_stands_beside_what_candidates_take():
    there = made.placements()["naive"]
    candidates = [
        made.candidate("current", (8.0, 8.2), placement=there),
        made.candidate("optimal", (6.0, 6.1)),
    ]
    direct = (
        DirectMeasurement(query="q1", executions=3.0, store="pg", seconds=(0.1, 0.3, 0.2)),
        DirectMeasurement(query="q9", executions=1.0, store="pg", message="it took too long"),
    )
    found = replace(made.measurements(candidates), direct=direct)
    beside = beside_direct(found)
    assert list(beside) == ["current", "optimal"]
    own, current, optimal = direct_totals(found)
    assert own == pytest.approx(3 * 0.2)
    assert current == pytest.approx(3 * beside["current"]["q1"])
    assert optimal == pytest.approx(3 * beside["optimal"]["q1"])
    page = render(found, demo_tables.setting())
    assert "it took too long" in page
    assert "all that ended" in page
    document = measurements_document(found, sentence="s", report="r", tracking_run="t")
    assert [each["measured_s"] for each in document["direct"]] == [0.2, None]
    failed = replace(found, direct=direct[1:])
    assert direct_totals(failed) == ()
    assert "all that ended" not in render(failed, demo_tables.setting())
