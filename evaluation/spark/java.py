"""The Java of Spark's driver, which is started and ended by its handle."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from placement.programs.process_state import kept_interrupts
from workloads.errors import SetUpError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KILLED = (
    "Spark's Java has ended, killed perhaps for the memory that it took: look at the system's log, "
    "or lower [evaluate].driver_memory."
)
_LOG = "spark.log"
_LOG_LINES = 3
STOP_S = 20.0
"""Seconds that Java has to end."""


def launch(conf: Any, folder: Path) -> Any:  # noqa: ANN401
    """Start Java and return PySpark's gateway to it; what it says goes to a log in `folder`.

    PySpark's own folder for Java's answer is made there too: it outlives a killed process.

    Raises:
        SetUpError: It does not start, with the last lines that it said.
    """
    from pyspark import java_gateway
    from pyspark.errors import PySparkRuntimeError

    start: Any = java_gateway.launch_gateway
    try:
        with (
            (folder / _LOG).open("wb") as log,
            _ended_unless_up(java_gateway),
            _temporary_below(java_gateway, folder),
        ):
            return start(conf, {"stderr": log, "stdout": log})
    except (PySparkRuntimeError, OSError) as error:
        said = (folder / _LOG).read_text(encoding="utf-8", errors="replace").splitlines()
        reason = " ".join(said[-_LOG_LINES:]) or str(error)
        raise SetUpError(
            f"Spark does not start: {reason} Check the Java it runs on (17 or 21) and "
            "[evaluate].driver_memory."
        ) from error


@contextmanager
def _ended_unless_up(java_gateway: Any) -> Iterator[None]:  # noqa: ANN401
    """End the process that PySpark starts within the block if it fails or is interrupted.

    PySpark hands the process out only once it has answered. Interrupted before, it removes the
    folder for the answer: Java fails to write it and then stays, as other threads of it do.
    """
    begin = java_gateway.Popen
    started: list[subprocess.Popen[bytes]] = []

    def kept(*args: Any, **kwargs: Any) -> "subprocess.Popen[bytes]":  # noqa: ANN401
        with kept_interrupts():
            started.append(begin(*args, **kwargs))
        return started[-1]

    java_gateway.Popen = kept
    try:
        yield
    except BaseException:
        for process in started:
            _end(process)
        raise
    finally:
        java_gateway.Popen = begin


@contextmanager
def _temporary_below(java_gateway: Any, folder: Path) -> Iterator[None]:  # noqa: ANN401
    """Have PySpark make its temporary folders in `folder`; other threads keep theirs."""
    module = java_gateway.tempfile
    java_gateway.tempfile = SimpleNamespace(
        mkdtemp=partial(module.mkdtemp, dir=folder), mkstemp=module.mkstemp
    )
    try:
        yield
    finally:
        java_gateway.tempfile = module


def has_ended(spark: "SparkSession") -> bool:
    """Tell whether Java is no more: the kernel kills what takes too much memory."""
    gateway: Any = spark.sparkContext._gateway
    process: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    return process is not None and process.poll() is not None


@contextmanager
def killed_if_failing(spark: "SparkSession") -> Iterator[None]:
    """Kill Java if the block fails or is interrupted, so that nothing waits for what it ends with.

    The end of its session finds it gone.
    """
    try:
        yield
    except BaseException:
        gateway: Any = spark.sparkContext._gateway
        gateway.proc.kill()
        raise


def gone() -> tuple[type[Exception], ...]:
    """Return what py4j raises once Java has ended: not all of it is its own."""
    from py4j.protocol import Py4JError

    return (Py4JError, AttributeError, OSError, UnboundLocalError)


def shut_down(gateway: Any, stop_s: float = STOP_S) -> None:  # noqa: ANN401
    """End Java, which lives as long as its standard input is open; kill it after `stop_s`."""
    process: subprocess.Popen[bytes] = gateway.proc
    try:
        with suppress(*gone()):
            gateway.shutdown()
        if process.stdin is not None:
            process.stdin.close()
        process.wait(stop_s)
    except subprocess.TimeoutExpired:
        pass
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    if process.stdin is not None:
        process.stdin.close()
