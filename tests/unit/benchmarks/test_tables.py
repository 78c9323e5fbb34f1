"""The documents' tables are what the JSON of the benchmarks gives."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from benchmarks.provenance import ROOT, provenance, without_folders
from benchmarks.tables import attacks, engines, long_statements, main_job, placements
from benchmarks.tables.__main__ import stale
from benchmarks.tables.document import MarkerError, rewritten
from benchmarks.tables.markdown import WIDTH, table, wrapped
from benchmarks.tables.results import Result, by_revision

FULL = {
    "command": "python -m benchmarks.soak --plot /elsewhere/soak.png",
    "commit": "50c7e63f27b33e95f79dd23f1abc8be114359bf9",
    "date": "2026-11-25T06:20:11+00:00",
    "machine": {"cores": 2, "system": "Linux-6.18-x86_64", "load_average": [3.42, 5.07]},
}


def test_documents_are_what_the_json_gives():
    assert stale() == {}, "run python -m benchmarks.tables"


def test_a_caption_says_what_a_run_was_made_with():
    caption = Result(name="soak", answer=FULL).caption
    for said in ("commit 50c7e63;", "2026-11-25", "2 cores, Linux 6.18", "load 3.4 before, 5.1"):
        assert said in " ".join(caption.split())


def test_a_caption_has_no_folder_of_a_machine():
    caption = " ".join(Result(name="soak", answer=FULL).caption.split())
    assert "`python -m benchmarks.soak --plot soak.png`" in caption


@pytest.mark.parametrize("absent", ["command", "commit", "date", "machine"])
def test_a_caption_says_what_a_file_lacks(absent: str):
    answer = {key: value for key, value in FULL.items() if key != absent}
    caption = " ".join(Result(name="soak", answer=answer).caption.split())
    assert f"{absent} not recorded" in caption
    assert ("load not recorded" in caption) is (absent == "machine")


def _ran(name: str, commit: str | None) -> Result:
    return Result(name=name, answer={**FULL, "commit": commit})


def _names(results: Sequence[Result]) -> str:
    return "+".join(each.name for each in results)


@pytest.mark.parametrize(
    ("commits", "tables"),
    [
        (("a", "a", "b"), ["one+two", "three"]),
        ((None, None, "b"), ["one", "two", "three"]),
        (("a", "b", "a"), ["one+three", "two"]),
    ],
)
def test_only_runs_of_one_recorded_commit_share_a_table(
    commits: Sequence[str | None], tables: Sequence[str]
):
    results = [_ran(*pair) for pair in zip(("one", "two", "three"), commits, strict=True)]
    made = by_revision(results, _names).split("\n\n")
    assert [each for each in made if not each.startswith("[")] == tables


@pytest.mark.parametrize("text", ["<!-- begin: other -->\n<!-- end: other -->", "none", ""])
def test_a_document_without_its_part_is_an_error(text: str):
    with pytest.raises(MarkerError, match="'mine'"):
        rewritten(text, {"mine": lambda: ""})


def test_a_part_that_stands_twice_is_an_error():
    part = "<!-- begin: mine -->\n<!-- end: mine -->"
    with pytest.raises(MarkerError):
        rewritten(f"{part}\n{part}", {"mine": lambda: ""})


def test_what_stands_around_a_part_is_kept():
    text = "before\n<!-- begin: mine -->\nold\n<!-- end: mine -->\nafter"
    made = rewritten(text, {"mine": lambda: "new"})
    assert "old" not in made
    assert made.startswith("before\n")
    assert made.endswith("\nafter")
    assert rewritten(made, {"mine": lambda: "new"}) == made


def test_arguments_lose_the_folders_of_their_paths():
    given = [
        "--plot",
        "/elsewhere/x.png",
        f"--plot={ROOT}/docs/y.png",
        "-o",
        "here/z.json",
        "--n=3",
    ]
    shown = ["--plot", "x.png", "--plot=docs/y.png", "-o", "here/z.json", "--n=3"]
    assert without_folders(given) == shown


def test_provenance_has_all_that_a_caption_says(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.argv", ["soak.py", "-o", f"{ROOT}/benchmarks/results/soak.json"])
    answer = json.loads(json.dumps(provenance("benchmarks.soak", 1.0)))
    caption = Result(name="soak", answer=answer).caption
    assert "benchmarks.soak -o benchmarks/results/soak.json`" in " ".join(caption.split())
    assert answer["date"].endswith("+00:00")
    absent = "commit not recorded" if answer["commit"] is None else answer["commit"][:7]
    assert absent in caption


def test_paragraphs_keep_to_the_width():
    assert max(map(len, wrapped("word " * 100).splitlines())) <= WIDTH


def test_a_table_has_a_rule_below_its_header():
    assert table(("a", "b"), [("x", "1")]) == "| a | b |\n|---|---:|\n| x | 1 |"


def _candidate(strategy: str, measured_s: float | None, *, feasible: bool) -> Mapping[str, Any]:
    return {
        "strategy": strategy,
        "placement": {"t": [strategy]},
        "measured_s": measured_s,
        "feasible": feasible,
        "predicted_s": 1.0,
        "spread_s": None,
        "queries": [{"outcome": "failed", "rows_moved": None}],
    }


def test_a_candidate_that_was_not_measured_is_last_and_has_no_seconds():
    candidates = [_candidate("naive", None, feasible=True), _candidate("optimal", 2, feasible=True)]
    last = main_job.ranking({"candidates": candidates}).splitlines()[-1]
    assert last == "| 2 | naive | kept | 1.00 | - | - | 0/1 | 0 |"


@pytest.mark.parametrize(("others_s", "first"), [(4.0, 1), (1.0, 0)])
def test_the_conclusion_counts_the_runs_that_ours_wins(others_s: float, first: int):
    candidates = [
        _candidate("optimal", 2.0, feasible=True),
        _candidate("naive", others_s, feasible=True),
        _candidate("single_store:pg", 1.5, feasible=False),
    ]
    # The plan of `optimal` again is no other.
    candidates.append({**candidates[0], "strategy": "throughput"})
    told = main_job.concluded([Result(name="main_job_x", answer={"candidates": candidates})])
    assert f"in {first} of 1 runs" in told
    assert f"takes {others_s / 2:.1f} times" in told
    assert "In 1 of 1 runs one store alone" in told


def _answered(engine: str, query: str, median_s: float | None) -> Mapping[str, Any]:
    return {
        "placement": "pg",
        "engine": engine,
        "query": query,
        "outcome": "verified" if median_s is not None else "timeout",
        "seconds": [] if median_s is None else [median_s],
        "median_s": median_s,
        "rows_moved": None,
    }


def test_engines_are_compared_over_the_queries_that_both_answered():
    results = [
        *(_answered("fragments", "q1", 1.0), _answered("fragments", "q2", 5.0)),
        *(_answered("trino", "q1", 2.0), _answered("trino", "q2", None)),
    ]
    row = engines.against(results).splitlines()[-1]
    assert row.startswith("| pg | trino | 1 | 1 / 0 | 1.00 | 2.00 | 0.50 | q1 0.50 |")
    assert "| pg | trino | 1/2 | 1 timeout | 2.00 | - |" in engines.outcomes(results)


def _plan(strategy: str, *, feasible: bool) -> Mapping[str, Any]:
    return {
        "strategy": strategy,
        "feasible": feasible,
        "outcome": "FEASIBLE",
        "broken": 1,
        "predicted_s": 2.0,
        "gap": 0.5,
        "seconds": 0.1,
        "spread_s": 0.0,
        "peak_mib": 100.0,
    }


@pytest.mark.parametrize(("feasible", "rows"), [(False, 2), (True, 3)])
def test_stores_alone_are_one_row_unless_one_keeps_the_limits(feasible: bool, rows: int):
    plans = [
        _plan("single_store:a", feasible=feasible),
        _plan("single_store:b", feasible=False),
        {"strategy": "greedy", "note": "not done in 900 s"},
    ]
    made = placements.strategies(plans).splitlines()[2:]
    assert len(made) == rows
    assert "not done in 900 s" in made[-1]


def test_long_statements_of_earlier_code_are_not_shown():
    answer = {"before": [{"cpu_s": 9.0}], "after": [{"cpu_s": 1.0}]}
    assert long_statements.records(answer) == answer["after"]


KILLED = {"aimed_at": "anywhere", "ended_before": False, "took_s": 1.5, "bad": []}
WIRED = {"phase": "logins", "fault": "silent", "ended_before": True, "took_s": 6.0, "bad": ["hang"]}


def test_kills_are_told_by_stage():
    late = {**KILLED, "took_s": 7.25, "bad": ["late", "process left"]}
    made = attacks.kills({"each": [KILLED, late], "usable_after": True})
    assert "| anywhere | late (1), process left (1) | 2 | 0 | 1 | 7.25 |" in made
    assert made.endswith("Usable afterwards: yes.")


def test_faults_are_told_by_phase_and_by_fault():
    made = attacks.wire({"each": [WIRED], "usable_after": False})
    assert "| logins | hang (1) | 1 | 1 | 1 | 6.00 |" in made
    assert "| silent | hang (1) | 1 | 1 | 1 | 6.00 |" in made
    assert made.endswith("Usable afterwards: **no**.")
