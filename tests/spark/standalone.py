"""A standalone Spark cluster on loopback, whose executors have no Python."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from evaluation.installation.java import java_home
from workloads.progress import Silent

NOWHERE = "/nowhere/python3"
_PROGRAMS = ("bash", "cat", "dirname", "env", "ls", "rm", "sh", "uname")
_PATIENCE_S = 60.0
# These processes are short: compiling their code well would take most of their time.
_BRIEF = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def spark_home() -> Path:
    """Where PySpark has Spark's programs and jars."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def without_python(folder: Path) -> Mapping[str, str]:
    """An environment on loopback in which no Python can be found, neither by name nor on PATH."""
    programs = folder / "programs"
    programs.mkdir()
    for name in _PROGRAMS:
        found = next(
            path for path in (Path("/bin") / name, Path("/usr/bin") / name) if path.exists()
        )
        (programs / name).symlink_to(found)
    return {
        "PATH": str(programs),
        "JAVA_HOME": str(java_home(Silent())),
        "SPARK_HOME": str(spark_home()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "PYSPARK_PYTHON": NOWHERE,
        **_BRIEF,
    }


@contextmanager
def cluster(folder: Path, *, workers: int) -> Iterator[str]:
    """Run a master and workers of a core and 1 GB each; yield the master's address."""
    environment = without_python(folder)
    port = free_port()
    deploy = "org.apache.spark.deploy"
    loopback = ("--host", "127.0.0.1", "--webui-port", "0")
    master = f"spark://127.0.0.1:{port}"
    with ExitStack() as running:

        def start(name: str, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
            log = running.enter_context((folder / f"{name}.log").open("wb"))
            program = str(spark_home() / "bin" / "spark-class")
            process = subprocess.Popen(
                [program, *arguments], env=environment, cwd=folder, stdout=log, stderr=log
            )
            running.callback(_end, process)
            return process

        process = start("master", (f"{deploy}.master.Master", "--port", str(port), *loopback))
        await_port(port, process)
        for number in range(workers):
            size = ("--cores", "1", "--memory", "1g")
            start(f"worker-{number}", (f"{deploy}.worker.Worker", *size, *loopback, master))
        yield master


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """A port of loopback that nobody has now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until somebody listens."""
    ends = time.monotonic() + _PATIENCE_S
    while True:
        assert process.poll() is None
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < ends
            time.sleep(0.1)
        else:
            return


def driver_environment() -> Mapping[str, str]:
    """What a driver has: its own Python runs, but names none that executors could."""
    home = str(java_home(Silent()))
    return {**os.environ, **_BRIEF, "JAVA_HOME": home, "PYSPARK_PYTHON": NOWHERE}
