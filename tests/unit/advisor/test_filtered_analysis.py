"""Filters and kinds of left out statements, from the command line to what it prints."""

import json

import pytest

from advisor.project.chosen_project import AnalyzedChoice
from tests.unit.advisor.command import called

LOG = """\
2025-05-01 10:00:00.000 UTC [1] ann@crm/web LOG:  duration: 10.000 ms  statement: SELECT a FROM t
2025-05-01 10:01:00.000 UTC [2] bob@shop/web LOG:  duration: 20.000 ms  statement: SELECT b FROM t
2025-05-01 10:02:00.000 UTC [3] ann@crm/web LOG:  duration: 30.000 ms  statement: SELECT a FROM t
2025-05-01 10:03:00.000 UTC [4] ann@crm/pg_dump LOG:  duration: 1.000 ms  \
statement: COPY t TO stdout
2025-05-01 10:04:00.000 UTC [5] ann@crm/web LOG:  duration: 1.000 ms  statement: VACUUM t
2025-05-01 10:05:00.000 UTC [5] ann@crm/web LOG:  duration: 1.000 ms  statement: COPY t FROM stdin
2025-05-01 10:06:00.000 UTC [5] ann@crm/web LOG:  duration: 1.000 ms  statement: \
SELECT relname FROM pg_catalog.pg_class
2025-05-01 10:07:00.000 UTC [6] LOG:  duration: 1.000 ms  statement: SELECT b FROM t
2025-05-01 10:08:00.000 UTC [7] ann@crm/placement-advisor LOG:  duration: 1.000 ms  \
statement: SELECT a FROM t
"""


@pytest.fixture
def sources(tmp_path):
    (tmp_path / "shop.log").write_text(LOG)
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (a int, b int);")
    return str(tmp_path / "shop.log"), "--catalog", str(tmp_path / "schema.sql")


def test_what_is_left_out_is_counted_by_kind(sources):
    found = json.loads(called("analyze", *sources, "--user", "ann", "--json").stdout)
    assert [(q["executions"], q["tables"]) for q in found["queries"]] == [(2.0, ["t"])]
    counts = {kind: each["statements"] for kind, each in found["skipped_kinds"].items()}
    assert counts == {
        "filtered": 1,
        "untold": 1,
        "own": 1,
        "dump": 1,
        "maintenance": 1,
        "load": 1,
        "catalog": 1,
    }
    assert all(each["executions"] == 1.0 for each in found["skipped_kinds"].values())
    # What filters leave out is no part of the workload.
    assert found["statements"] == 6


def test_what_a_record_lacks_is_a_note_of_one_line(sources):
    ended = called("analyze", *sources, "--user", "ann")
    (note,) = (line for line in ended.stderr.splitlines() if "filter" in line)
    assert note == (
        f"1 statement of {sources[0]} is left out: the record has no user, which the filter user"
        " asks for."
    )


def test_the_terminal_says_the_same(sources):
    shown = called("analyze", *sources, "--until", "2025-05-01 10:03:30").stdout
    assert "6 statements left out: 1 dumps, 5 filtered" in " ".join(shown.split())


def test_what_may_mean_a_temporary_table_is_named_with_its_numbers(tmp_path):
    log = tmp_path / "queries.csv"
    log.write_text(
        "sql,executions\nSELECT a FROM t,40\nSELECT b FROM t,2\nSELECT c FROM u,1\n"
        "CREATE TEMP TABLE t (a int),1\n"
    )
    schema = tmp_path / "schema.sql"
    schema.write_text("CREATE TABLE t (a int, b int); CREATE TABLE u (c int);")
    sources = (str(log), "--catalog", str(schema), "--dialect", "postgres")
    ended = called("analyze", *sources)
    assert "2 on temporary tables ('t' 2)" in " ".join(ended.stdout.split())
    note = "2 statements with 42 executions are left out: 't' may be a temporary table: "
    assert any(line.startswith(note) for line in ended.stderr.splitlines())
    skipped = json.loads(called("analyze", *sources, "--json").stdout)["skipped"]
    assert [each["temporary"] for each in skipped if each["kind"] == "temporary"] == ["t", "t"]


def test_the_temporary_tables_of_a_session_are_named_and_only_namesakes_are_a_note(tmp_path):
    queries, schema = tmp_path / "queries.sql", tmp_path / "schema.sql"
    made = "".join(f"CREATE TEMP TABLE {name} (a int); SELECT a FROM {name};\n" for name in "pqrst")
    queries.write_text(f"SELECT c FROM u;\n{made}SELECT a + 1 FROM t;")
    schema.write_text("CREATE TABLE t (a int, b int); CREATE TABLE u (c int);")
    ended = called("analyze", str(queries), "--catalog", str(schema), "--dialect", "postgres")
    shown = " ".join(ended.stdout.split())
    assert "6 on temporary tables ('t' 2, 'p' 1, 'q' 1 and 2 more)" in shown
    notes = [line for line in ended.stderr.splitlines() if "temporary" in line]
    said = "2 statements with 2 executions are left out: 't' is a temporary table."
    assert notes == [said]


def test_a_filter_that_leaves_nothing_is_one_line_with_the_values_that_exist(sources):
    ended = called("analyze", *sources, "--user", "an", "--shortest-s", "0.015")
    assert ended.returncode == 2
    (line,) = ended.stderr.strip().splitlines()
    assert "user 'an'; it has 'ann', 'bob'." in line


def test_an_option_stands_for_the_key_of_a_project_file(tmp_path, sources):
    file = tmp_path / "shop.toml"
    file.write_text(
        '[workload]\nsource = "shop.log"\nuser = "ann"\n[catalog]\nsource = "schema.sql"\n'
        '[stores.duck]\nkind = "duckdb"\nembedded = true\n'
    )
    options = {"user": "bob,eve", "since": "2025-05-01"}
    project = AnalyzedChoice(sources=(str(file),), options=options).project()
    assert project.workload.filters.user == ("bob", "eve")
    ended = called("analyze", str(file), "--since", "may")
    assert "[workload].since = 'may'" in ended.stderr
    ended = called("analyze", *sources, "--since", "may")
    assert "--since = 'may': this is no time" in ended.stderr
