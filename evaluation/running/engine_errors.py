"""Errors of the engine: the innermost cause, and whether the store or the query failed."""

import re
from dataclasses import dataclass
from typing import Any

import duckdb

from evaluation.running.conversions import UnlikeTypeError
from evaluation.running.driver_duckdb import LargerThanPredictedError

_LOST_STATE = re.compile(r"08...|57P0[123]")
# An SQLSTATE beside which the text may tell that a store is lost: others name another reason, and
# their text may quote the user's data.
_VAGUE_STATE = re.compile(r"(08...|57P..|HY000)?")
# A task's exception reaches us as text where it cannot be sent as itself.
_LOST_TEXT = re.compile(
    r"I/O error occurred|[Cc]onnection (refused|reset|has been closed|is closed|attempt failed)"
    r"|Socket (error|fail)|[Rr]ead timed out|Could not connect to|Broken pipe|unexpectedly"
    r"|[Ll]ost connection to|server has gone away"
    r"|terminating connection due to|the database system is (starting|shutting|in recovery)"
)
# SQLSTATE: 21 is cardinality (a scalar subquery of two rows), 22 data (conversion, overflow, ÷ 0),
# 42 a statement that is not understood, but for what a right is missing or a table.
_QUERY_STATE = re.compile(r"2[12]...|42(?!501|P01|S02|704)...")
# MariaDB and MySQL say 42000 of these too: no right to a database, table, column or routine.
_DENIED_CODES = frozenset({"1044", "1045", "1049", "1142", "1143", "1146", "1227", "1370"})
# What has no such state: the numbers of MariaDB and MySQL, words of DuckDB's driver and of Spark.
_DATA_CODES = frozenset(
    {
        1242,  # subquery returns more than one row
        *(1264, 1690, 1916),  # out of range
        *(1292, 1366, 1367, 1411, 1918),  # not convertible
        1365,  # division by 0
        1406,  # too long
        1441,  # overflow of a moment
    }
)
_DATA_CODES_TOLD = frozenset(map(str, _DATA_CODES))
_NO_STATES = ("", "HY000")
_DUCKDBS_TEXT = re.compile(
    r"(java\.sql\.SQLException: )?"
    r"(Conversion|Out of Range|Invalid Input|Binder|Parser|Not implemented|INTERNAL) Error: "
)
_SPARKS_TEXT = re.compile(
    r"\[[A-Z_.]+\] .*\bSQLSTATE: (2[12]\w{3}|42(?!501|P01)\w{3}|XX000)\b", re.DOTALL
)
# Casts that are exact raise it, of a value that its type cannot hold.
_RAISED = "USER_RAISED_EXCEPTION"
# Raised without a state or a condition, within a few calls of Spark's planner, by its own mistakes.
_FAULTS = ("java.util.NoSuchElementException", "java.lang.NullPointerException", "scala.MatchError")
_PLANNER = "org.apache.spark.sql.catalyst."
_NEAR = 5
_QUERY_ERRORS = (
    *(duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.InvalidInputException),
    *(duckdb.BinderException, duckdb.ParserException, duckdb.NotSupportedError),
    *(duckdb.InternalException, UnlikeTypeError),
)
_DRIVERS_ERRORS = (*_QUERY_ERRORS, duckdb.OutOfMemoryException, LargerThanPredictedError)
_TOO_LARGE_TEXTS = ("maxResultBuffer", "arrive where little was predicted")
_MOST_COLLECTED = "spark.driver.maxResultSize"
_OUT_OF_MEMORY = "org.apache.spark.memory.SparkOutOfMemoryError"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The innermost cause: what it says. `origins` names the classes of all causes.

    Drivers raise exceptions of Java's own classes as well: what made them is named too.

    `lost` tells that the connection to a store ended or could not be made: by the SQLSTATE of any
    cause, or by its words. `of_query` tells that the query failed, and neither a machine nor a
    right is missing: a value is met that a function does not take, which hangs on the order of
    evaluation, or a system does not understand what was written for it, or falls over its plan.
    `of_driver` tells that the driver cannot hold its rows, or DuckDB cannot combine them there.
    """

    origins: tuple[str, ...]
    text: str
    lost: bool
    of_query: bool = False
    of_driver: bool = False

    @property
    def too_large(self) -> bool:
        """Whether a driver refused to hold a result as a whole, or a task what it hashes."""
        told = any(each in self.text for each in _TOO_LARGE_TEXTS)
        return told or _OUT_OF_MEMORY in self.origins


def cause(error: Exception) -> Cause:
    """Return the innermost cause of an error of PySpark, py4j or DuckDB."""
    java: Any = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    text, state, lost = str(error), "", False
    # What the standard library of C++ raises in DuckDB has no class of its own.
    is_nameless = type(error) is duckdb.Error
    of_query = is_nameless or isinstance(error, _QUERY_ERRORS)
    of_driver = is_nameless or isinstance(error, _DRIVERS_ERRORS)
    origins = []
    while java is not None:
        text = str(java.getMessage() or java.toString())
        origins.append(str(java.getClass().getName()))
        origins += [str(frame.getClassName()) for frame in list(java.getStackTrace())[:1]]
        state = _said(java, "getSQLState") or _said(java, "getSqlState")
        lost = lost or _LOST_STATE.fullmatch(state) is not None
        of_query = _is_of_query(java, state, text)
        java = java.getCause()
    if _VAGUE_STATE.fullmatch(state):
        lost = lost or _LOST_TEXT.search(text) is not None
    return Cause(
        origins=tuple(origins),
        text=text,
        lost=lost,
        of_query=of_query and not lost,
        of_driver=of_driver or _MOST_COLLECTED in text,
    )


def _is_of_query(java: Any, state: str, text: str) -> bool:  # noqa: ANN401 - a Java object
    """Whether a Java exception, which no other has caused, is one of the query."""
    if _said(java, "getErrorCode") in _DENIED_CODES:
        return False
    if _QUERY_STATE.fullmatch(state) or _said(java, "getCondition") == _RAISED:
        return True
    if state in _NO_STATES and _said(java, "getErrorCode") in _DATA_CODES_TOLD:
        return True
    return bool(_DUCKDBS_TEXT.match(text) or _SPARKS_TEXT.search(text)) or _is_of_planning(java)


def _is_of_planning(java: Any) -> bool:  # noqa: ANN401 - a Java object
    """Whether Spark fell over its own plan: a CAST of a constant in EXISTS without FROM, say."""
    if str(java.getClass().getName()) not in _FAULTS:
        return False
    frames = [str(frame.getClassName()) for frame in list(java.getStackTrace())[:_NEAR]]
    return any(name.startswith(_PLANNER) for name in frames)


def _said(java: Any, method: str) -> str:  # noqa: ANN401 - a Java object
    """Return what a Java exception says; nothing where it has no such method."""
    from py4j.protocol import Py4JError

    try:
        said = getattr(java, method)()
    except Py4JError:
        return ""
    return "" if said is None else str(said)
