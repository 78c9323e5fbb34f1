"""Settings of a Spark session, on this machine and on a cluster."""

import os
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from workloads.counting.own import APPLICATION
from workloads.errors import SetUpError

STANDALONE = "spark://"
_LOCAL = re.compile(r"local(\[\*\])?")
_ANSWER_S = 5.0
_DAEMON = "spark.python.daemon.module"
JAVA_OPTIONS = "-XX:-UsePerfData -Duser.timezone=UTC"
"""Of every Java that reads from stores: drivers make dates and times of its time zone."""
# Where classes are many before it looks, they would be collected at every growth.
_COLLECTOR = "-XX:+UseParallelGC -XX:MetaspaceSize=256m"
_OPTIONS_OF_ALL_JAVA = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")
_BEHIND = "SPARK_DIST_CLASSPATH"
_NEWER_THAN_SPARKS = "libthrift-"
"""How the names of jars begin whose classes Spark has in an older version: Accumulo needs ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Executors:
    """Executors of a cluster: as many as `workers`, each on a worker of its own.

    Where there are fewer workers some have several. None leaves it to Spark: an executor on each
    worker, with all its cores, and 1 GB of memory. `memory` is in Spark's spelling. On a local
    master `workers` is the number of threads, and the rest has no meaning.
    """

    workers: int | None = None
    cores: int | None = None
    memory: str | None = None

    @property
    def cores_each(self) -> int | None:
        """The cores of an executor; one where only the workers are counted."""
        return self.cores or (1 if self.workers else None)

    @property
    def settings(self) -> Mapping[str, str]:
        """Spark's settings for them on a cluster."""
        found = {} if self.memory is None else {"spark.executor.memory": self.memory}
        if self.cores_each is not None:
            found["spark.executor.cores"] = str(self.cores_each)
        if self.workers is not None and self.cores_each is not None:
            found |= {
                "spark.executor.instances": str(self.workers),
                # A standalone master counts cores, and spreads them over its workers.
                "spark.cores.max": str(self.workers * self.cores_each),
                "spark.dynamicAllocation.enabled": "false",
            }
        return found


def is_local(master: str) -> bool:
    """Tell whether executors are threads of the driver."""
    return master.startswith("local")


def contradiction(master: str, executors: Executors) -> str | None:
    """Return why `executors` cannot be had of `master`, and what to write instead; None if so."""
    if not is_local(master):
        return None
    if executors.cores or executors.memory:
        return (
            f"the master '{master}' runs everything in one process, which has no executors: take "
            "executor_cores and executor_memory out, or name a cluster as master"
        )
    if executors.workers and not _LOCAL.fullmatch(master):
        return (
            f"the master '{master}' says already how many threads there are: write "
            "master = 'local', or leave workers out"
        )
    return None


def settled(master: str, executors: Executors) -> str:
    """Return the master with its number of threads, where it is local and they are given."""
    return f"local[{executors.workers}]" if is_local(master) and executors.workers else master


def semantics() -> Mapping[str, str]:
    """Return the settings on which results depend, alike under spark-submit."""
    return {
        "spark.sql.session.timeZone": "UTC",
        # Overflows and impossible casts are errors, as in DuckDB, and never a silent NULL.
        "spark.sql.ansi.enabled": "true",
        # Digits that 38 cannot hold are an error as well, and not cut behind the sixth of a scale.
        "spark.sql.decimalOperations.allowPrecisionLoss": "false",
        # Decimals that meet keep the larger scale, as in DuckDB: 0.5 beside 38 digits stays 0.5.
        "spark.sql.legacy.decimal.retainFractionDigitsOnTruncate": "true",
        # Days that filters hand to scans: java.sql.Date has other days before 1582-10-15.
        "spark.sql.datetime.java8API.enabled": "true",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }


def cancelling() -> Mapping[str, str]:
    """Return the settings by which cancelled tasks end, alike under spark-submit.

    A task's connection is closed when it is cancelled, and drivers may wait for the store then.
    Without the reaper's threads that stops all that the scheduler has to do.
    """
    return {
        "spark.task.reaper.enabled": "true",
        "spark.task.reaper.threadDump": "false",
        # An executor, not our own Java, ends if its task has not.
        "spark.task.reaper.killTimeout": "30s",
        # Rows come over a socket at which Java and Python know each other by a secret. Where that
        # takes longer than this, PySpark waits for Java without an end and cannot be cancelled.
        "spark.python.authenticate.socketTimeout": "10m",
    }


def own(
    folder: Path,
    jars: Sequence[Path],
    *,
    master: str,
    address: str | None,
    driver_memory: str,
    executors: Executors,
    java_options: str = "",
) -> Mapping[str, str]:
    """Return what a session that we start ourselves has, with its temporary files in `folder`.

    `address` is where executors reach the driver; None leaves it to Spark. `java_options` are
    further ones of the driver. Only the jars of `before_spark` are in the settings of its class
    path: the others come by `class_path_after_spark`.
    """
    first = os.pathsep.join(map(str, before_spark(jars)))
    classes = {"spark.driver.extraClassPath": first} if first else {}
    if jars and not is_local(master):
        classes["spark.jars"] = ",".join(map(str, jars))
    here = {"spark.driver.host": address, "spark.driver.bindAddress": address} if address else {}
    return {
        **semantics(),
        **cancelling(),
        **classes,
        **here,
        **(_in_one_process() if is_local(master) else executors.settings),
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
        "spark.master": settled(master, executors),
        "spark.driver.memory": driver_memory,
        "spark.app.name": APPLICATION,
        "spark.ui.enabled": "false",
        # The classes of ten queries are more than the hundred that it keeps.
        "spark.sql.codegen.cache.maxEntries": "2000",
        # What is kept for a query is read a few times and let go: packing it takes longer.
        "spark.sql.inMemoryColumnarStorage.compressed": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": str(_partitions(master, executors)),
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        "spark.sql.catalogImplementation": "in-memory",
        # Drivers unpack native libraries there; a killed Java would leave them in /tmp.
        "spark.driver.extraJavaOptions": _driver_options(folder, master) + f" {java_options}",
    }


def before_spark(jars: Sequence[Path]) -> Sequence[Path]:
    """Return the jars that come before Spark's own on a class path: they replace classes of it."""
    return [jar for jar in jars if jar.name.startswith(_NEWER_THAN_SPARKS)]


def class_path_after_spark(jars: Sequence[Path]) -> Mapping[str, str]:
    """Return the variable by which the other jars come after Spark's own on the class path.

    They come after the user's own. Sessions whose class paths begin alike share an archive of
    classes (`evaluation.spark.class_sharing`).
    """
    first = before_spark(jars)
    given = os.environ.get(_BEHIND, "")
    names = [*([given] if given else []), *(str(jar) for jar in jars if jar not in first)]
    return {_BEHIND: os.pathsep.join(names)} if names else {}


def is_submitted() -> bool:
    """Tell whether this process runs under spark-submit, which has started Java already."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _in_one_process() -> Mapping[str, str]:
    """Return the settings of a session whose executors are the driver's threads."""
    return {
        _DAEMON: "evaluation.objects.spark_daemon",
        # Each sort, hash and aggregation of each task begins with a page. Few cores and much memory
        # make these 64 MB, of which some queries fill the heap.
        "spark.buffer.pageSize": "2m",
    }


def _driver_options(folder: Path, master: str) -> str:
    """Return the options of the driver's Java.

    Where it is the executors too, it collects garbage in pauses, which a query is done sooner
    with, and not beside the query. Java refuses to start with two collectors.
    """
    options = f"-Djava.io.tmpdir={folder} {JAVA_OPTIONS}"
    chosen = any("GC" in os.environ.get(name, "") for name in _OPTIONS_OF_ALL_JAVA)
    return options if chosen or not is_local(master) else f"{options} {_COLLECTOR}"


def _partitions(master: str, executors: Executors) -> int:
    """Two for each core, or Spark's own 200 where nobody knows how many there are."""
    if executors.workers:
        return 2 * executors.workers * (executors.cores_each or 1)
    return 2 * (os.cpu_count() or 1) if is_local(master) else 200


def driver_address(master: str) -> str | None:
    """Return the address of this machine that executors reach it by, as far as it is known.

    Towards a standalone master it is the one that connections to the master come from: the name
    of a machine often stands for loopback. Of other clusters nothing is known.

    Raises:
        SetUpError: The master does not answer.
    """
    if is_local(master):
        return "127.0.0.1"
    if not master.startswith(STANDALONE):
        return None
    reason = ""
    for each in master.removeprefix(STANDALONE).split(","):
        try:
            where = urlsplit(f"//{each}")
            with socket.create_connection((where.hostname, where.port or 0), _ANSWER_S) as found:
                return str(found.getsockname()[0])
        except (OSError, ValueError) as error:
            reason = str(error)
    raise SetUpError(
        f"Spark's master {master} does not answer ({reason}): start it, or correct "
        "[evaluate].master, which is spark://HOST:PORT."
    )
