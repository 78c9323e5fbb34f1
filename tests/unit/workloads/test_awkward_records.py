"""Records of query logs with values that no text, or no calendar, has."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.unit.workloads.recorded_logs import facts
from workloads.folding.entries import Entry
from workloads.sources.logs.pieces import Piece
from workloads.sources.logs.query_log import ParquetLog
from workloads.sources.logs.recorded import workload
from workloads.sql.parsing.lexis import lexis

HALF, PAIR = "\\ud83d", "\\ud83d\\ude00"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (HALF, "\ufffd"),
        (HALF.upper().replace("U", "u"), "\ufffd"),
        (f"{PAIR}{HALF}x", "\N{GRINNING FACE}\ufffdx"),
        (PAIR, "\N{GRINNING FACE}"),
        (f"\\\\{HALF[1:]}", f"\\{HALF[1:]}"),
    ],
)
def test_half_of_a_surrogate_pair_in_json_is_replaced_and_a_whole_one_stays(
    tmp_path, written, read
):
    log = tmp_path / "log.jsonl"
    log.write_text(f"""{{"sql":"SELECT name FROM t WHERE name = '{written}'"}}\n""")
    assert [query.sql for query in workload(log).queries] == [
        f"SELECT name FROM t WHERE name = '{read}'"
    ]


def test_sparks_events_may_have_half_of_a_surrogate_pair(tmp_path):
    log = tmp_path / "app-1"
    name = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution"
    begun = {"Event": f"{name}Start", "executionId": 1, "time": 0}
    begun |= {"rootExecutionId": 1, "description": "SELECT a FROM t WHERE b = '\ud83d'"}
    ended = {"Event": f"{name}End", "executionId": 1, "time": 10}
    too_deep = f'{{"Event": "{name}End", "x": {"[" * 100_000}'
    log.write_text(f"{json.dumps(begun)}\n{json.dumps(ended)}\n{too_deep}\n")
    assert facts(workload(log)) == [("SELECT a FROM t WHERE b = '\ufffd'", 1, 0.01, 1)]


BYTES = [b"SELECT a FROM t WHERE b = '\xc3\xa9'", b"SELECT a FROM u WHERE b = '\xff'"]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(BYTES),
        pa.array(BYTES, pa.large_binary()),
        pa.array(BYTES).dictionary_encode(),
        pa.array(BYTES).view(pa.string()),
        pa.array(BYTES).view(pa.string()).dictionary_encode(),
    ],
    ids=lambda column: str(column.type),
)
def test_bytes_in_parquet_are_text(tmp_path, column):
    table = pa.table({"sql": column, "user": pa.array([b"app", None]), "calls": [b"2", b"3"]})
    pq.write_table(table, tmp_path / "log.parquet")
    found = entries(tmp_path / "log.parquet")
    assert [(each.sql, each.executions, each.facts.user) for each in found] == [
        ("SELECT a FROM t WHERE b = 'é'", 2, "app"),
        ("SELECT a FROM u WHERE b = '\ufffd'", 3, None),
    ]


@pytest.mark.parametrize(
    ("moments", "known"),
    [
        (pa.array([2**62, 0], pa.timestamp("us")), "1970-01-01 00:00:00"),
        (pa.array([2**62, 0], pa.timestamp("ms", "Europe/Berlin")), "1970-01-01 01:00:00+01:00"),
        (pa.array([2**31 - 1, 0], pa.date32()), "1970-01-01"),
        (pa.array([0, 0], pa.timestamp("us", "Mars/Phobos")), "None"),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_a_time_in_parquet_that_no_calendar_has_is_not_known(tmp_path, moments, known):
    table = pa.table({"sql": ["SELECT a FROM t", "SELECT a FROM t"], "started": moments})
    pq.write_table(table, tmp_path / "log.parquet")
    found = [each.facts.moment for each in entries(tmp_path / "log.parquet")]
    assert [str(each) for each in found] == ["None", known]
    assert [query.executions for query in workload(tmp_path, "duckdb").queries] == [2]


def entries(path) -> list[Entry]:
    piece = Piece(format=ParquetLog.name, path=path, file=0, name="")
    return list(ParquetLog().entries(piece, lexis("duckdb")))
