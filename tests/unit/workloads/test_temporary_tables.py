"""Temporary tables: no statement counts for the permanent table of their name."""

from collections import Counter
from pathlib import Path

import pytest

from tests.unit.workloads.plant_logs import MADE, READ, counted, log

FORMS = [
    MADE,
    "create temporary table if not exists machine (id int)",
    "CREATE LOCAL TEMP TABLE machine AS TABLE job",
    "CREATE TEMP TABLE machine (LIKE job)",
    'CREATE /* own */ TEMP TABLE "machine" AS SELECT id FROM job',
    "CREATE TABLE pg_temp.machine (id int)",
    "SELECT id INTO TEMP machine FROM job",
    "SELECT id INTO TEMPORARY TABLE machine FROM job",
]


@pytest.mark.parametrize("made", FORMS)
def test_a_temporary_table_hides_the_permanent_one_in_its_session_alone(tmp_path, made):
    reads, writes, left = counted(log(tmp_path / "pg.log", (1, made), (1, READ), (2, READ)))
    assert reads["machine"] == 1
    assert not writes
    assert left["temporary"] == 1


def test_a_temporary_table_of_a_query_counts_as_its_query(tmp_path):
    path = log(tmp_path / "pg.log", (1, "CREATE TEMP TABLE machine AS SELECT id FROM machine"))
    assert counted(path) == (Counter(machine=1), Counter(), Counter())


@pytest.mark.parametrize(
    ("ends", "is_hidden"),
    [
        (["DROP TABLE machine"], False),
        (["DROP TABLE IF EXISTS other, machine"], False),
        (["DROP TABLE public.machine"], True),
        (["DISCARD ALL"], False),
        (["DISCARD TEMP"], False),
        (["ALTER TABLE machine RENAME TO other"], False),
        (["ERROR: DROP TABLE machine"], True),
        (["DROP TABLE machine", f"ERROR: {MADE}"], False),
        (["DROP TABLE machine", "SELECT id FROM part", "ERROR: "], False),
        (["BEGIN", "DROP TABLE machine", "ROLLBACK"], True),
        (["BEGIN", "SAVEPOINT a", "DROP TABLE machine", "ROLLBACK TO a", "COMMIT"], True),
        (["BEGIN", "DROP TABLE machine", "COMMIT"], False),
        (["BEGIN", "DROP TABLE machine", "ERROR: SELECT 1 / 0", "COMMIT"], True),
        (["DROP TABLE machine; BEGIN", MADE, "ROLLBACK"], False),
        (["DROP TABLE machine", "BEGIN", MADE, "COMMIT"], True),
        (["DROP TABLE machine", "CREATE TEMP TABLE machine (id int) ON COMMIT DROP"], False),
    ],
)
def test_it_hides_until_it_is_gone(tmp_path, ends, is_hidden):
    lines = [(1, MADE), *((1, each) for each in ends), (1, READ)]
    reads, _, left = counted(log(tmp_path / "pg.log", *lines))
    assert (reads["machine"], left["temporary"]) == ((0, 1) if is_hidden else (1, 0))


def test_one_that_a_commit_drops_hides_until_then(tmp_path):
    made = "CREATE TEMP TABLE machine (id int) ON COMMIT DROP"
    lines = ["BEGIN", made, READ, "COMMIT", READ]
    reads, _, left = counted(log(tmp_path / "pg.log", *((1, each) for each in lines)))
    assert (reads["machine"], left["temporary"]) == (1, 1)


def test_the_statements_of_one_text_are_told_apart(tmp_path):
    path = log(tmp_path / "pg.log", (1, f"{READ}; {MADE}; {READ} WHERE id > 1"))
    reads, _, left = counted(path)
    assert (reads["machine"], reads["job"], left["temporary"]) == (1, 1, 1)


def test_a_new_session_of_the_same_process_has_none(tmp_path):
    path = log(tmp_path / "pg.log", (1, MADE))
    with path.open("a") as file:
        file.write("2025-05-01 08:01:00.000 UTC [1] LOG:  disconnection: session time: 0:00:01\n")
        file.write(f"2025-05-01 08:02:00.000 UTC [1] LOG:  statement: {READ}\n")
    assert counted(path)[0]["machine"] == 1


@pytest.mark.parametrize(
    ("sql", "reads", "writes"),
    [
        ("SELECT t.id, j.id FROM machine t JOIN job j ON j.machine_id = t.id", {"job"}, set()),
        ("SELECT machine.id FROM machine, job, part WHERE part.id = 1", {"job", "part"}, set()),
        ("SELECT id FROM public.machine UNION SELECT id FROM machine", {"machine"}, set()),
        ("WITH a AS (SELECT j.id FROM job j JOIN part p USING (id)) SELECT id FROM a, machine",
         {"job", "part"}, set()),
        ("WITH machine AS (SELECT id FROM job) SELECT id FROM machine", {"job"}, set()),
        ("SELECT id FROM job WHERE id IN (SELECT id FROM machine)", {"job"}, set()),
        ("INSERT INTO machine SELECT id FROM job", {"job"}, set()),
        ("INSERT INTO part SELECT id, id FROM machine", set(), {"part"}),
        ("INSERT INTO public.machine SELECT id, 'x' FROM machine", set(), {"machine"}),
        ("UPDATE job SET id = m.id FROM machine m WHERE m.id = job.machine_id", {"job"}, {"job"}),
        ("DELETE FROM part USING machine m WHERE m.id = part.id", {"part"}, {"part"}),
        ("UPDATE machine SET id = job.id FROM job WHERE job.id = machine.id", {"job"}, set()),
        ("DELETE FROM machine WHERE id IN (SELECT id FROM part)", {"part"}, set()),
        ("TRUNCATE machine", set(), set()),
        ("SELECT id FROM pg_temp.machine JOIN part USING (id)", {"part"}, set()),
    ],
)  # fmt: skip
def test_what_it_stands_beside_counts(tmp_path, sql, reads, writes):
    made = "CREATE TEMP TABLE machine (id int)"
    found = counted(log(tmp_path / "pg.log", (1, made), (1, sql)))
    assert (set(found[0]), set(found[1])) == (reads, writes)
    assert not found[2]["invalid"]


def test_a_file_of_sql_is_one_session(tmp_path):
    path = tmp_path / "one.sql"
    path.write_text(f"{READ}; {MADE}; {READ} WHERE id > 1; DROP TABLE machine;")
    reads, _, left = counted(path)
    assert (reads["machine"], reads["job"], left["temporary"]) == (1, 1, 1)


def test_a_general_log_tells_sessions(tmp_path):
    path = tmp_path / "general.log"
    made = "CREATE TEMPORARY TABLE machine AS SELECT id FROM job"
    lines = [
        *("7 Connect\tann@localhost on plant", "8 Connect\tbob@localhost on plant"),
        *("7 Query\tBEGIN", f"7 Query\t{made}", "7 Query\tROLLBACK", f"7 Query\t{READ}"),
        *(f"8 Query\t{READ}", "7 Query\tSELECT id FROM plant.machine", "7 Quit\t"),
        *("7 Connect\tann@localhost on plant", f"7 Query\t{READ}"),
    ]
    path.write_text("".join(f"250501  8:00:00\t    {each}\n" for each in lines))
    reads, _, left = counted(path, "plant")
    assert (reads["machine"], reads["job"], left["temporary"]) == (2, 1, 2)


def test_a_slow_log_tells_sessions(tmp_path):
    path = tmp_path / "slow.log"
    made = "CREATE TEMPORARY TABLE machine AS SELECT id FROM job"
    path.write_text(
        "".join(
            f"# Time: 250501  8:00:00\n# User@Host: ann[ann] @ localhost []\n"
            f"# Thread_id: {session}  Schema: plant  QC_hit: No\n"
            f"# Query_time: 0.1  Lock_time: 0.0  Rows_sent: 1  Rows_examined: 1\n{sql};\n"
            for session, sql in ((7, made), (7, READ), (8, READ))
        )
    )
    reads, _, left = counted(path, "plant")
    assert (reads["machine"], reads["job"], left["temporary"]) == (1, 1, 1)


def test_a_source_that_tells_no_sessions_leaves_the_name_open(tmp_path):
    path = tmp_path / "log.csv"
    statements = [MADE, READ, "SELECT id FROM public.machine", "SELECT max(id) FROM part"]
    path.write_text("sql,executions\n" + "".join(f'"{each}",2\n' for each in statements))
    assert counted(path) == (Counter(job=2, machine=2, part=2), Counter(), Counter(temporary=2))


@pytest.mark.parametrize(("database", "named"), [("plant", "`machine`"), ("x", "plant.`machine`")])
def test_a_temporary_table_hides_none_of_another_database_of_mysql(
    database: str, named: str, tmp_path: Path
):
    file = tmp_path / "digests.csv"
    file.write_text(
        "schema_name,digest_text,count_star\n"
        f"{database},CREATE TEMPORARY TABLE {named} AS SELECT `id` FROM plant.`job`,1\n"
        "plant,SELECT max(id) FROM machine,3\nother,SELECT min(id) FROM machine,5\n"
    )
    for schema, count in (("plant", 0), ("other", 5)):
        reads, _, skipped = counted(file, schema)
        assert reads["machine"] == count
        assert skipped["temporary"] == 3
