"""A standalone Spark cluster on loopback, with a core and little memory for each worker."""

import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from evaluation.installation.spark_home import spark_home
from evaluation.processes import process
from evaluation.processes.process import Program
from evaluation.processes.temporary_folder import temporary_folder
from workloads.errors import SetUpError

LOOPBACK = "127.0.0.1"
_PATIENCE_S = 180.0
_POLL_S = 0.1
_LOG_LINES = 3
_DEPLOY = "org.apache.spark.deploy"


@contextmanager
def standalone_cluster(
    java_home: Path | None,
    *,
    workers: int,
    memory: str = "1g",
    environment: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Run a master and `workers` of a core and `memory` each; yield the master's address.

    They end with the block, and by the kernel when the calling thread ends in whatever way.
    `environment` overrides what the processes get. `java_home` None leaves Java to Spark.

    Raises:
        SetUpError: The master has ended, with the last lines that it said, or does not listen in
            three minutes.
    """
    port = _free_port()
    master = f"spark://{LOOPBACK}:{port}"
    address = ("--host", LOOPBACK, "--webui-port", "0")
    with temporary_folder() as folder, ExitStack() as running:
        variables = {**_environment(folder, java_home), **(environment or {})}

        def begin(name: str, *arguments: str) -> "subprocess.Popen[bytes]":
            log = running.enter_context((folder / f"{name}.log").open("wb"))
            program = Program(arguments=(str(spark_home() / "bin" / "spark-class"), *arguments))
            return running.enter_context(
                process.started(program, folder=folder, output=log, environment=variables)
            )

        first = begin("master", f"{_DEPLOY}.master.Master", "--port", str(port), *address)
        _await(port, first, folder / "master.log")
        size = ("--cores", "1", "--memory", memory)
        for number in range(1, workers + 1):
            begin(f"worker-{number}", f"{_DEPLOY}.worker.Worker", *size, *address, master)
        yield master


def _environment(folder: Path, java_home: Path | None) -> Mapping[str, str]:
    java = {} if java_home is None else {"JAVA_HOME": str(java_home)}
    return {
        **process.bare_environment(folder),
        **java,
        "SPARK_HOME": str(spark_home()),
        "SPARK_LOCAL_IP": LOOPBACK,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
    }


def _free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as server:
        return int(server.getsockname()[1])


def _await(port: int, master: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until the master listens."""
    ends = time.monotonic() + _PATIENCE_S
    while time.monotonic() < ends and master.poll() is None:
        try:
            socket.create_connection((LOOPBACK, port), 1).close()
        except OSError:
            time.sleep(_POLL_S)
        else:
            return
    if master.poll() is None:
        raise SetUpError(
            f"Spark's standalone master has not listened for {_PATIENCE_S:g} s: let the machine's "
            "other work end, and call the command again."
        )
    said = log.read_text(encoding="utf-8", errors="replace").splitlines()
    raise SetUpError(f"Spark's standalone master ended: {' '.join(said[-_LOG_LINES:])}")
