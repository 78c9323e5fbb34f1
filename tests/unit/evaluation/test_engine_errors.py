"""What is read out of the engine's exceptions, without an engine."""

from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.engine_errors import cause

TASK = "org.apache.spark.SparkException"


def java(name: str, message: str, of: Any = None) -> Any:
    return SimpleNamespace(
        getMessage=lambda: message,
        toString=lambda: name,
        getClass=lambda: SimpleNamespace(getName=lambda: name),
        getStackTrace=list,
        getCause=lambda: of,
        getSQLState=str,
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
