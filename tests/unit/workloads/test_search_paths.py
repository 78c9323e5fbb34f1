"""Each session's search path: no statement counts for the table of another schema."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.workloads.path_logs import (
    CRM,
    INTERLEAVED,
    READ,
    SALES,
    Log,
    counted,
    expected,
    interleaved,
)
from tests.unit.workloads.test_schemas import catalog
from workloads.progress import Silent
from workloads.search_path import Searching
from workloads.sources.ddl.catalog import definitions
from workloads.sources.logs.recorded import workload
from workloads.sources.logs.session_state import SessionState
from workloads.sql.statements import understand


@pytest.mark.parametrize("form", ["csv", "json", "text"])
def test_sessions_with_different_paths_count_for_their_own_tables(form: str, tmp_path: Path):
    log = Log(interleaved(INTERLEAVED))
    path = getattr(log, form)(tmp_path / "postgresql.log")
    tables, left = counted(path)
    assert tables == expected(INTERLEAVED)
    assert left == []


def rotate(path: Path, folder: Path, names: Sequence[str]) -> None:
    """Cut a log into files of these names, between two records."""
    lines = path.read_text().splitlines(keepends=True)
    starts = [n for n, line in enumerate(lines) if not re.search(r" (DETAIL|STATEMENT):  ", line)]
    cuts = [starts[len(starts) * n // len(names)] for n in range(len(names))]
    for name, start, end in zip(names, cuts, [*cuts[1:], len(lines)], strict=True):
        (folder / name).write_text("".join(lines[start:end]))


@pytest.mark.parametrize("form", ["csv", "json", "text"])
@pytest.mark.parametrize("files", [2, 5, 9])
def test_a_rotated_log_is_one_log_whatever_its_files_are_called(
    form: str, files: int, tmp_path: Path
):
    temporary = {
        "16": [
            ("CREATE TEMP TABLE address AS SELECT name FROM customer", "crm.customer"),
            *[("SELECT count(*) FROM address", "") for _ in range(9)],
        ]
    }
    sessions = {**INTERLEAVED, **temporary}
    path = getattr(Log(interleaved(sessions)), form)(tmp_path / "whole.log")
    whole = counted(path)
    assert whole[0][CRM] == expected(INTERLEAVED)[CRM]
    folder = tmp_path / "logs"
    folder.mkdir()
    # As logrotate calls them: the newest file has no number, and the oldest the greatest.
    names = [f"postgresql.log.{n}" for n in range(files - 1, 0, -1)]
    rotate(path, folder, [*names, "postgresql.log"])
    assert counted(folder) == whole


def test_logs_of_two_servers_in_one_folder_are_two_logs(tmp_path: Path):
    Log([("1", "SET search_path = crm"), *[("1", READ.format(1))] * 8]).text(tmp_path / "a.log")
    # Its session has the same number, and begins while the other log is still written.
    lines = [("1", "SET search_path = sales"), *[("1", READ.format(2))] * 3]
    Log(lines, first_second=4).text(tmp_path / "b.log")
    later = [("1", "SELECT name FROM crm.customer"), ("1", READ.format(3))]
    Log(later, first_second=2).text(tmp_path / "c.log")
    tables, left = counted(tmp_path)
    assert tables == {CRM: 8, SALES: 3, "customer": 1}
    assert len(left) == 1


def one(
    lines: Sequence[str], tmp_path: Path, **searching: object
) -> tuple[Counter[str], list[str]]:
    path = Log([("1", line) for line in lines]).csv(tmp_path / "postgresql.csv")
    return counted(path, **searching)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("SELECT set_config('search_path', $1, false)", r"\$1, which the log does not say"),
        ("SELECT set_config('search_path', tenant.path(), false)", "what the log does not say"),
        ("DO $$ BEGIN SET search_path = crm; END $$", "a block of code"),
        ("SET search_path = sales, $1", "is no name"),
    ],
)
def test_behind_a_path_that_is_not_known_no_ambiguous_name_counts(
    statement: str, reason: str, tmp_path: Path
):
    others = ["SELECT name FROM customer", "SELECT city FROM crm.address"]
    tables, left = one([statement, READ.format(1), *others], tmp_path)
    assert tables == {"customer": 1, CRM: 1}
    (only,) = left
    assert "table 'address' is in the schemas 'sales' and 'crm'" in only
    assert re.search(reason, only)
    # A word of the project is for sessions that say nothing.
    again, _ = one([statement, READ.format(1)], tmp_path, is_given=True)
    assert SALES not in again


@pytest.mark.parametrize(
    "statement", ["RESET search_path", "SET search_path TO DEFAULT", "RESET ALL", "DISCARD ALL"]
)
def test_reset_brings_the_usual_path_back(statement: str, tmp_path: Path):
    lines = ["SET search_path = crm", READ.format(1), statement, READ.format(2)]
    path = Log([("1", line) for line in lines]).csv(tmp_path / "postgresql.csv")
    tables, left = counted(path, by_source={path: ("sales",)})
    assert (tables, left) == ({CRM: 1, SALES: 1}, [])
    _, left = counted(path)
    assert [each.partition(":")[0] for each in left] == [
        "table 'address' is in the schemas 'sales' and 'crm'"
    ]


def test_a_table_that_is_not_on_the_path_is_never_another_of_its_name(tmp_path: Path):
    tables, left = one(["SET search_path = sales", "SELECT name FROM customer"], tmp_path)
    assert not tables
    (reason,) = left
    assert reason == (
        "unknown table 'customer'; the search path of its session is sales; "
        "the catalog has 'crm.customer'"
    )


def test_what_fails_sets_no_path(tmp_path: Path):
    lines = [
        "SET search_path = crm",
        "SET search_path = sales",
        "ERROR: SET search_path = sales",
        READ.format(1),
        "BEGIN",
        "SET search_path = sales",
        "SELECT 1 / 0",
        "ERROR: SELECT 1 / 0",
        "COMMIT",
        READ.format(2),
        # It does not parse, so that the log has no statement of it.
        "SET search_path = sales",
        "ERROR: SELEC 1",
        READ.format(3),
    ]
    assert one(lines, tmp_path) == ({CRM: 2, SALES: 1}, [])


def test_a_session_that_is_older_than_the_log_may_have_set_its_path(tmp_path: Path):
    lines = [("1", "SET search_path = crm"), ("1", READ.format(1)), ("2", READ.format(2))]
    later = [*lines, ("3", "SET search_path = sales"), ("3", READ.format(3)), ("1", READ.format(4))]
    path = Log(later).csv(tmp_path / "postgresql.csv", skipped=2)
    tables, left = counted(path, by_source={path: ("crm",)})
    assert tables == {CRM: 1, SALES: 1}
    (reason,) = left
    assert "sessions of the log set their search paths" in reason
    # Where no session sets one, an older one has not either.
    log = Log([*lines[1:], *[("1", READ.format(n)) for n in range(5)]])
    path = log.csv(tmp_path / "others.csv", skipped=1)
    assert counted(path, by_source={path: ("crm",)}) == ({CRM: 6}, [])


def test_the_schema_of_the_user_comes_first(tmp_path: Path):
    schemas = frozenset({"crm", "sales"})
    lines = [("1", READ.format(1)), ("1", "SET ROLE crm"), ("1", READ.format(2))]
    path = Log(lines, user="sales").csv(tmp_path / "postgresql.csv")
    assert counted(path, schemas=schemas) == ({SALES: 1, CRM: 1}, [])
    path = Log(lines[:1], user="shop").csv(tmp_path / "others.csv")
    assert len(counted(path, schemas=schemas)[1]) == 1


def test_each_source_has_its_own_path(tmp_path: Path):
    paths = [
        Log([("1", READ.format(n)) for n in range(times)]).csv(tmp_path / name)
        for name, times in (("a.csv", 2), ("b.csv", 3))
    ]
    by_source = {paths[0]: ("sales",), paths[1]: ("crm",)}
    found = workload(paths, searching=Searching(by_source=by_source))
    tables = {
        table: footprint.executions
        for footprint in understand(found, catalog(), Silent()).footprints
        for table in footprint.tables
    }
    assert tables == {SALES: 2, CRM: 3}


def test_a_log_that_tells_no_sessions_has_no_paths_of_theirs(tmp_path: Path):
    file = tmp_path / "log.csv"
    records = ["sql", f'"{READ.format(1)}"', "SELECT name FROM customer"]
    file.write_text("\n".join(records) + "\n")
    assert counted(file, by_source={file: ("crm",)}) == ({CRM: 1, "customer": 1}, [])
    file.write_text("\n".join([*records, "SET search_path = sales", f'"{READ.format(2)}"']) + "\n")
    tables, left = counted(file, by_source={file: ("crm",)})
    assert tables == {"customer": 1}
    assert len(left) == 1


def test_the_statements_of_a_file_follow_its_path(tmp_path: Path):
    file = tmp_path / "file.sql"
    file.write_text(
        "SET search_path TO crm;\nSELECT city FROM address;\nBEGIN;\n"
        "SET LOCAL search_path = sales;\nSELECT id FROM address;\nCOMMIT;\n"
        "SET search_path = :tenant;\nSELECT city, id FROM address;\n"
        "SET search_path = sales, crm;\nSELECT city, id, 1 FROM address;\n"
    )
    tables, left = counted(file)
    assert tables == {CRM: 1, SALES: 2}
    assert len(left) == 1


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        # A threshold keeps BEGIN out of the log: the number tells the transaction.
        ((("4/7", "SET LOCAL search_path = crm"), ("4/7", ""), ("4/8", "")), ["crm", None]),
        ((("4/0", "SET LOCAL search_path = crm"), ("4/0", "")), [None]),
        ((("4/7", "BEGIN"), ("4/7", "SET LOCAL search_path = crm"), ("4/7", "")), ["crm"]),
        ((("", "BEGIN"), ("", "SET LOCAL search_path = crm"), ("", "")), ["crm"]),
        ((("", "SET LOCAL search_path = crm"), ("", ""), ("", "COMMIT"), ("", "")), ["?", None]),
        ((("", "BEGIN"), ("", "SET search_path = crm"), ("", "COMMIT AND CHAIN"), ("", "ROLLBACK"),
          ("", "")), ["crm"]),
    ],
)  # fmt: skip
def test_a_path_for_a_transaction_ends_with_it(
    texts: Sequence[tuple[str, str]], expected: Sequence[str | None]
):
    state = SessionState()
    found: list[str | None] = []
    for number, text in texts:
        state.begin_text(text, number, has_succeeded=True)
        if not text:
            path = state.path
            found.append(None if path is None else "?" if path.unknown else path.schemas[0])
        state.read(text)
        state.end_text()
    assert found == expected


KEPT = """
CREATE TABLE sales.address (city text);
CREATE TABLE crm.address (city text);
ALTER DATABASE shop SET search_path TO 'crm', 'sales';
ALTER ROLE seller IN DATABASE shop SET search_path TO "$user", sales;
ALTER ROLE seller SET work_mem TO '1GB';
ALTER ROLE gone SET search_path = sales;
ALTER ROLE gone RESET search_path;
ALTER USER everywhere SET search_path = sales;
"""


@pytest.mark.parametrize(
    ("user", "table"),
    [("shop", CRM), ("seller", SALES), ("gone", CRM), ("everywhere", SALES)],
)
def test_what_a_dump_says_of_a_role_or_a_database_holds_for_its_sessions(
    user: str, table: str, tmp_path: Path
):
    (tmp_path / "schema.sql").write_text(KEPT)
    found = definitions([tmp_path / "schema.sql"], Silent(), dialect="postgres").catalog
    lines = [READ.format(1), "SET search_path = crm", READ.format(2), "RESET search_path"]
    path = Log([("1", sql) for sql in (*lines, READ.format(3))], user=user).csv(tmp_path / "l.csv")
    schemas = frozenset({"crm", "sales"})
    tables, left = counted(path, schemas=schemas, recorded=found.search_paths)
    assert (tables, left) == (Counter({table: 2}) + Counter({CRM: 1}), [])
    # What the project says goes first.
    tables, _ = counted(path, by_source={path: ("sales",)}, recorded=found.search_paths)
    assert tables == {SALES: 2, CRM: 1}
