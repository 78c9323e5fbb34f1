"""The jar of our pool of JDBC connections, which is compiled here."""

from pathlib import Path

from evaluation.installation import artifacts
from evaluation.installation.accumulo_jars import spark_jars
from evaluation.installation.java_jars import compiled
from workloads.progress import Progress

POOL = "connection-pool"
POOL_JARS = ("commons-pool2", POOL)
"""Names of the jars that Spark needs for it."""
_SOURCES = Path(__file__).parents[1] / "spark" / "pool_java"
# A session of MariaDB or MySQL is reset by messages that only their driver has.
_NEEDED = ("commons-pool2", "mariadb-jdbc")


def pool(progress: Progress) -> Path:
    """Return the jar of the pool.

    Raises:
        SetUpError: It does not compile, or what it needs cannot be fetched.
    """
    needed = [artifacts.fetch(name, progress) for name in _NEEDED]
    return compiled(POOL, _SOURCES, [*needed, *spark_jars()], progress)
