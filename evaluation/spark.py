"""The one door to a Spark session."""

import fcntl
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from evaluation.servers.cache import disk_errors
from workloads.errors import SetUpError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PREFIX = "placement-advisor-spark-"
_LOG = "spark.log"
_LOG_LINES = 3
_STOP_TIMEOUT_S = 20.0
# Between its making and its locking a folder looks like a dead one.
_YOUNG_S = 60.0


@contextmanager
def session(
    *,
    master: str = "local[*]",
    jars: Sequence[Path] = (),
    java_home: Path | None = None,
    driver_memory: str = "3g",
    settings: Mapping[str, str] | None = None,
) -> Iterator["SparkSession"]:
    """Run a Spark session for the length of the block; nothing of it is left behind.

    Under spark-submit the session is the submitted one: its master and memory are those given
    there. `settings` override ours. `java_home` None leaves the choice of Java to Spark.

    Raises:
        SetUpError: Spark does not start; the message has the last lines that Java said.
    """
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        with _submitted(jars, settings or {}) as spark:
            yield spark
        return
    with _folder() as folder:
        configuration = {
            **_settings(folder, jars, local=master.startswith("local")),
            "spark.master": master,
            "spark.driver.memory": driver_memory,
            **(settings or {}),
        }
        with _own(configuration, folder, java_home) as spark:
            yield spark


def _settings(folder: Path, jars: Sequence[Path], *, local: bool) -> dict[str, str]:
    """Return what we set in every session of our own."""
    names = [str(jar) for jar in jars]
    # On this machine the files can be read where they are; another one has to be sent them.
    drivers = (
        {"spark.driver.extraClassPath": os.pathsep.join(names)}
        if local
        else {"spark.jars": ",".join(names)}
    )
    on_loopback = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return {
        **_semantics(),
        **_cancelling(),
        **(drivers if names else {}),
        **(on_loopback if local else {}),
        "spark.app.name": "placement-advisor",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)) if local else "200",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        "spark.sql.catalogImplementation": "in-memory",
        # Drivers unpack native libraries there; a killed Java would leave them in /tmp.
        "spark.driver.extraJavaOptions": (
            f"-Djava.io.tmpdir={folder} -XX:-UsePerfData -Duser.timezone=UTC"
        ),
    }


def _semantics() -> dict[str, str]:
    """Return the settings on which results depend, alike under spark-submit."""
    return {
        "spark.sql.session.timeZone": "UTC",
        # Overflows and impossible casts are errors, as in DuckDB, and never a silent NULL.
        "spark.sql.ansi.enabled": "true",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }


def _cancelling() -> dict[str, str]:
    """Return the settings by which cancelled tasks end, alike under spark-submit.

    A task's connection is closed when it is cancelled, and drivers may wait for the store then.
    Without the reaper's threads that stops all that the scheduler has to do.
    """
    return {
        "spark.task.reaper.enabled": "true",
        "spark.task.reaper.threadDump": "false",
        # An executor, not our own Java, ends if its task has not.
        "spark.task.reaper.killTimeout": "30s",
    }


@contextmanager
def _submitted(jars: Sequence[Path], settings: Mapping[str, str]) -> Iterator["SparkSession"]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("placement-advisor")
    for key, value in {**_semantics(), **_cancelling(), **settings}.items():
        builder = builder.config(key, value)
    if jars:
        builder = builder.config("spark.jars", ",".join(str(jar) for jar in jars))
    spark = builder.getOrCreate()
    try:
        _add_to_class_path(spark, jars)
        yield spark
    finally:
        spark.stop()


def _add_to_class_path(spark: "SparkSession", jars: Sequence[Path]) -> None:
    """Make drivers known to a Java that runs already: settings reach its tasks alone.

    All its threads share the loader that spark-submit made, which can be added to.
    """
    jvm: Any = spark.sparkContext._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    for jar in jars:
        loader.addURL(jvm.java.io.File(str(jar)).toURI().toURL())


@contextmanager
def _own(
    configuration: Mapping[str, str], folder: Path, java_home: Path | None
) -> Iterator["SparkSession"]:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    _quiet_py4j()
    conf = SparkConf(loadDefaults=False)
    for key, value in configuration.items():
        conf.set(key, value)
    local = configuration["spark.master"].startswith("local")
    with (folder / _LOG).open("wb") as log, _environment(java_home, local=local):
        gateway = _launch(conf, folder, log)
    # PySpark's own handler cancels jobs first, which nobody can once Java has ended.
    interrupt = signal.getsignal(signal.SIGINT)
    try:
        spark = SparkSession(SparkContext(conf=conf, gateway=gateway))
        counters: Any = spark.sparkContext
        # It prints a traceback when Java ends before it, as after an interruption.
        counters._accumulatorServer.handle_error = lambda *_: None
        try:
            yield spark
        finally:
            spark.stop()
    finally:
        _shut_down(gateway)
        SparkContext._gateway = None
        SparkContext._jvm = None
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, interrupt)


def _quiet_py4j() -> None:
    """Keep py4j from logging the traceback of every interruption: who catches it tells of it."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(_is_not_py4js)


def _is_not_py4js(record: logging.LogRecord) -> bool:
    return record.module != "java_gateway"


def _launch(conf: Any, folder: Path, log: IO[bytes]) -> Any:  # noqa: ANN401
    """Start Java; what it says on standard error goes to the log."""
    from pyspark import java_gateway
    from pyspark.errors import PySparkRuntimeError

    start: Any = java_gateway.launch_gateway
    try:
        return start(conf, {"stderr": log, "stdout": log})
    except (PySparkRuntimeError, OSError) as error:
        said = (folder / _LOG).read_text(encoding="utf-8", errors="replace").splitlines()
        reason = " ".join(said[-_LOG_LINES:]) or str(error)
        raise SetUpError(
            f"Spark does not start: {reason} Check the Java it runs on (17 or 21) and "
            "[evaluate].driver_memory."
        ) from error


def _shut_down(gateway: Any) -> None:  # noqa: ANN401
    """End Java: it lives as long as its standard input is open."""
    process: subprocess.Popen[bytes] = gateway.proc
    gateway.shutdown()
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def _environment(java_home: Path | None, *, local: bool) -> Iterator[None]:
    """Set what Java and its Python workers read from the environment; then undo it.

    The workers' interpreter stays set: Spark asks for it whenever it starts a job.
    """
    import pyspark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    ours = {"SPARK_HOME": str(Path(pyspark.__file__).parent)}
    if java_home is not None:
        ours["JAVA_HOME"] = str(java_home)
    if local:
        ours["SPARK_LOCAL_IP"] = "127.0.0.1"
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _folder() -> Iterator[Path]:
    """Give a temporary folder that is removed afterwards, by the next session if we are killed.

    Its lock says that its session lives: the kernel opens it when the process ends.
    """
    base = Path(tempfile.gettempdir())
    for path in base.glob(f"{_PREFIX}*"):
        _remove_if_dead(path)
    with disk_errors(base):
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        lock = (folder / "lock").open("a")
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_if_dead(folder: Path) -> None:
    try:
        if time.time() - folder.stat().st_mtime < _YOUNG_S:
            return
        with (folder / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        # Another user's, or alive.
        return
