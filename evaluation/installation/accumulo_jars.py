"""The jars of Accumulo: its client's, its servers', and our connector, which is compiled here."""

import os
from pathlib import Path

from evaluation.installation import artifacts
from evaluation.installation.java_jars import compiled
from evaluation.installation.spark_home import spark_home
from workloads.progress import Progress

CONNECTOR = "accumulo-connector"
CLIENT = (
    "accumulo-core",
    "accumulo-start",
    "accumulo-libthrift",
    "accumulo-opentelemetry-api",
    "accumulo-opentelemetry-context",
    "accumulo-micrometer-core",
    "accumulo-micrometer-commons",
    "accumulo-commons-configuration2",
    "accumulo-commons-vfs2",
    "accumulo-commons-logging",
)
"""A client's jars beside Spark's: they come first, because Spark's Thrift is older."""
SERVERS = (
    "accumulo-server-base",
    "accumulo-tserver",
    "accumulo-manager",
    "accumulo-gc",
    "accumulo-jcommander",
    "accumulo-caffeine",
    "accumulo-micrometer-observation",
    "accumulo-hdrhistogram",
    "accumulo-latencyutils",
    "accumulo-protobuf",
)
_SPARK_HOME = "SPARK_HOME"
_SOURCES = Path(__file__).parents[1] / "stores" / "accumulo" / "java"


def connector(progress: Progress) -> Path:
    """Return the jar of our connector, loader and embedded server.

    Raises:
        SetUpError: It cannot be compiled.
    """
    return compiled(CONNECTOR, _SOURCES, libraries(progress), progress)


def libraries(progress: Progress) -> list[Path]:
    """Return all jars of others: Accumulo's, then Spark's, which have ZooKeeper and Hadoop."""
    found = [artifacts.fetch(name, progress) for name in (*CLIENT, *SERVERS)]
    return [*found, *spark_jars()]


def class_path(progress: Progress) -> str:
    """Return the class path of our own programs: connector, Accumulo and what it needs."""
    own = [connector(progress), *(artifacts.fetch(each, progress) for each in (*CLIENT, *SERVERS))]
    return ":".join(map(str, (*own, spark_jars()[0].parent / "*")))


def spark_jars() -> list[Path]:
    """Return the jars that come with PySpark, or with the Spark that was asked by spark-submit.

    Raises:
        SetUpError: It is not installed.
    """
    folder = spark_home() / "jars"
    if not folder.is_dir() and _SPARK_HOME in os.environ:
        # To spark-submit PySpark is an archive.
        folder = Path(os.environ[_SPARK_HOME]) / "jars"
    return sorted(folder.glob("*.jar"))
