"""The classes of Spark's driver as an archive that Java maps, which halves the time of a start.

Java's application class-data sharing (JEP 310 and 350): a first Java writes the classes that it has
loaded, parsed and verified. Later ones map the file and share its pages. Java checks that its own
build and the jars are those of the archive, and reads the jars where they are not.
"""

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.installation.java import version_of
from evaluation.installation.spark_home import spark_home
from evaluation.spark.arrow import arrow_table
from evaluation.spark.java import killed_if_failing
from evaluation.spark.session import session
from evaluation.spark.settings import before_spark, class_path_after_spark, is_submitted
from workloads.cache import cache_folder, disk_errors, locked, remove
from workloads.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JAVA = 17
"""The version that maps archives; 21, the other that Spark runs on, maps none."""
_KEPT = 4
"""Archives that are kept, 165 MB each: two for each environment, one of them with Accumulo."""
_UNFINISHED = ".unfinished"
_STOP_S = 180.0
"""Seconds that a Java has to write an archive; it takes 12 to 20."""
_TRIED_AGAIN_S = 86_400.0
_MAKING = "-XX:TieredStopAtLevel=1"
"""Compiling little takes less time than it saves in a session that is as short."""
_READS_JDBC = (
    "org.apache.spark.sql.execution.datasources.jdbc.JdbcRelationProvider",
    "org.apache.spark.sql.execution.datasources.jdbc.JDBCRDD",
    "org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils",
    "org.apache.spark.sql.jdbc.PostgresDialect",
    "org.apache.spark.sql.jdbc.MySQLDialect",
)
# Joins of both kinds, groupings, windows, sorts, unions, decimals, days and texts.
_TABLES = {
    "facts": """
        SELECT id, id % 7 AS k, CAST(id AS DECIMAL(15, 2)) / 3 AS price, CAST(id AS STRING) AS name,
            DATE_ADD(DATE '2000-01-01', CAST(id % 900 AS INT)) AS day
        FROM RANGE(2000)""",
    "names": "SELECT id AS k, CONCAT('n', id) AS name FROM RANGE(7)",
}
_STATEMENTS = (
    """SELECT n.name, YEAR(f.day) AS y, SUM(f.price) AS s, AVG(f.id) AS a, COUNT(DISTINCT f.id) AS c
        FROM facts AS f JOIN names AS n ON n.k = f.k
        WHERE f.day > DATE '2000-02-01' AND f.name LIKE '1%'
        GROUP BY ROLLUP (n.name, YEAR(f.day)) HAVING SUM(f.price) > 1
        ORDER BY s DESC NULLS LAST, n.name LIMIT 10""",
    """WITH t AS (SELECT k, SUM(price) AS s FROM facts GROUP BY k)
        SELECT /*+ MERGE(b) */ a.k, CASE WHEN a.s > 3 THEN 'x' ELSE UPPER(b.name) END AS x,
            RANK() OVER (PARTITION BY b.name ORDER BY a.s) AS r
        FROM t AS a LEFT JOIN names AS b ON a.k = b.k WHERE a.s > (SELECT AVG(s) / 2 FROM t)
        UNION ALL SELECT k, name, 1 FROM names WHERE k IN (SELECT id FROM facts)""",
    "SELECT COUNT(*) FROM facts AS a WHERE EXISTS (SELECT 1 FROM names AS b WHERE b.k = a.id)",
)


def class_sharing(java_home: Path, jars: Sequence[Path], progress: Progress) -> str:
    """Return the options by which the driver of a session with these jars maps its classes.

    The archive is made where there is none yet, by a session of its own: once for each Java and
    Spark. There are no options under spark-submit, whose Java runs already, and where Java cannot
    map an archive. It cannot if a folder with files is on the class path, as the user's
    `SPARK_CONF_DIR` is. Java 21 cannot where a jar is named twice, and Spark names one twice.

    Raises:
        SetUpError: The cache cannot be written.
    """
    if is_submitted() or any(_files_of_settings()) or version_of(java_home) != _JAVA:
        return ""
    target = cache_folder() / "java" / f"spark-{_key(java_home, jars)}.jsa"
    with locked("spark-classes", progress), disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        if not _was_tried(target):
            with progress.task("Preparing Spark's classes, once, for faster starts"):
                _make(target, java_home, jars)
        if not target.stat().st_size:
            return ""
        os.utime(target)
        _prune(target.parent)
    return _option("SharedArchiveFile", target)


def _was_tried(target: Path) -> bool:
    """Tell whether there is an archive, or an empty file, which says that none could be made.

    That may have been for want of memory, or of room on the disk: it is tried again after a day.
    """
    if not target.is_file():
        return False
    status = target.stat()
    return status.st_size > 0 or time.time() - status.st_mtime < _TRIED_AGAIN_S


def _make(target: Path, java_home: Path, jars: Sequence[Path]) -> None:
    """Make the archive, or an empty file if that fails.

    The session that was to map it tells why Spark does not start, if it does not.
    """
    unfinished = target.with_suffix(_UNFINISHED)
    remove(unfinished)
    with (
        suppress(Exception),
        session(
            master="local[2]",
            # Java only maps an archive whose class path the session's own begins with.
            jars=before_spark(jars),
            java_home=java_home,
            driver_memory="1g",
            java_options=f"{_MAKING} {_option('ArchiveClassesAtExit', unfinished)}",
            stop_s=_STOP_S,
        ) as spark,
        killed_if_failing(spark),
    ):
        _load_classes(spark)
    if unfinished.is_file():
        unfinished.replace(target)
    else:
        target.touch()


def _load_classes(spark: "SparkSession") -> None:
    for name, text in _TABLES.items():
        spark.sql(text).createOrReplaceTempView(name)
    for text in _STATEMENTS:
        arrow_table(spark.sql(text))
    jvm: Any = spark.sparkContext._jvm
    for name in _READS_JDBC:
        jvm.java.lang.Class.forName(name)


def _option(name: str, path: Path) -> str:
    """Return an option with a path, as Spark takes options apart: quoted."""
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"-XX:{name}={escaped}"'


def _prune(folder: Path) -> None:
    """Remove the archives that were not used for longest, and what a killed process left of one.

    A Java that has mapped an archive keeps it.
    """
    found = sorted(folder.glob("spark-*.jsa"), key=lambda each: each.stat().st_mtime)
    for each in [*found[:-_KEPT], *folder.glob(f"spark-*{_UNFINISHED}")]:
        remove(each)


def _key(java_home: Path, jars: Sequence[Path]) -> str:
    """Return a name for all that Java compares before it maps an archive."""
    digest = hashlib.sha256(repr(class_path_after_spark(())).encode())
    java = java_home.resolve()
    files = [*before_spark(jars), *sorted((spark_home() / "jars").iterdir())]
    for file in (java / "release", java / "bin" / "java", *files):
        if file.is_file():
            status = file.stat()
            digest.update(f"{file} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def _files_of_settings() -> Iterator[Path]:
    folder = Path(os.environ.get("SPARK_CONF_DIR") or spark_home() / "conf")
    return folder.iterdir() if folder.is_dir() else iter(())
