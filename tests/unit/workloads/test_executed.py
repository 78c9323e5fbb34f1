"""Commands that run a statement count as it: cursors, EXECUTE, EXPLAIN ANALYZE."""

import pytest

from tests.unit.workloads.plant_logs import counted, log
from workloads.sql.parsing.executed import executed


@pytest.mark.parametrize(
    ("head", "runs"),
    [
        ("DECLARE c CURSOR FOR ", True),
        ('declare "my c" binary no scroll cursor with hold for ', True),
        ("EXPLAIN ANALYZE ", True),
        ("EXPLAIN ANALYSE VERBOSE ", True),
        ("EXPLAIN (ANALYZE) ", True),
        ("EXPLAIN (BUFFERS, ANALYZE ON, FORMAT JSON) ", True),
        ("explain /* slow */ analyze\n", True),
        ("EXPLAIN ANALYZE FORMAT=TREE ", True),
        ("ANALYZE ", True),
        ("ANALYZE FORMAT=JSON ", True),
        ("EXPLAIN ", False),
        ("EXPLAIN VERBOSE ", False),
        ("EXPLAIN (VERBOSE) ", False),
        ("EXPLAIN (ANALYZE off) ", False),
        ("EXPLAIN (ANALYZE FALSE, COSTS) ", False),
        ("EXPLAIN FORMAT=JSON ", False),
        ("PREPARE p AS ", False),
    ],
)
def test_what_a_command_runs_is_told_in_its_place(head, runs):
    query = "SELECT id FROM job"
    blank = "".join("\n" if each == "\n" else " " for each in head)
    assert executed(head + query) == (blank if runs else head) + query


@pytest.mark.parametrize(
    "tail", [") TO STDOUT", ")\nto stdout (FORMAT csv);", ") TO STDOUT WITH (FORMAT csv, HEADER)"]
)
def test_what_copy_hands_out_is_its_query_whatever_form_it_has(tail):
    query = "SELECT (id), ') TO STDOUT' FROM job"
    assert executed(f"COPY ({query}{tail}") == f"      {query}"
    # A file or a program of the server's is refused where the text is parsed.
    for text in (
        f"COPY ({query}) TO PROGRAM 'x'",
        f"COPY ({query}) TO '/tmp/x'",
        "COPY t TO STDOUT",
    ):
        assert executed(text) == text


@pytest.mark.parametrize(
    "sql", ["ANALYZE job", "ANALYZE TABLE job", "EXPLAIN ANALYZE EXECUTE p", "DECLARE c CURSOR"]
)
def test_what_runs_no_statement_stays(sql):
    assert executed(sql) == sql


@pytest.mark.parametrize(
    ("sql", "reads", "writes"),
    [
        ("DECLARE c CURSOR FOR SELECT id FROM job", {"job"}, set()),
        ("EXPLAIN (ANALYZE) SELECT max(id) FROM job", {"job"}, set()),
        ("EXPLAIN ANALYZE INSERT INTO part SELECT id, id FROM job", {"job"}, {"part"}),
        ("SELECT j.id FROM job j JOIN pg_stat_user_tables s ON s.relid = j.id", {"job"}, set()),
        ("INSERT INTO part SELECT relid, 1 FROM pg_stat_user_tables", set(), {"part"}),
        ("EXPLAIN SELECT max(id) FROM job", set(), set()),
        ("FETCH 100 FROM c", set(), set()),
        ("SELECT relid FROM pg_stat_user_tables", set(), set()),
    ],
)
def test_each_counts_for_what_it_reads_and_writes(tmp_path, sql, reads, writes):
    found = counted(log(tmp_path / "pg.log", (1, sql), (1, "SELECT machine_id FROM part")))
    assert (set(found[0]) - {"part"}, set(found[1])) == (reads, writes)
    assert found[0]["part"] == 1
    assert not found[2]["invalid"]


def test_execute_counts_as_the_statement_that_the_log_has_with_it(tmp_path):
    prepared = "PREPARE pq(int, numeric(10, 2)) AS SELECT id FROM job WHERE id = $1;"
    path = log(tmp_path / "pg.log", (1, prepared), (1, "EXECUTE pq(7, 1)"))
    with path.open("a") as file:
        file.write(f"2025-05-01 08:00:02.000 UTC [1] ann@acme/psql DETAIL:  prepare: {prepared}\n")
    reads, _, left = counted(path)
    assert reads == {"job": 1}
    assert left == {"session": 1}


def test_execute_of_an_unknown_statement_is_a_session_command(tmp_path):
    path = log(tmp_path / "pg.log", (1, "EXECUTE pq(7)"), (1, "SELECT id FROM job"))
    reads, _, left = counted(path)
    assert (reads, left) == ({"job": 1}, {"session": 1})
