"""The one door to a Spark session."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.installation.spark_home import spark_home
from evaluation.processes.temporary_folder import temporary_folder
from evaluation.spark.executors import await_executors
from evaluation.spark.java import STOP_S, gone, launch, shut_down
from evaluation.spark.settings import (
    JAVA_OPTIONS,
    Executors,
    cancelling,
    class_path_after_spark,
    driver_address,
    is_local,
    is_submitted,
    own,
    semantics,
)
from workloads.counting.own import APPLICATION

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ALL = Executors()


@contextmanager
def session(
    *,
    master: str = "local[*]",
    jars: Sequence[Path] = (),
    java_home: Path | None = None,
    driver_memory: str = "3g",
    executors: Executors = _ALL,
    settings: Mapping[str, str] | None = None,
    java_options: str = "",
    stop_s: float = STOP_S,
) -> Iterator["SparkSession"]:
    """Run a Spark session for the length of the block; nothing of it is left behind.

    Under spark-submit the session is the submitted one: its master and the driver's memory are
    those given there. `settings` override ours. `java_home` None leaves the choice of Java to
    Spark. `java_options` are further ones of the driver, which has `stop_s` seconds to end.

    Raises:
        SetUpError: Spark does not start, with the last lines that Java said, or its master does
            not answer, or gives fewer executors than `executors` asks for.
    """
    if is_submitted():
        with _submitted(jars, executors, settings or {}) as spark:
            yield spark
        return
    address = driver_address(master)
    with temporary_folder() as folder:
        ours = own(
            folder,
            jars,
            master=master,
            address=address,
            driver_memory=driver_memory,
            executors=executors,
            java_options=java_options,
        )
        environment = _environment(
            java_home, address, class_path_after_spark(jars), local=is_local(master)
        )
        with _own({**ours, **(settings or {})}, folder, environment, stop_s=stop_s) as spark:
            await_executors(spark, executors.workers)
            yield spark


@contextmanager
def _submitted(
    jars: Sequence[Path], executors: Executors, settings: Mapping[str, str]
) -> Iterator["SparkSession"]:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    given = SparkConf()
    ours = {**semantics(), **cancelling(), **settings}
    if not is_local(given.get("spark.master") or "local"):
        ours |= executors.settings
        options = given.get("spark.executor.extraJavaOptions") or ""
        ours["spark.executor.extraJavaOptions"] = f"{options} {JAVA_OPTIONS}".strip()
    builder = SparkSession.builder.appName(APPLICATION)
    for key, value in ours.items():
        builder = builder.config(key, value)
    if jars:
        builder = builder.config("spark.jars", ",".join(str(jar) for jar in jars))
    spark = builder.getOrCreate()
    try:
        _add_to_class_path(spark, jars)
        await_executors(spark, executors.workers)
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
    configuration: Mapping[str, str],
    folder: Path,
    environment: AbstractContextManager[None],
    *,
    stop_s: float,
) -> Iterator["SparkSession"]:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    _quiet_py4j()
    conf = SparkConf(loadDefaults=False)
    for key, value in configuration.items():
        conf.set(key, value)
    gateway = None
    try:
        with environment:
            gateway = launch(conf, folder)
        with _own_interrupts():
            spark = SparkSession(SparkContext(conf=conf, gateway=gateway))
        counters: Any = spark.sparkContext
        # It prints a traceback when Java ends before it, as after an interruption.
        counters._accumulatorServer.handle_error = lambda *_: None
        try:
            yield spark
        finally:
            # A Java that was killed has nothing to stop.
            with suppress(*gone()):
                spark.stop()
    finally:
        # Another session of the process keeps its own where none came up.
        if gateway is not None:
            shut_down(gateway, stop_s)
            SparkContext._gateway = None
            SparkContext._jvm = None
            # As a stop leaves them, which a killed Java had none of.
            SparkContext._active_spark_context = None
            SparkSession._instantiatedSession = None


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep the handler that there is for SIGINT.

    PySpark's cancels jobs in the main thread before it raises, and that waits for Java.
    """
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


def _quiet_py4j() -> None:
    """Keep py4j from logging the traceback of every interruption: who catches it tells of it."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(_is_not_py4js)


def _is_not_py4js(record: logging.LogRecord) -> bool:
    return record.module != "java_gateway"


@contextmanager
def _environment(
    java_home: Path | None, address: str | None, others: Mapping[str, str], *, local: bool
) -> Iterator[None]:
    """Set what Java and its Python workers read from the environment; then undo it.

    The workers' interpreter stays set: Spark asks for it whenever it starts a job. On a cluster
    it is the user's to name: ours need not be there, and only folding logs takes one.
    """
    if local:
        os.environ["PYSPARK_PYTHON"] = sys.executable
    ours = {**others, "SPARK_HOME": str(spark_home())}
    if java_home is not None:
        ours["JAVA_HOME"] = str(java_home)
    if address is not None:
        ours["SPARK_LOCAL_IP"] = address
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
