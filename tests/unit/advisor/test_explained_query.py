"""A query of a plan: its fragments, and measured figures beside predicted ones."""

import json
from dataclasses import asdict, replace

import pytest
from pydantic import TypeAdapter

from advisor.commands import cli
from advisor.planned import explained_query
from advisor.planned.explained_query import Statements, statements_of
from advisor.planned.measured_runs import MEASUREMENTS, REPORTS
from advisor.project.config import load_project
from advisor.report.documents.plan_json import measurements_document
from advisor.report.text import explained_query_text
from evaluation.federation.dividers import HIDDEN
from evaluation.measuring import prediction_quality
from evaluation.measuring.fragment_measurement import FragmentMeasurement
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    Measurements,
    Moved,
    QueryMeasurement,
    QueryOutcome,
)
from placement.plan_file import read_plan
from tests.unit.advisor import measurements as made
from tests.unit.evaluation.test_dividers import compiled as divided

pytestmark = pytest.mark.usefixtures("own_cache")

ROWS, SECONDS = 40, 0.5


def run_of(shop, *, scale_factor=None, stores=None):
    """Return the measurements of the shop's plan: every fragment 40 rows in half a second."""
    plan = read_plan((shop / "plans/plan.json").read_text())
    queries = tuple(
        QueryMeasurement(
            query=name,
            executions=1.0,
            outcome=QueryOutcome.VERIFIED,
            seconds=(1.0, 1.0),
            moved={each.store: Moved(rows=ROWS, bytes=400) for each in routed},
            exchanges=1,
            engine_s=0.25,
            fragments=tuple(
                FragmentMeasurement(
                    name=each.fragment.name,
                    view=f"fragment_{index}",
                    store=(stores or {}).get(each.store, each.store),
                    kind=str(each.fragment.kind),
                    tables=tuple(sorted(each.fragment.tables)),
                    rows=ROWS,
                    bytes=400,
                    execute_s=SECONDS,
                    fetch_s=0.0,
                    partitions=1,
                )
                for index, each in enumerate(routed)
            ),
        )
        for name, routed in plan.routing.items()
    )
    candidate = CandidateMeasurement(plan=plan, load_s=1.0, queries=queries)
    shown = asdict(made.measurements([candidate]))
    return Measurements(
        **{
            **{key: shown[key] for key in shown if key not in ("candidates", "machine")},
            "candidates": (candidate,),
            "machine": made.measurements([]).machine,
            "scale_factor": scale_factor,
        }
    )


def printed(measured):
    document = measurements_document(measured, sentence="", report="", tracking_run=None)
    return json.dumps(document)


def kept(shop, text, stamp="20251121"):
    folder = load_project(shop / "shop.toml").folder / REPORTS / stamp
    folder.mkdir(parents=True)
    (folder / MEASUREMENTS).write_text(text)


def test_a_query_has_its_fragments_in_each_stores_own_sql(answer):
    found = answer("explain", "--query", "revenue", "--json")
    (fragment,) = found["fragments"]
    assert fragment["dialect"] in ("postgres", "duckdb")
    assert fragment["sql"].startswith("SELECT")
    assert '"orders"' in fragment["sql"]
    assert fragment["view"] == "fragment_0"
    assert fragment["statements"] is None
    assert found["combine_sql"] is found["measured"] is found["sql_error"] is None
    assert fragment["predicted_rows"] > 0
    kinds = ("start_s", "scan_s", "join_s", "aggregate_s", "transfer_s")
    assert fragment["predicted_s"] == pytest.approx(sum(fragment[kind] for kind in kinds))


@pytest.mark.parametrize(
    ("changes", "kind", "cores", "most"),
    [
        ({}, "mysql", 2, 2),
        ({}, "mysql", 1, 0),
        ({}, "mysql", None, None),
        # It runs no SQL.
        ({}, "accumulo", 2, 0),
        # Its rows are those of another fragment.
        ({"same_as": "fragment_0"}, "mysql", 2, 0),
    ],
)
def test_statements_at_the_same_time_are_those_of_a_run(changes, kind, cores, most):
    fragment = replace(divided(), **changes)
    found = statements_of(fragment, kind, cores)
    if most == 0:
        assert found is None
        return
    assert (found.most, found.column, found.hidden) == (most, HIDDEN, "i_order")
    assert "FORCE INDEX (`PRIMARY`)" in found.text
    assert found.text == fragment.ranged.sql != fragment.sql


def test_statements_that_a_plan_states_need_no_cores():
    fragment = divided()
    stated = replace(fragment, ranged=replace(fragment.ranged, statements=8))
    assert statements_of(stated, "mysql", None).most == 8


@pytest.mark.parametrize(
    ("most", "number"), [(2, "up to 2 statements"), (None, "several statements")]
)
def test_a_fragment_that_several_statements_read_says_so(shop, capfd, monkeypatch, most, number):
    plan = str(shop / "plans" / "plan.json")
    found = Statements(most=most, column="x", hidden="k", text="SELECT 7 AS x")
    monkeypatch.setattr(explained_query, "statements_of", lambda *_: found)
    capfd.readouterr()
    assert cli.main(["explain", plan, "--query", "revenue"]) == 0
    shown = " ".join(capfd.readouterr().out.split())
    assert f"Read by {number} at the same time, each a range of k: SELECT 7 AS x" in shown
    assert cli.main(["explain", plan, "--query", "revenue", "--json"]) == 0
    (fragment,) = json.loads(capfd.readouterr().out)["fragments"]
    assert fragment["statements"] == {"most": most, "column": "x", "hidden": "k"}
    assert fragment["sql"] == "SELECT 7 AS x"


def test_a_query_in_parts_shows_why_and_how_they_are_combined(shop, capfd):
    plan = shop / "plans" / "plan.json"
    document = json.loads(plan.read_text())
    document["placement"] = {"customers": ["duck"], "orders": ["pg"], "visits": ["pg"]}
    plan.write_text(json.dumps(document))
    capfd.readouterr()
    assert cli.main(["explain", str(plan), "--query", "revenue"]) == 0
    shown = capfd.readouterr().out
    assert "Query 'revenue': 2 fragments" in shown
    assert "Why no larger: " in shown
    assert "is not in store 'pg'" in " ".join(shown.split())
    assert "Combined by DuckDB in the driver" in shown
    assert "Its fragments are small" in shown
    assert "Not measured yet" in shown
    assert cli.main(["explain", str(plan), "--query", "revenue", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    views = [each["view"] for each in found["fragments"]]
    places = [found["combine_sql"].index(view) for view in views]
    assert places == sorted(places)
    assert (found["combiner"], found["lacked_by_spark"]) == ("duckdb", [])
    project = shop / "shop.toml"
    project.write_text(project.read_text() + '\n[evaluate]\ncombine = "spark"\n')
    assert cli.main(["explain", str(plan), "--query", "revenue"]) == 0
    assert "Combined by Spark" in capfd.readouterr().out
    assert {limit["kind"] for each in found["fragments"] for limit in each["limits"]} == {"absent"}


def test_measured_figures_stand_beside_predicted_ones(shop, answer):
    kept(shop, printed(run_of(shop)))
    found = answer("explain", "--query", "revenue", "--json")
    (fragment,) = found["fragments"]
    beside = fragment["measured"]
    assert (beside["rows"], beside["seconds"]) == (ROWS, SECONDS)
    rows = max(1.0, fragment["predicted_rows"])
    assert beside["rows_q_error"] == pytest.approx(max(rows / ROWS, ROWS / rows))
    assert found["measured"]["engine_s"] == 0.25
    shown = " ".join(answer("explain", "--query", "revenue").split())
    assert (
        "Measured 2025-11-21 10:00:00+00:00 as 'optimal': 1.00 s, 0.250 s of it in the engine"
        in shown
    )
    assert "q-error q-error" in shown
    assert "1 exchange, – records and – shuffled, – spilled, at most – of memory" in shown  # noqa: RUF001 - what a user sees
    assert found["measured"]["shuffle_bytes"] is None


def test_seconds_that_are_too_short_to_be_compared_have_no_q_error(shop, answer, monkeypatch):
    kept(shop, printed(run_of(shop)))
    for module in (prediction_quality, explained_query_text):
        monkeypatch.setattr(module, "LEAST_S", 100.0)
    found = answer("explain", "--query", "revenue", "--json")
    assert found["measured"]["measured_s"] == 1
    assert found["measured"]["q_error"] is None
    (fragment,) = found["fragments"]
    assert fragment["measured"]["seconds_q_error"] is None
    assert fragment["measured"]["rows_q_error"] >= 1
    shown = " ".join(answer("explain", "--query", "revenue").split())
    assert "it and the prediction are below 100 s, too short to be compared" in shown
    assert "off by a factor" not in shown


def test_the_newest_run_of_the_plan_is_taken_and_others_are_passed_over(shop, answer):
    kept(shop, printed(run_of(shop)), "1")
    kept(shop, "{}", "2")
    kept(shop, printed(run_of(shop, scale_factor=7.0)), "3")
    kept(shop, printed(run_of(shop, stores={"pg": "duck", "duck": "pg"})), "4")
    found = answer("explain", "--query", "revenue", "--json")
    assert found["measured"]["file"].endswith(f"1/{MEASUREMENTS}")


def test_a_run_is_named_as_printed_or_as_a_job_of_its_own_wrote_it(shop, answer):
    measured = run_of(shop)
    job = TypeAdapter(Measurements).dump_json(measured).decode()
    for name, text in (("run.json", printed(measured)), ("job.json", job)):
        (shop / name).write_text(text)
        found = answer("explain", "--query", "revenue", "--measured", shop / name, "--json")
        assert found["fragments"][0]["measured"]["rows"] == ROWS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no such file"),
        ("{", "it is not JSON"),
        ('{"tables": []}', "it is no run: candidates: Field required"),
        ("[]", "it is no run"),
    ],
)
def test_a_file_that_is_no_run_is_an_error_of_one_line(shop, answer, text, said):
    if text is not None:
        (shop / "run.json").write_text(text)
    shown = answer("explain", "--query", "revenue", "--measured", shop / "run.json")
    assert said in shown
    assert len(shown.strip().splitlines()) == 1


def test_a_run_of_other_data_placements_or_fragments_is_refused(shop, answer):
    file = shop / "run.json"
    placed = json.loads(printed(run_of(shop)))
    placed["candidates"][0]["placement"]["visits"] = ["elsewhere"]
    for text, said in (
        (printed(run_of(shop, scale_factor=3.0)), "at scale factor 3, the plan is of none"),
        (json.dumps(placed), "none of its candidates (optimal) has the plan's placement"),
        (printed(run_of(shop, stores={"pg": "x", "duck": "x"})), "ran there in other fragments"),
    ):
        file.write_text(text)
        assert said in answer("explain", "--query", "revenue", "--measured", file)


def test_measured_without_a_query_is_refused(shop, answer):
    assert "--measured is of a --query" in answer("explain", "--measured", shop / "x.json")


def test_an_unknown_query_names_the_nearest(answer):
    assert "no query 'revenues': did you mean 'revenue'?" in answer(
        "explain", "--query", "revenues"
    )
    assert "did you mean 'pages'?" in answer("what-if", "--without-query", "page")


def test_a_query_that_a_store_cannot_be_told_has_its_reason_in_place_of_sql(
    answer,
    monkeypatch,
):
    from evaluation.federation.compile import Compiler
    from workloads.errors import SqlError

    def refuse(*_):
        raise SqlError("store 'pg' cannot run it: no such function", origin="revenue/b0")

    monkeypatch.setattr(Compiler, "compile", refuse)
    found = answer("explain", "--query", "revenue", "--json")
    assert "no such function" in found["sql_error"]
    assert found["fragments"][0]["sql"] is None
    assert "It cannot be run: revenue/b0: store 'pg'" in answer("explain", "--query", "revenue")
