"""Query logs as tables and JSON lines, their dialect, and what is no log."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.unit.workloads.recorded_logs import ALONE, facts, write_csv
from workloads.errors import ConfigurationError
from workloads.sources.logs import cutting
from workloads.sources.logs.dialects import detected
from workloads.sources.logs.recorded import workload
from workloads.sources.logs.recording import recorded


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
