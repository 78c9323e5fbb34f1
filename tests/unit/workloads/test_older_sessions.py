"""Sessions that are older than their log may have temporary tables that it does not show."""

import csv
from collections import Counter
from pathlib import Path

from tests.unit.workloads.plant_logs import MADE, READ, catalog, counted
from workloads.progress import Silent
from workloads.sources.logs.recorded import workload
from workloads.sql.statements import understand


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
