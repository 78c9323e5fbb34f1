"""Connections to stores that run within the engine's own process (DuckDB)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPARKS_OWN = frozenset(
    {"url", "driver", "fetchsize", "queryTimeout", "sessionInitStatement", "preferTimestampNTZ"}
)
"""Options that Spark keeps for itself and does not hand to a driver."""


def connect_in_process(spark: "SparkSession", options: Mapping[str, str]) -> Any:  # noqa: ANN401 - a Java object
    """Open a JDBC connection in the engine's process, by the driver that the options name."""
    jvm: Any = spark._jvm
    properties = jvm.java.util.Properties()
    for key, value in options.items():
        if key not in SPARKS_OWN:
            properties.setProperty(key, value)
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    driver = jvm.java.lang.Class.forName(options["driver"], True, loader)
    instance = driver.getDeclaredConstructors()[0].newInstance(None)
    return instance.connect(options["url"], properties)
