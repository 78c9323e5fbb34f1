"""Folding a log as a Spark job gives what folding it here gives."""

import csv
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluation import fold
from evaluation.fold import fold_in
from evaluation.installation.java import java_home
from workloads.counting.counting import Counting
from workloads.counting.filters import Filters
from workloads.errors import ConfigurationError, SqlError
from workloads.progress import Silent
from workloads.sources.joined import refuse_nothing_left
from workloads.sources.logs import cutting
from workloads.sources.logs.recorded import workload
from workloads.workload import Query

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A folder with a CSV whose statements have several lines, Parquet and JSON lines."""
    folder = tmp_path / "log"
    folder.mkdir()
    statements = [
        (f"select c{n % 37}\nfrom t where a = 'x;\n\"{n}\"' and b in ({n}, {n + 1})", n % 5, n / 7)
        for n in range(3_000)
    ]
    header = ["sql", "executions", "latency_s"]
    with (folder / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *statements])
    columns = zip(*statements, strict=True)
    table = pa.table(dict(zip(header, map(list, columns), strict=True)))
    pq.write_table(table, folder / "b.parquet", row_group_size=500)
    with (folder / "c.jsonl").open("w") as file:
        file.writelines(json.dumps({"sql": sql, "calls": n + 1}) + "\n" for sql, n, _ in statements)
    return folder


def test_equal_queries_examples_order_and_rejects(
    spark: "SparkSession", log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = workload(log, "duckdb")
    assert len(here.queries) == 37
    # Rows of 0 executions are left out of the CSV and the Parquet.
    assert sum(each.executions for each in here.skipped) == 2 * 600
    for size in (5_000, 60_000, 10**9):
        monkeypatch.setattr(cutting, "PIECE_BYTES", size)
        assert fold_in(spark, log, "duckdb") == here


def test_filters_hold_in_a_spark_job(
    spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "log.csv").open("w", newline="") as file:
        rows = ((f"select c{n % 7} from t where a = {n}", f"u{n % 30}") for n in range(3_000))
        csv.writer(file).writerows([("sql", "user"), *rows])
    chosen = Counting(filters=Filters(user=("u3", "u7")))
    here = workload(tmp_path, "duckdb", counting=chosen)
    assert sum(query.executions for query in here.queries) == 200
    monkeypatch.setattr(cutting, "PIECE_BYTES", 5_000)
    there = fold_in(spark, tmp_path, "duckdb", counting=chosen)
    assert (there, there.seen) == (here, here.seen)
    nothing = fold_in(spark, tmp_path, "duckdb", counting=Counting(filters=Filters(user=("x",))))
    with pytest.raises(ConfigurationError, match=r"user 'x'; it has 'u0', 'u1', 'u10'"):
        refuse_nothing_left(nothing, Filters(user=("x",)))


def test_errors_of_tasks_are_ours(
    spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting, "PIECE_BYTES", 1)
    (tmp_path / "a.sql").write_text("select 1")
    (tmp_path / "b.sql").write_text("-- name: a\nselect 2")
    with pytest.raises(ConfigurationError, match=r"'a' \(.*a\.sql:1 and .*b\.sql:2\)"):
        fold_in(spark, tmp_path, "duckdb")
    (tmp_path / "b.sql").write_text("select 1;\nselect 'open")
    with pytest.raises(SqlError, match=r"b\.sql:2:8: the quoted text does not end"):
        fold_in(spark, tmp_path, "duckdb")


def test_the_submitted_job_writes_a_log_that_folds_to_the_same(log: Path, tmp_path: Path) -> None:
    output = tmp_path / "folded.jsonl"
    ended = subprocess.run(
        [
            sys.executable,
            str(Path(fold.__file__).parent / "jobs" / "fold.py"),
            *("--dialect", "duckdb", "-o", str(output), str(log)),
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert "37 templates in the SQL of duckdb" in ended.stderr

    refused = subprocess.run(
        [*ended.args, "--user", "ann", "--since", "2025-05-01"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert refused.returncode == 2
    assert "user 'ann'; it has no user" in refused.stderr
    again, before = workload(output, "duckdb").queries, workload(log, "duckdb").queries

    def bare(query: Query) -> Query:
        return replace(query, origin="", line=1, latency_s=None)

    assert list(map(bare, again)) == list(map(bare, before))
    # Means are recorded to the nanosecond.
    latencies = [query.latency_s for query in before]
    assert [query.latency_s for query in again] == pytest.approx(latencies, abs=2e-9)


_EVENTS = """
import sys
from pathlib import Path
from evaluation.spark.session import session
settings = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": sys.argv[2]}
settings |= dict(pair.split("=") for pair in sys.argv[3:])
with session(
    master="local[1]", java_home=Path(sys.argv[1]), driver_memory="512m", settings=settings
) as spark:
    spark.range(10).createOrReplaceTempView("t")
    for number in (3, 5):
        statement = f"SELECT count(*) AS n\\nFROM t WHERE id > {number}"
        spark.sparkContext.setJobDescription(statement)
        spark.sql(statement).collect()
    spark.sparkContext.setJobDescription(None)
    spark.sql("SELECT id FROM t").collect()
"""


@pytest.mark.parametrize(
    "settings",
    [
        ("spark.eventLog.rolling.enabled=false", "spark.eventLog.compress=false"),
        ("spark.eventLog.rolling.enabled=true", "spark.eventLog.compress=true"),
        (
            "spark.eventLog.rolling.enabled=false",
            "spark.eventLog.compress=true",
            "spark.eventLog.compression.codec=lz4",
        ),
    ],
)
def test_event_logs_that_spark_wrote_are_read(tmp_path: Path, settings: tuple[str, ...]) -> None:
    """What a program ran by spark.sql(…) has its statement in no event of Spark 4.3."""
    java = str(java_home(Silent()))
    named = "spark.app.name=nightly"  # the advisor's own applications are no workload
    command = [sys.executable, "-c", _EVENTS, java, tmp_path.as_uri(), named, *settings]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(command, env=environment, check=True, timeout=600)
    found = workload(tmp_path)
    assert found.dialect == "spark"
    assert [(q.sql, q.executions) for q in found.queries] == [
        ("SELECT count(*) AS n\nFROM t WHERE id > 3", 2)
    ]
    latency_s = found.queries[0].latency_s
    assert latency_s is not None
    assert latency_s > 0
    assert {s.kind for s in found.skipped} == {"unrecorded"}
    assert all("place in the program instead of the SQL" in s.reason for s in found.skipped)
