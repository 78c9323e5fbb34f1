"""Logs of engines: Trino's history of queries and Spark's event log."""

import json

import pyarrow as pa
import pytest

from tests.unit.workloads.recorded_logs import facts
from workloads.sources.logs.recorded import workload


class TestTrino:
    def test_a_csv_of_the_table_of_queries(self, tmp_path):
        log = tmp_path / "queries.csv"
        log.write_text(
            '"query_id","state","query","created","end"\n'
            '"1","FINISHED","SELECT ""a"" FROM t","2025-05-01 10:00:00.000 UTC",'
            '"2025-05-01 10:00:01.500 UTC"\n'
            '"2","FAILED","SELECT nope","2025-05-01 10:00:00.000 UTC",""\n'
            '"3","RUNNING","SELECT 1","2025-05-01 10:00:00.000 UTC",""\n'
        )
        found = workload(log)
        assert found.dialect == "trino"
        assert facts(found) == [('SELECT "a" FROM t', 1, 1.5, 2)]
        assert [(s.line, s.reason, s.kind) for s in found.skipped] == [
            (3, "the query is FAILED", "unrecorded"),
            (4, "the query is RUNNING", "unrecorded"),
        ]

    @pytest.mark.parametrize(
        ("record", "latency_s"),
        [
            (
                {
                    "queryId": "1",
                    "state": "FINISHED",
                    "query": "SELECT 1",
                    "queryStats": {"elapsedTime": "1.52s"},
                },
                1.52,
            ),
            (
                {
                    "metadata": {"queryId": "1", "query": "SELECT 1", "queryState": "FINISHED"},
                    "statistics": {"wallTime": 0.35},
                    "createTime": "2025-05-01T10:00:00Z",
                },
                0.35,
            ),
            (
                {
                    "metadata": {"queryId": "1", "query": "SELECT 1", "queryState": "FINISHED"},
                    "statistics": {"wallTime": "350.00ms"},
                },
                0.35,
            ),
            (
                {
                    "query_id": "1",
                    "state": "FINISHED",
                    "query": "SELECT 1",
                    "created": "2025-05-01 10:00:00.000 UTC",
                    "end": "2025-05-01 10:01:00.250 UTC",
                },
                60.25,
            ),
            (
                {"query_id": "1", "state": "FINISHED", "query": "SELECT 1"},
                None,
            ),
        ],
    )
    def test_json_lines_of_the_table_of_the_rest_interface_and_of_events(
        self, tmp_path, record, latency_s
    ):
        log = tmp_path / "history.jsonl"
        log.write_text(json.dumps(record) + "\n")
        assert facts(workload(log)) == [("SELECT 1", 1, latency_s, 1)]


def started(number, description, time, root=None):
    return {
        "Event": "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart",
        "executionId": number,
        "rootExecutionId": number if root is None else root,
        "description": description,
        "details": "",
        "time": time,
    }


def ended(number, time, error=""):
    return {
        "Event": "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd",
        "executionId": number,
        "time": time,
        "errorMessage": error,
    }


SPARK_EVENTS = [
    {"Event": "SparkListenerLogStart", "Spark Version": "4.1.0"},
    started(1, "CREATE VIEW v AS SELECT 1", 0, root=0),
    started(0, "CREATE VIEW v AS SELECT 1", 0),
    ended(1, 5),
    ended(0, 10),
    started(2, "SELECT a FROM t WHERE b = 1", 1000),
    ended(2, 1500),
    started(3, "collect at /jobs/report.py:15", 2000),
    ended(3, 2100),
    started(4, "SELECT nope", 3000),
    ended(4, 3100, "AnalysisException"),
    ended(5, 4100),
    started(5, "select a\nfrom t where b = 2", 3600),
    started(6, "SELECT forever", 5000),
]


SPARK_FACTS = [
    ("CREATE VIEW v AS SELECT 1", 1, 0.01, 3),
    ("SELECT a FROM t WHERE b = 1", 2, 0.5, 6),
]


SPARK_SKIPPED = [
    (8, "the event has a place in the program instead of the SQL: collect at /jobs/report.py:15"),
    (10, "the execution failed"),
    (14, "the execution did not end"),
]


def lines(events):
    return "".join(json.dumps(event) + "\n" for event in events).encode()


def check_spark(found):
    assert found.dialect == "spark"
    assert facts(found) == SPARK_FACTS
    assert [(s.line, s.reason) for s in found.skipped] == SPARK_SKIPPED
    assert {s.kind for s in found.skipped} == {"unrecorded"}


def test_sparks_event_log_gives_the_statements_that_it_has_and_counts_the_others(tmp_path):
    log = tmp_path / "app-1"
    log.write_bytes(lines(SPARK_EVENTS) + b'{"Event": "SparkListenerSQLExecutionSta')
    check_spark(workload(log))


def test_a_packed_event_log_is_read_as_it_is(tmp_path):
    packed = tmp_path / "app-1.zstd"
    with pa.CompressedOutputStream(str(packed), "zstd") as file:
        file.write(lines(SPARK_EVENTS))
    check_spark(workload(packed))


def test_the_files_of_a_rolling_event_log_are_one(tmp_path):
    folder = tmp_path / "eventlog_v2_app-1"
    folder.mkdir()
    (folder / "appstatus_app-1").write_bytes(b"")
    (folder / "events_10_app-1").write_bytes(lines(SPARK_EVENTS[7:]))
    (folder / "events_2_app-1").write_bytes(lines(SPARK_EVENTS[:7]))
    check_spark(workload(folder))
    check_spark(workload(tmp_path))


@pytest.mark.parametrize(
    "told",
    [
        {"elapsed": "1..5s"},
        {"elapsed": f"{'9' * 5_000}ms"},
        {"elapsed": float("inf")},
        {"elapsed_time_ms": "9" * 5_000},
        {"created": 1e300, "end": 2e300},
        {"created": float("nan"), "end": 1},
    ],
)
def test_a_figure_of_trinos_history_that_is_none_is_left_out(tmp_path, told):
    log = tmp_path / "queries.jsonl"
    record = {"query_id": "q", "state": "FINISHED", "query": "SELECT a FROM t", **told}
    log.write_text(json.dumps(record) + "\n")
    assert [query.latency_s for query in workload(log, "trino").queries] == [None]
