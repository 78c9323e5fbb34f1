"""A standalone Spark cluster on loopback, whose executors have no Python."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from evaluation.installation.java import java_home
from evaluation.spark.standalone import standalone_cluster
from workloads.progress import Silent

NOWHERE = "/nowhere/python3"
_PROGRAMS = ("bash", "cat", "dirname", "env", "ls", "rm", "sh", "uname")
# These processes are short: compiling their code well would take most of their time.
_BRIEF = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def without_python(folder: Path) -> Mapping[str, str]:
    """What makes an environment one in which no Python is found, by name or on PATH."""
    programs = folder / "programs"
    programs.mkdir()
    for name in _PROGRAMS:
        found = next(
            path for path in (Path("/bin") / name, Path("/usr/bin") / name) if path.exists()
        )
        (programs / name).symlink_to(found)
    return {"PATH": str(programs), "PYSPARK_PYTHON": NOWHERE, **_BRIEF}


@contextmanager
def cluster(folder: Path, *, workers: int) -> Iterator[str]:
    """Run a master and workers of a core and 1 GB each; yield the master's address."""
    environment = without_python(folder)
    with standalone_cluster(java_home(Silent()), workers=workers, environment=environment) as found:
        yield found


def driver_environment() -> Mapping[str, str]:
    """What a driver has: its own Python runs, but names none that executors could."""
    home = str(java_home(Silent()))
    return {**os.environ, **_BRIEF, "JAVA_HOME": home, "PYSPARK_PYTHON": NOWHERE}
