"""Our connector to Accumulo as a plugin of Trino: a folder of jars, compiled here."""

from collections.abc import Iterator
from pathlib import Path

from evaluation.installation import artifacts
from evaluation.installation.accumulo_jars import CLIENT, connector, spark_jars
from evaluation.installation.java_jars import compiled
from workloads.progress import Progress

NAME = "placement-advisor-accumulo"
_SOURCES = Path(__file__).parents[1] / "stores" / "accumulo" / "trino"
_BESIDE = ("accumulo-caffeine", "trino-jackson-core", "trino-jackson-databind")
_GIVEN = ("trino-spi", "trino-slice")
# What Accumulo's client needs of what PySpark has.
_NEEDED = (
    *("commons-", "failureaccess-", "gson-", "guava-", "hadoop-client-", "log4j-", "netty-"),
    *("slf4j-api-", "snakeyaml-2", "zookeeper-"),
)


def plugin_jars(progress: Progress) -> tuple[Path, ...]:
    """Return the jars of the plugin's folder.

    Raises:
        SetUpError: One cannot be fetched, or the connector does not compile.
    """
    given = [artifacts.fetch(each, progress) for each in _GIVEN]
    ours, others = connector(progress), tuple(_others(progress))
    plugin = compiled(NAME, _SOURCES, [ours, *others, *given, *spark_jars()], progress)
    return (plugin, ours, *others)


def _others(progress: Progress) -> Iterator[Path]:
    for each in (*CLIENT, *_BESIDE):
        yield artifacts.fetch(each, progress)
    yield from (jar for jar in spark_jars() if jar.name.startswith(_NEEDED))
