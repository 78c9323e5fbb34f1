"""Commands tell which statements get literals in a run, from where, and which get none."""

from dataclasses import replace

import duckdb
import pytest

from advisor.analysis.analyze import analyze
from advisor.analysis.notes import notes
from advisor.measuring.measure import job_of
from advisor.project.config import load_project
from advisor.project.project import Project
from evaluation.literal_sets import with_sets
from workloads.progress import Silent

STATEMENTS = {
    "drawn": "SELECT a FROM t WHERE a = $1",
    "template": "SELECT a FROM t WHERE b = $1",
    "logged": "SELECT a FROM t WHERE b = 4",
    "untold": "SELECT s FROM (SELECT $1 AS s FROM t) x WHERE s = $2",
}


@pytest.fixture
def project(tmp_path) -> Project:
    for folder in ("data", "queries"):
        (tmp_path / folder).mkdir()
    with duckdb.connect() as connection:
        rows = "SELECT i AS a, i % 10 AS b FROM range(100) r(i)"
        connection.execute(f"COPY ({rows}) TO '{tmp_path}/data/t.parquet'")
    for name, sql in STATEMENTS.items():
        (tmp_path / "queries" / f"{name}.sql").write_text(f"-- name: {name}\n{sql};\n")
    file = tmp_path / "shop.toml"
    file.write_text(
        '[workload]\nsource = "queries/"\ndialect = "postgres"\n[catalog]\nsource = "data/"\n'
        '[stores.duck]\nkind = "duckdb"\n[evaluate]\nseed = 3\n'
    )
    return load_project(file)


def test_before_a_run_it_is_said_that_there_will_be_literals(project: Project):
    analysis = analyze(project, Silent())
    (told,) = notes(analysis)
    assert told.startswith("3 statements have parameters whose values are not known (drawn; ")
    assert "`run` gives them literals" in told
    assert job_of(project, analysis, {}).literals == ()


def test_a_run_says_from_where_they_are_and_why_there_are_none(project: Project):
    analysis = analyze(project, Silent(), needs_data=True)
    logged, drawn, none = notes(analysis)
    assert logged.startswith("1 statement with parameters is run with literals from the log")
    assert logged.endswith("(template).")
    assert drawn.startswith("1 statement with parameters is run with literals from statistics")
    assert drawn.endswith("(drawn).")
    assert none == (
        "No answer can be had of 1 statement by `run`: no part in any candidate's seconds "
        "(untold: it has parameters, whose values are not known (parameter $2: the column that it "
        "is compared with cannot be told))."
    )


def test_what_is_analysed_stays_the_template_and_the_job_has_the_literals(project: Project):
    analysis = analyze(project, Silent(), needs_data=True)
    assert {query.name: query.sql for query in analysis.workload.queries} == STATEMENTS
    job = job_of(project, analysis, {})
    assert job.workload == analysis.workload
    by_name = {each.query: each for each in job.literals}
    assert [each.sql for each in by_name["template"].sets] == [STATEMENTS["logged"]]
    assert len(by_name["drawn"].sets) == 3
    assert by_name["untold"].reason
    again = job_of(project, analyze(project, Silent(), needs_data=True), {})
    assert again.literals == job.literals


def test_sets_of_literals_have_names_that_no_query_has(project: Project):
    analysis = analyze(project, Silent(), needs_data=True)
    other = replace(analysis.workload.queries[0], name="drawn~2")
    queries = (*analysis.workload.queries, other)
    workload = replace(analysis.workload, queries=queries)
    job = with_sets(job_of(project, replace(analysis, workload=workload), {}))
    names = [query.name for query in job.workload.queries]
    assert len(names) == len(set(names))
    assert [each for each in names if each.startswith("drawn")] == [
        *("drawn", "drawn~~2", "drawn~~3", "drawn~2"),
    ]
