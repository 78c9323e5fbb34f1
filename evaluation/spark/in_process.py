"""Connections to stores that run within the engine's own process (DuckDB)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from evaluation.spark.java import gone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPARKS_OWN = frozenset(
    {"url", "driver", "fetchsize", "queryTimeout", "sessionInitStatement", "preferTimestampNTZ"}
)
"""Options that Spark keeps for itself and does not hand to a driver."""


@contextmanager
def connected_in_process(spark: "SparkSession", options: Mapping[str, str]) -> Iterator[Any]:
    """Open a JDBC connection in the engine's process, by the driver that the options name."""
    jvm: Any = spark._jvm
    properties = jvm.java.util.Properties()
    for key, value in options.items():
        if key not in SPARKS_OWN:
            properties.setProperty(key, value)
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    driver = jvm.java.lang.Class.forName(options["driver"], True, loader)
    instance = driver.getDeclaredConstructors()[0].newInstance(None)
    opened = instance.connect(options["url"], properties)
    try:
        yield opened
    finally:
        # A Java that has ended holds nothing open.
        with suppress(*gone()):
            opened.close()
