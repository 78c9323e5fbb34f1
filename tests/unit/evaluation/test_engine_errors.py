"""What is read out of the engine's exceptions, without an engine."""

from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from evaluation.running.engine_errors import cause

TASK = "org.apache.spark.SparkException"


def java(
    name: str,
    message: str,
    of: Any = None,
    *,
    state: str | None = "",
    sparks_state: str | None = "",
    code: int | None = 0,
    condition: str | None = "",
    frames: tuple[str, ...] = (),
) -> Any:
    return SimpleNamespace(
        getMessage=lambda: message,
        toString=lambda: name,
        getClass=lambda: SimpleNamespace(getName=lambda: name),
        getStackTrace=lambda: [SimpleNamespace(getClassName=lambda n=n: n) for n in frames],
        getCause=lambda: of,
        getSQLState=lambda: state,
        getSqlState=lambda: sparks_state,
        getErrorCode=lambda: code,
        getCondition=lambda: condition,
    )


def failed(of: Any) -> Exception:
    error = RuntimeError("An error occurred while calling collect")
    error.__dict__["java_exception"] = java(TASK, "Job aborted due to stage failure", of)
    return error


@pytest.mark.parametrize(
    ("name", "message", "too_large"),
    [
        (
            "org.apache.spark.memory.SparkOutOfMemoryError",
            "There is not enough memory to build hash map.",
            True,
        ),
        ("org.postgresql.util.PSQLException", "Result set exceeded maxResultBuffer limit.", True),
        ("org.postgresql.util.PSQLException", "out of memory", False),
        ("java.lang.OutOfMemoryError", "Java heap space", False),
    ],
)
def test_what_is_larger_than_predicted_may_be_tried_otherwise(name, message, too_large):
    found = cause(failed(java(name, message)))
    assert found.too_large == too_large
    assert found.text == message
    assert found.origins == (TASK, name)


def test_what_the_driver_cannot_hold_may_be_tried_otherwise():
    full = cause(duckdb.OutOfMemoryException("Out of Memory Error: failed to pin block"))
    # What only DuckDB can combine would fail once more.
    assert (full.of_driver, full.too_large) == (True, False)
    in_store = java("java.sql.SQLException", "Out of Memory Error: failed to pin block")
    assert not cause(failed(in_store)).of_driver
    many = "Total size of serialized results is bigger than spark.driver.maxResultSize 1024.0 MiB."
    assert cause(failed(java(TASK, many))).of_driver


PG, MARIA = "org.postgresql.util.PSQLException", "java.sql.SQLSyntaxErrorException"
DUCK = "java.sql.SQLException"
SPARK = "org.apache.spark.SparkArithmeticException"


@pytest.mark.parametrize(
    "error",
    [
        java(PG, 'ERROR: invalid input syntax for type integer: "a"', state="22P02"),
        java(PG, "ERROR: integer out of range", state="22003"),
        java(PG, "ERROR: more than one row returned by a subquery", state="21000"),
        java(MARIA, "(conn=7) BIGINT value is out of range", state="22003", code=1690),
        java(MARIA, "(conn=7) Incorrect datetime value", state="HY000", code=1411),
        java(MARIA, "(conn=7) Subquery returns more than 1 row", state="21000", code=1242),
        java(DUCK, "Conversion Error: Could not convert string 'a' to INT32", state=None),
        java(DUCK, "Out of Range Error: Overflow in addition", state=None),
        java(SPARK, "[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012", sparks_state="22012"),
        java(TASK, "[USER_RAISED_EXCEPTION] no boolean: 2", condition="USER_RAISED_EXCEPTION"),
        java(PG, "ERROR: operator does not exist: text + integer", state="42883"),
        java(PG, 'ERROR: syntax error at or near "ALL"', state="42601"),
        java(MARIA, "(conn=7) You have an error in your SQL syntax", state="42000", code=1064),
        java(DUCK, "Binder Error: Referenced column not found", state=None),
        java(SPARK, "[DATATYPE_MISMATCH] no SQLSTATE: 42K09", sparks_state="42K09"),
        # A task's exception that cannot be sent as itself.
        java(TASK, "Lost task 0.0: [CAST_INVALID_INPUT] The value 'a'\n SQLSTATE: 22018\n at"),
    ],
)
def test_a_value_that_fails_and_sql_that_is_not_understood_are_errors_of_the_query(error: Any):
    assert cause(failed(error)).of_query


@pytest.mark.parametrize(
    "error",
    [
        java(PG, "ERROR: could not extend file: No space left on device", state="53100"),
        java(PG, "ERROR: permission denied for table item", state="42501"),
        java(PG, 'ERROR: relation "item" does not exist', state="42P01"),
        java(PG, "ERROR: something else", state="XX000"),
        java(PG, "This connection has been closed.", state="08003"),
        java(MARIA, "(conn=7) Table 'item' doesn't exist", state="42S02", code=1146),
        java(MARIA, "(conn=7) SELECT command denied to user", state="42000", code=1142),
        java(MARIA, "(conn=7) The table 'x' is full", state="HY000", code=1114),
        java(DUCK, "IO Error: Could not write file: No space left on device", state=None),
        java(DUCK, "Catalog Error: Table with name item does not exist!", state=None),
        java(SPARK, "[TABLE_OR_VIEW_NOT_FOUND] item SQLSTATE: 42P01", sparks_state="42P01"),
        java("java.io.IOException", "No space left on device"),
        java("java.lang.NullPointerException", ""),
    ],
)
def test_what_somebody_has_to_mend_is_no_error_of_the_query(error: Any):
    assert not cause(failed(error)).of_query


def test_the_innermost_cause_tells_whether_the_query_failed():
    full = java("java.io.IOException", "No space left on device")
    outer = java(SPARK, "[CAST_INVALID_INPUT] SQLSTATE: 22018", full, sparks_state="22018")
    assert not cause(failed(outer)).of_query


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (java(PG, 'invalid input syntax for type integer: "Broken pipe"', state="22P02"), False),
        (java(PG, "An I/O error occurred while sending to the backend.", state="08006"), True),
        (java(MARIA, "(conn=7) Socket error", state="HY000"), True),
        (java("java.net.ConnectException", "Connection refused"), True),
        # The state of the engine's own exception tells nothing of its cause.
        (
            java(TASK, "failed", java("java.io.IOException", "Broken pipe"), sparks_state="XX0"),
            True,
        ),
    ],
)
def test_words_of_the_data_lose_no_store(error: Any, lost: bool):
    found = cause(failed(error))
    assert (found.lost, found.of_query) == (lost, not lost)


@pytest.mark.parametrize(
    ("sql", "of_query"),
    [
        ("SELECT CAST('a' AS INTEGER)", True),
        ("SELECT CAST(127 AS TINYINT) + CAST(1 AS TINYINT)", True),
        ("SELECT (SELECT range FROM range(2))", True),
        ("SELECT 'a' + DATE '2000-01-01'", True),
        ("SELEC 1", True),
        ("FROM item", False),
        ("FROM read_parquet('nowhere.parquet')", False),
    ],
)
def test_errors_of_duckdb_in_the_driver_are_told_apart(sql: str, of_query: bool):
    with pytest.raises(duckdb.Error) as raised:
        duckdb.sql(sql).fetchall()
    assert cause(raised.value).of_query == of_query


PLANNER = "org.apache.spark.sql.catalyst.expressions.Cast"


@pytest.mark.parametrize(
    ("name", "frames", "of_query"),
    [
        ("java.util.NoSuchElementException", ("scala.None$", "scala.None$", PLANNER), True),
        ("java.lang.NullPointerException", (PLANNER,), True),
        ("java.util.NoSuchElementException", ("scala.None$", "org.postgresql.Driver"), False),
        ("java.lang.NullPointerException", ("org.mariadb.jdbc.Statement",) * 5 + (PLANNER,), False),
        ("java.lang.OutOfMemoryError", (PLANNER,), False),
    ],
)
def test_what_sparks_planner_falls_over_is_of_the_query(name, frames, of_query):
    assert cause(failed(java(name, "None.get", frames=frames))).of_query == of_query
