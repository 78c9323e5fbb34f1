"""DuckDB in the driver without Spark: the memory that it tells of."""

from types import SimpleNamespace
from typing import Any

from evaluation.federation.compiled import CompiledQuery
from evaluation.judging.answer import Answer
from evaluation.running.driver_duckdb import DriverFrame

FAULTY = """SELECT count(*) AS n
FROM (SELECT range AS i, CASE WHEN range = 7 THEN 'x' ELSE '1' END AS s FROM range(10)) AS a
JOIN (SELECT range AS j FROM range(3)) AS b ON a.i = b.j WHERE CAST(a.s AS INTEGER) = 1"""
"""DuckDB's own plan casts a row that the join drops: another plan answers."""


def collected(tmp_path, sql: str) -> tuple[DriverFrame, Answer]:
    query = CompiledQuery(query="q", fragments=(), combine_sql=sql, combiner="duckdb")
    source: Any = SimpleNamespace(begin=dict, rows={})
    frame = DriverFrame(query=query, source=source, folder=tmp_path)
    return frame, frame.collect()


def test_the_memory_of_the_database_is_told(tmp_path):
    frame, _ = collected(tmp_path, "SELECT range AS i, count(*) FROM range(100000) GROUP BY i")
    assert frame.took is not None
    assert frame.took.memory_bytes > 1_000_000
    assert frame.counted({}).peak_memory_bytes == frame.took.memory_bytes


def test_an_answer_by_another_plan_is_an_answer(tmp_path):
    frame, answer = collected(tmp_path, FAULTY)
    assert answer.rows == [(3,)]
    assert frame.have_arrived
