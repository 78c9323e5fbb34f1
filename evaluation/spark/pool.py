"""Connections that Spark's reads of one run share: the options that ask for them, and their end.

The pool is in Java (`pool_java`), one in each process that reads data. It closes what has been idle
for three seconds. So the executors of a cluster need not be told when a run ends.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from evaluation.spark.java import gone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PROVIDER = "placementadvisor.pool.Provider"


def shared_by(run: str) -> Mapping[str, str]:
    """Return the options of Spark's JDBC by which reads of `run` share connections."""
    return {"connectionProvider": "placement-advisor", "poolOfRun": run}


@contextmanager
def pool_of(spark: "SparkSession", run: str) -> Iterator[None]:
    """Close the idle connections of `run` in this process when the block ends."""
    try:
        yield
    finally:
        # A Java that has ended holds nothing open.
        with suppress(*gone()):
            jvm: Any = spark._jvm
            loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
            provider = jvm.java.lang.Class.forName(_PROVIDER, True, loader)
            provider.getDeclaredConstructors()[0].newInstance(None).end(run)
