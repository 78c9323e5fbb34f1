"""Query logs as tables, frequencies, and what is no log."""

import csv
import gzip
import io
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workloads.errors import ConfigurationError, SqlError
from workloads.sources.logs import cutting
from workloads.sources.logs.dialects import detected
from workloads.sources.logs.recorded import workload
from workloads.sources.logs.recording import recorded
from workloads.sources.logs.runners import Processes

ALONE = Processes(workers=1)


def facts(found):
    return [(q.sql, q.executions, q.latency_s, q.line) for q in found.queries]


def write_csv(path, rows, delimiter=","):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return path


def test_a_csv_log_with_multi_line_statements_is_folded_with_their_lines(tmp_path):
    log = write_csv(
        tmp_path / "log.csv",
        [
            ["timestamp", "sql", "executions", "latency_s"],
            ["2025", "select a\nfrom t\nwhere b = 1", "2", "0.5"],
            ["2025", "select 'x, \"y\"'", "", ""],
            ["2025", "SELECT a FROM t WHERE b = 22", "6", "1.5"],
        ],
    )
    assert facts(workload(log, "duckdb")) == [
        ("select a\nfrom t\nwhere b = 1", 8, 1.25, 2),
        ("select 'x, \"y\"'", 1, None, 5),
    ]


@pytest.mark.parametrize(
    ("header", "values", "executions", "latency_s"),
    [
        (["query", "calls", "mean_exec_time"], ["select 1", "4", "250"], 4, 0.25),
        (["QUERY", "Calls", "total_exec_time"], ["select 1", "4", "1000"], 4, 0.25),
        (["statement", "count", "duration_ms"], ["select 1", "2", "10"], 2, 0.01),
        (["query_text", "latency_ms"], ["select 1", "10"], 1, 0.01),
        (["DIGEST_TEXT", "COUNT_STAR", "SUM_TIMER_WAIT"], ["select 1", "2", "6e12"], 2, 3.0),
        (["text", "executions"], ["select 1", "0.5"], 0.5, None),
    ],
)
def test_columns_may_be_called_as_other_systems_call_them(
    tmp_path, header, values, executions, latency_s
):
    (query,) = workload(write_csv(tmp_path / "log.csv", [header, values]), "postgres").queries
    assert (query.executions, query.latency_s) == (executions, latency_s)


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_delimiter_is_the_one_that_makes_a_column_known(tmp_path, delimiter):
    rows = [["sql", "executions"], ["select a, b; -- c\t|", "3"]]
    log = write_csv(tmp_path / "log.tsv", rows, delimiter)
    assert facts(workload(log, "duckdb")) == [("select a, b; -- c\t|", 3, None, 2)]


def test_bad_rows_are_left_out_with_line_and_reason(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(
        'sql,executions,latency_s\nselect 1,1,1\n,1,1\n"select\n2",many,1\nselect 3,1\n'
        'select 4,1,soon\n"select 5"x,1,1\nselect a from t,1,1\n-- nothing,1,1\n"select 6,1,1\n'
    )
    found = workload(log, "duckdb")
    assert [q.sql for q in found.queries] == ["select 1", "select a from t"]
    assert [(s.line, s.kind, s.reason.partition(":")[0]) for s in found.skipped] == [
        (3, "unrecorded", "the record has no SQL"),
        (4, "invalid", "executions are not a positive number"),
        (6, "invalid", "the record has another number of values than the header"),
        (7, "invalid", "the latency is not a number"),
        (8, "invalid", "the record is malformed"),
        (10, "session", "there is no statement"),
        (11, "invalid", "the record is malformed"),
    ]
    assert "many" in found.skipped[1].reason
    assert found.skipped[-1].reason.endswith("a quoted value does not end")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("packed", [False, True])
def test_byte_order_marks_and_gzip_do_not_matter(tmp_path, encoding, packed):
    data = "sql,executions\r\nselect 'é',2\r\n".encode(encoding)
    log = tmp_path / ("log.csv.gz" if packed else "log.csv")
    log.write_bytes(gzip.compress(data) if packed else data)
    assert facts(workload(log, "duckdb")) == [("select 'é'", 2, None, 2)]


@pytest.mark.parametrize("readable", [0, 20_000])
@pytest.mark.parametrize("name", ["log.csv.gz", "log.jsonl.gz", "log.sql.gz"])
def test_a_damaged_gzip_file_is_our_error(tmp_path, name, readable):
    start = {"log.csv.gz": "sql\n", "log.jsonl.gz": '{"sql": "SELECT 1"}\n'}.get(name, "")
    good = gzip.compress(f"{start}{'SELECT 1;' * readable}".encode())
    header, no_block = gzip.compress(b"")[:10], b"\xff" * 100
    (tmp_path / name).write_bytes((good if readable else b"") + header + no_block)
    with pytest.raises(ConfigurationError, match="cannot be unpacked"):
        workload(tmp_path / name, "duckdb")


def test_a_gzip_file_that_ends_early_is_our_error(tmp_path):
    rows = "".join(f"select a{n} from t\n" for n in range(100_000))
    log = tmp_path / "log.csv.gz"
    log.write_bytes(gzip.compress(f"sql\n{rows}".encode())[:-100])
    with pytest.raises(ConfigurationError, match="cannot be unpacked"):
        workload(log, "duckdb")


def test_json_lines_are_folded_with_their_lines(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text(
        '{"sql": "select 1", "executions": 2, "latency_s": 0.5}\n\nno json\n'
        '{"Query": "select 2", "calls": 3}\n{"other": 1}\n["x"]\n{"sql": null}\n'
    )
    found = workload(log, "duckdb")
    assert facts(found) == [("select 1", 5, 0.5, 1)]
    assert [(s.line, s.kind) for s in found.skipped] == [
        (3, "invalid"),
        (5, "unrecorded"),
        (6, "invalid"),
        (7, "unrecorded"),
    ]


def test_parquet_is_read_row_group_by_row_group(tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "PIECE_BYTES", 1)
    table = pa.table(
        {
            "other": [b"x"] * 5,
            "SQL": ["select 1", None, "select a", "select 2", ""],
            "executions": pa.array([1, 1, 2, 3, 1], pa.int32()),
            "latency_ms": pa.array([10.0, 1.0, None, 30.0, 1.0]),
        }
    )
    pq.write_table(table, tmp_path / "log.parquet", row_group_size=2)
    found = workload(tmp_path, "duckdb", runner=ALONE)
    assert facts(found) == [("select 1", 4, 0.025, 1), ("select a", 2, None, 3)]
    assert [s.line for s in found.skipped] == [2, 5]


def test_parquet_with_damaged_rows_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"sql": [f"SELECT {i} FROM t" for i in range(20_000)]}), path)
    whole = path.read_bytes()
    path.write_bytes(whole[:1_000] + b"\xff" * 2_000 + whole[3_000:])
    with pytest.raises(ConfigurationError, match=r"log\.parquet is no sound Parquet"):
        workload(path, "duckdb")


def test_statements_that_pg_stat_statements_hides_are_no_statements(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("query,calls\nSELECT 1 FROM t,2\n<insufficient privilege>,7\n")
    found = workload(path, "duckdb")
    assert [q.executions for q in found.queries] == [2.0]
    assert [(s.line, s.kind) for s in found.skipped] == [(3, "unrecorded")]


def test_json_that_is_nested_too_deeply_is_left_out(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"sql": "SELECT 1 FROM t"}) + "\n" + "[" * 100_000 + "\n")
    found = workload(path, "duckdb")
    assert len(found.queries) == 1
    assert "no JSON" in found.skipped[0].reason


def test_the_parts_of_a_folder_are_one_log_in_natural_order(tmp_path):
    for part in (10, 2):
        (tmp_path / f"part-{part}.csv").write_text(f"sql\nselect {part}\nselect c{part}\n")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".part-2.csv.crc").write_text("crc")
    found = workload(tmp_path, "duckdb")
    assert [(q.sql, q.executions) for q in found.queries] == [
        ("select 2", 2),
        ("select c2", 1),
        ("select c10", 1),
    ]


_VALUES = st.lists(
    st.tuples(
        st.text(st.sampled_from("ab1 '\",;\n-"), max_size=12).map(lambda t: f"select {t}"),
        st.integers(1, 9),
    ),
    min_size=1,
    max_size=60,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(_VALUES, st.integers(10, 400), st.booleans())
def test_where_a_log_is_cut_does_not_matter(tmp_path, monkeypatch, rows, size, as_json):
    if as_json:
        log = tmp_path / "log.jsonl"
        log.write_text("".join(json.dumps({"sql": s, "calls": n}) + "\n" for s, n in rows))
    else:
        log = write_csv(tmp_path / "log.csv", [["sql", "calls"], *rows])
    monkeypatch.setattr(cutting, "PIECE_BYTES", 10**9)
    whole = workload(log, "duckdb", runner=ALONE)
    monkeypatch.setattr(cutting, "PIECE_BYTES", size)
    assert workload(log, "duckdb", runner=ALONE) == whole


def test_a_log_whose_quotes_are_no_csv_quotes_is_read_whole(tmp_path, monkeypatch):
    """A lone quote inside a value shifts every count of quotes that comes after it."""
    text = io.StringIO()
    text.write("sql\n")
    for number in range(200):
        text.write(f'select {number} as five" wide\n"select\n{number}, a"\n')
    log = tmp_path / "log.csv"
    log.write_text(text.getvalue())
    whole = workload(log, "duckdb", runner=ALONE)
    monkeypatch.setattr(cutting, "PIECE_BYTES", 150)
    assert workload(log, "duckdb", runner=ALONE) == whole
    assert sum(q.executions for q in whole.queries) == 400


def test_two_processes_give_what_one_gives(tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "PIECE_BYTES", 5_000)
    rows = [[f"select c{n % 7} from t where a = 'x\n{n}'", str(n % 5)] for n in range(1_000)]
    log = write_csv(tmp_path / "log.csv", [["sql", "executions"], *rows])
    assert workload(log, "duckdb", runner=Processes(workers=2)) == workload(log, "duckdb")


def test_an_error_in_another_process_is_ours_with_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "PIECE_BYTES", 1)
    (tmp_path / "a.sql").write_text("select 1")
    (tmp_path / "b.sql").write_text("select 1;\nselect 'open")
    with pytest.raises(SqlError) as error:
        workload(tmp_path, "duckdb", runner=Processes(workers=2))
    assert (error.value.line, error.value.column) == (2, 8)
    (tmp_path / "b.sql").write_text("-- name: a\nselect 1")
    with pytest.raises(ConfigurationError, match=r"'a' \(.*a\.sql:1 and .*b\.sql:2\)"):
        workload(tmp_path, "duckdb", runner=Processes(workers=2))


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("log.csv", b"a,b\n1,2\n", "it starts with 'a,b'"),
        ("empty.csv", b"", "it is empty"),
        ("x.parquet", b"PAR1\0\0\xff\xfe", "no sound Parquet"),
        ("x.bin", b"\x00\x01\x02", "it is binary"),
        ("x.json", b'[{"sql": "select 1"}]', "it is a JSON array"),
    ],
)
def test_a_file_that_is_no_log_is_an_error_with_what_was_found(tmp_path, name, content, found):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigurationError) as error:
        workload(tmp_path / name, "duckdb")
    assert found in str(error.value)
    assert name in str(error.value)


def test_a_log_without_any_statement_says_what_was_left_out(tmp_path):
    log = write_csv(tmp_path / "log.csv", [["sql", "executions"], ["", "1"], ["select 1", "x"]])
    with pytest.raises(ConfigurationError, match=r"2 records were left out.*log\.csv:2: the reco"):
        workload(log, "duckdb")


def test_the_dialect_of_a_log_is_detected_with_the_reason(tmp_path):
    log = write_csv(tmp_path / "log.csv", [["sql"], ["select `a` from t limit 1, 2"]])
    found = detected(recorded([log]))
    assert found.dialect == "mysql"
    assert "backticks" in found.reason
    assert workload(log).dialect == "mysql"


def test_each_source_is_read_in_its_own_sql(tmp_path):
    texts = {
        "pg": [
            "SELECT DISTINCT ON (a) a, b::int FROM t WHERE c @> '{1}'",
            "SELECT $1 ~ 'x' FROM t",
        ],
        "my": ["SELECT `a` FROM t LIMIT 1, 2", "SELECT group_concat(a SEPARATOR ';') FROM `u`"],
        "plain": ["SELECT a FROM t WHERE b = 1"],
    }
    for name, statements in texts.items():
        (tmp_path / name).mkdir()
        for n, sql in enumerate(statements):
            (tmp_path / name / f"{name}_{n}.sql").write_text(sql)
    found = workload([tmp_path / name for name in texts])
    assert {q.name: q.dialect for q in found.queries} == {
        "pg_0": "postgres", "pg_1": "postgres", "my_0": "mysql", "my_1": "mysql",
        "plain_0": "duckdb",
    }  # fmt: skip
    # A source that any SQL suits is read as the other one.
    for other, dialect in (("pg", "postgres"), ("my", "mysql")):
        assert workload([tmp_path / "plain", tmp_path / other]).dialect == dialect


class TestFrequencies:
    def test_a_side_file_says_how_often_named_statements_run(self, tmp_path):
        for name in ("q1", "q2"):
            (tmp_path / f"{name}.sql").write_text("-- executions: 7\nselect 1")
        (tmp_path / "frequencies.csv").write_text("name,executions\nq2, 120\n")
        assert [q.executions for q in workload(tmp_path, "duckdb").queries] == [7, 120]
        other = tmp_path / "other.csv"
        other.write_text("name,executions\nq1,0.5\n")
        found = workload(tmp_path, "duckdb", frequencies=other)
        assert [q.executions for q in found.queries] == [0.5, 7]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("name,executions\nqq1,2\n", r"frequencies\.csv:2: .*'qq1': did you mean 'q1'\?"),
            ("name,executions\nq1,no\n", r"frequencies\.csv:2: 'q1,no' is no name and positive"),
            ("name,executions\nq1,1\nq1,2\n", r"frequencies\.csv:3: 'q1' is there twice"),
            ("q1,1\n", r"frequencies\.csv:1: the first line is 'q1,1'"),
        ],
    )
    def test_what_is_wrong_in_it_is_pointed_at(self, tmp_path, text, said):
        (tmp_path / "q1.sql").write_text("select 1")
        (tmp_path / "frequencies.csv").write_text(text)
        with pytest.raises(ConfigurationError, match=said):
            workload(tmp_path, "duckdb")


def test_each_folder_is_visited_once_whatever_links_to_it(tmp_path):
    (tmp_path / "q.sql").write_text("SELECT 1 AS a")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "r.sql").write_text("SELECT 'x' AS b")
    for name in ("a", "b", "inner/c", "inner/d"):
        (tmp_path / name).symlink_to(tmp_path)
    assert sorted(query.sql for query in workload(tmp_path, "duckdb").queries) == [
        "SELECT 'x' AS b",
        "SELECT 1 AS a",
    ]


@pytest.mark.parametrize("named", ["", "q.sql"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, named):
    os.mkfifo(tmp_path / "q.sql")
    with pytest.raises(ConfigurationError, match="is a pipe or a device"):
        workload(tmp_path / named, "duckdb")


def test_the_older_files_of_a_rotated_log_are_read_too(tmp_path):
    names = [
        "slow.log",
        "slow.log.1",
        "slow.log-20250501",
        "slow.log.2025-05-01.12",
        "slow.log.2.gz",
    ]
    for number, name in enumerate(names):
        text = f"# Query_time: 0.5  Lock_time: 0 \nselect {number} + a from t;\n".encode()
        data = gzip.compress(text) if name.endswith(".gz") else text
        (tmp_path / name).write_bytes(data)
    # No log's name ends so, and what is packed in a way that we do not know is said to be unread.
    (tmp_path / "README.1").write_text("select 9 + a from t;")
    (tmp_path / "slow.log.3.xz").write_bytes(b"\xfd7zXZ\0")
    found = workload(tmp_path, "mysql")
    assert [q.executions for q in found.queries] == [len(names)]
    assert [each.source for each in found.skipped] == [str(tmp_path / "slow.log.3.xz")]
