"""The executors that a Spark session has."""

import time
from typing import TYPE_CHECKING, Any

from evaluation.spark.settings import is_local
from workloads.errors import SetUpError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PATIENCE_S = 60.0
_POLL_S = 0.1


def executors(spark: "SparkSession") -> int:
    """Return how many executors there are now; none on a local master."""
    java: Any = spark.sparkContext._jsc
    # The driver is among them.
    return int(java.sc().getExecutorMemoryStatus().size()) - 1


def await_executors(spark: "SparkSession", wanted: int | None) -> None:
    """Wait until a cluster has started all executors, or the first where none are `wanted`.

    Spark would start with fewer, and wait without a word where there are none.

    Raises:
        SetUpError: They are not there after a minute.
    """
    master = str(spark.sparkContext.master)
    if is_local(master):
        return
    ends = time.monotonic() + _PATIENCE_S
    least = wanted or 1
    while (found := executors(spark)) < least:
        if time.monotonic() > ends:
            raise SetUpError(
                f"Spark's master {master} started {found} of {least} executors within "
                f"{_PATIENCE_S:g} s: let other applications end, start more workers, or lower "
                "[evaluate].workers, executor_cores or executor_memory."
            )
        time.sleep(_POLL_S)
