"""Answers of DuckDB and of engines, compared as a run compares them."""

import duckdb

from evaluation.judging.answer import Answer
from evaluation.judging.comparison import difference
from evaluation.judging.duckdb_answer import duckdb_answer
from evaluation.judging.given_names import with_given_names
from evaluation.judging.oracle import Oracle
from evaluation.judging.types import TypeRule
from evaluation.judging.verdict import verdict
from evaluation.measuring.measurement import QueryOutcome
from workloads.workload import Query


def refused(
    oracle: Oracle, query: Query, answer: Answer, types: TypeRule = TypeRule.EXACT
) -> str | None:
    """Say why an answer is not verified; None if it is."""
    found = verdict(oracle, query, answer, types)
    return None if found.outcome is QueryOutcome.VERIFIED else f"{found.outcome}: {found.message}"


def refused_sql(
    oracle: Oracle,
    query: Query,
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    columns: int | None = None,
) -> str | None:
    """Say why the answer of a part of the compiler, run in DuckDB, is not verified.

    Of a fragment that is a whole query `columns` are the query's: behind them stands what it is
    ordered by.

    Types are those of its families: their widths are given once the whole query is compiled.
    """
    found = duckdb_answer(connection, sql)
    rows = [row[:columns] for row in found.rows]
    answer = Answer(columns=found.columns[:columns], rows=rows)
    return refused(oracle, query, answer, TypeRule.FAMILY)


def differ(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    other: str,
    types: TypeRule = TypeRule.EXACT,
) -> str | None:
    """Say how the answers of two statements of DuckDB differ as multisets; None if they do not."""
    query = Query(name="q", sql=sql, origin="q")
    expected = with_given_names(duckdb_answer(connection, sql), query)
    return difference(expected, duckdb_answer(connection, other), types=types)
