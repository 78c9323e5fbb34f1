"""Temporary tables: no statement counts for the permanent table of their name."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from workloads.catalog import Catalog, Column, Table
from workloads.progress import Silent
from workloads.sources.logs.recorded import workload
from workloads.sql.statements import understand

READ = "SELECT max(id) FROM machine"
MADE = "CREATE TEMP TABLE machine AS SELECT id FROM job"
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


def catalog(schema: str = "public") -> Catalog:
    columns = {
        "machine": ("id", "model"),
        "job": ("id", "machine_id"),
        "part": ("id", "machine_id"),
    }
    return Catalog(
        name="plant",
        tables={
            name: Table(
                name=name,
                columns=tuple(Column(name=each, type="BIGINT", width_bytes=8.0) for each in own),
                rows=100,
                fingerprint="",
                parquet="",
                schema=schema,
            )
            for name, own in columns.items()
        },
    )


def counted(path: Path, schema: str = "public") -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Return the executions by tables read and tables written, and by kind of what is left out."""
    found = understand(workload(path), catalog(schema), Silent())
    reads, writes, left = Counter[str](), Counter[str](), Counter[str]()
    for each in (*found.footprints, *found.writes):
        for counts, tables in ((reads, each.tables), (writes, each.writes)):
            for table in tables:
                counts[table] += round(each.executions)
    for skipped in found.skipped:
        left[skipped.kind] += round(skipped.executions)
    return reads, writes, left


def log(path: Path, *lines: tuple[int, str]) -> Path:
    """Write PostgreSQL's text log: each a session and its statement, or 'ERROR: …'."""
    with path.open("w") as file:
        for second, (session, sql) in enumerate(lines):
            prefix = f"2025-05-01 08:00:{second:02}.000 UTC [{session}] ann@acme/psql "
            if sql.startswith("ERROR: "):
                text = sql.removeprefix("ERROR: ")
                file.write(f"{prefix}ERROR:  it failed\n{prefix}STATEMENT:  {text}\n")
            else:
                file.write(f"{prefix}LOG:  statement: {sql}\n")
    return path


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


VIEW = "CREATE TEMP VIEW machine (id) AS SELECT machine_id FROM job WHERE id > 3"


@pytest.mark.parametrize(
    ("made", "sql", "reads", "writes"),
    [
        (VIEW, READ, {"job"}, set()),
        (VIEW, "SELECT id FROM pg_temp.machine", {"job"}, set()),
        (VIEW, "SELECT id FROM public.machine", {"machine"}, set()),
        (VIEW, "SELECT m.id FROM public.machine m JOIN machine USING (id)",
         {"job", "machine"}, set()),
        (VIEW, "WITH p AS (SELECT id FROM part) SELECT p.id FROM machine, p",
         {"job", "part"}, set()),
        (VIEW, "WITH machine AS (SELECT id FROM part) SELECT id FROM machine", {"part"}, set()),
        (VIEW, "(SELECT id FROM machine) UNION (SELECT id FROM part)", {"job", "part"}, set()),
        (VIEW, "INSERT INTO part SELECT id, id FROM machine", {"job"}, {"part"}),
        (VIEW, "INSERT INTO public.machine SELECT id, 'x' FROM machine", {"job"}, {"machine"}),
        (VIEW, "UPDATE part SET id = 1 FROM machine WHERE machine.id = part.id",
         {"job", "part"}, {"part"}),
        (VIEW, "UPDATE machine SET id = 3", set(), set()),
        (VIEW, "DELETE FROM machine WHERE id IN (SELECT id FROM part)", {"part"}, set()),
        (VIEW, "SELECT 'machine' FROM part", {"part"}, set()),
        ("CREATE OR REPLACE TEMPORARY VIEW machine AS SELECT id FROM machine WITH CHECK OPTION",
         READ, {"machine"}, set()),
        ("CREATE TEMP RECURSIVE VIEW machine (id) AS SELECT 1 UNION SELECT id + 1 FROM machine",
         "SELECT j.id FROM machine JOIN job j USING (id)", {"job"}, set()),
        ("CREATE TEMP VIEW v AS SELECT id FROM part; CREATE TEMP VIEW machine AS TABLE v",
         READ, {"part"}, set()),
        ("CREATE VIEW pg_temp.machine WITH (security_barrier) AS SELECT id FROM job",
         READ, {"job"}, set()),
    ],
)  # fmt: skip
def test_what_reads_a_temporary_view_counts_as_its_query(tmp_path, made, sql, reads, writes):
    lines = [*((1, each) for each in made.split("; ")), (1, sql), (2, READ)]
    found = counted(log(tmp_path / "pg.log", *lines))
    assert found[0]["machine"] == 1 + ("machine" in reads)
    assert (set(found[0]) - {"machine"}, set(found[1])) == (reads - {"machine"}, writes)
    assert not found[2]["invalid"]


def test_a_temporary_view_is_gone_with_its_session_or_when_it_is_dropped(tmp_path):
    lines = [(1, VIEW), (1, READ), (1, "DROP VIEW machine"), (1, READ), (2, VIEW), (3, READ)]
    reads, _, left = counted(log(tmp_path / "pg.log", *lines))
    assert (reads["machine"], reads["job"], left["definition"]) == (2, 1, 3)


def test_each_session_has_its_own_view_of_a_name(tmp_path):
    other = "CREATE TEMP VIEW machine AS SELECT id FROM part"
    lines = [(1, VIEW), (2, other), (1, READ), (2, READ), (2, READ), (3, READ)]
    reads, _, left = counted(log(tmp_path / "pg.log", *lines))
    assert (reads, left["invalid"]) == (Counter(job=1, part=2, machine=1), 0)


def test_a_view_of_files_is_the_table_of_the_catalog(tmp_path):
    path = tmp_path / "one.sql"
    path.write_text(f"CREATE TEMPORARY VIEW machine USING parquet OPTIONS (path 'm'); {READ};")
    assert counted(path)[0] == Counter(machine=1)


def csv_log(path: Path, *lines: tuple[int, str], older: tuple[int, ...] = ()) -> Path:
    """Write PostgreSQL's csvlog, with some sessions that had said something before."""
    with path.open("w", newline="") as file:
        for second, (session, sql) in enumerate(lines):
            values = [""] * 23
            values[0], values[1], values[2] = f"2025-05-01 08:00:{second:02}.000 UTC", "ann", "acme"
            is_older = session in older
            values[5] = f"6812{session}.{session}"
            values[6] = str(7 if is_older else second + 1)
            values[8] = f"2025-05-01 0{7 if is_older else 8}:00:00 UTC"
            values[11], values[13] = "LOG", f"statement: {sql}"
            csv.writer(file).writerow(values)
    return path


def test_an_older_session_may_have_a_temporary_table_from_before_its_log(tmp_path):
    other = "SELECT max(id) FROM part"
    lines = [(1, READ), (1, other), (1, "SELECT id FROM public.machine"), (2, READ), (3, MADE)]
    path = csv_log(tmp_path / "pg.csv", *lines, older=(1,))
    reads, _, left = counted(path)
    assert (reads, left["temporary"]) == (Counter(machine=2, part=1, job=1), 1)
    found = understand(workload(path), catalog(), Silent())
    assert found.workload.older_executions == 3
    (skipped,) = [each for each in found.skipped if each.kind == "temporary"]
    assert "'machine' may be a temporary table: its session is older" in skipped.reason


def test_an_older_session_has_none_where_no_session_makes_one(tmp_path):
    path = csv_log(tmp_path / "pg.csv", (1, READ), (2, READ), (2, READ), older=(1,))
    found = workload(path)
    assert [each.executions for each in found.queries] == [3]
    assert found.older_executions == 0
    # Its own is known from where it is made.
    path = csv_log(tmp_path / "own.csv", (1, MADE), (1, READ), (2, READ), older=(1,))
    assert counted(path) == (Counter(machine=1, job=1), Counter(), Counter(temporary=1))


def test_a_general_log_tells_sessions_that_are_older(tmp_path):
    path = tmp_path / "general.log"
    made = "CREATE TEMPORARY TABLE machine AS SELECT id FROM job"
    lines = [
        *("8 Connect\tbob@localhost on plant", f"8 Query\t{READ}", "8 Query\tUSE plant"),
        *("7 Query\tUSE plant", f"7 Query\t{READ}", f"8 Query\t{made}", "8 Quit\t"),
    ]
    path.write_text("".join(f"250501  8:00:00\t    {each}\n" for each in lines))
    reads, _, left = counted(path, "plant")
    assert (reads["machine"], reads["job"], left["temporary"]) == (1, 1, 1)
