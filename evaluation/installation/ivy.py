"""Fetching one file with Apache Ivy, which comes with PySpark, so that no address is ours to keep.

Ivy knows the public repository by itself; a company's mirror is named in an Ivy settings file.
"""

import os
import re
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

from evaluation.installation.spark_home import spark_home
from evaluation.processes import process
from workloads.cache import disk_errors, disk_full
from workloads.errors import SetUpError
from workloads.progress import Progress, Task

SETTINGS_VARIABLE = "PLACEMENT_ADVISOR_IVY_SETTINGS"
_POLL_S = 0.1
_STALL_S = 180.0
_PASSED_ON = ("JAVA_TOOL_OPTIONS", "http_proxy", "https_proxy", "no_proxy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinates:
    """The coordinates of a file in a Maven repository."""

    group: str
    name: str
    version: str
    type: str = "jar"
    classifier: str | None = None

    @staticmethod
    def of(spelled: str) -> "Coordinates":
        """Return the jar that ``group:name:version`` names."""
        group, name, version = spelled.split(":")
        return Coordinates(group=group, name=name, version=version)

    @property
    def file_name(self) -> str:
        """The file's name in the repository."""
        classifier = f"-{self.classifier}" if self.classifier else ""
        return f"{self.name}-{self.version}{classifier}.{self.type}"

    def __str__(self) -> str:
        classifier = f":{self.classifier}" if self.classifier else ""
        kind = f"/{self.type}" if self.type != "jar" else ""
        return f"{self.group}:{self.name}:{self.version}{classifier}{kind}"


def retrieve(
    coordinates: Coordinates,
    folder: Path,
    *,
    java_home: Path,
    size_bytes: int,
    progress: Progress,
) -> Path:
    """Fetch the file, without what it depends on, into `folder` and return its path.

    Everything Ivy writes stays below `folder`. Raises SetUpError when Ivy does not find it,
    cannot reach the repository, hears nothing for three minutes, or the disk is full.
    """
    log = folder / "ivy.log"
    found = folder / "found" / coordinates.file_name
    with disk_errors(folder), log.open("wb") as output:
        description = folder / "ivy.xml"
        description.write_text(_description(coordinates), encoding="utf-8")
        program = process.Program(arguments=_command(java_home, folder, description))
        with (
            process.started(
                program, folder=folder, output=output, environment=_environment(folder)
            ) as running,
            progress.task(f"Fetching {coordinates}", size_bytes) as task,
        ):
            stalled = not _watch(running, folder, task)
    if not found.is_file():
        raise SetUpError(_failure(coordinates, folder, log, stalled=stalled))
    return found


def _command(java_home: Path, folder: Path, description: Path) -> tuple[str, ...]:
    settings = os.environ.get(SETTINGS_VARIABLE)
    if settings and not Path(settings).is_file():
        raise SetUpError(f"{SETTINGS_VARIABLE} names {settings}, which is not a file.")
    return (
        str(java_home / "bin" / "java"),
        "-Xmx256m",
        # Otherwise Ivy would also look for files below the user's home.
        f"-Divy.default.ivy.user.dir={folder / 'user'}",
        "-cp",
        str(_ivy_jar()),
        "org.apache.ivy.Main",
        *(("-settings", settings) if settings else ()),
        *("-cache", str(folder / "cache")),
        *("-ivy", str(description)),
        *("-retrieve", f"{folder}/found/[artifact]-[revision](-[classifier]).[ext]"),
    )


def _ivy_jar() -> Path:
    for jar in sorted((spark_home() / "jars").glob("ivy-*.jar")):
        return jar
    raise SetUpError("PySpark, which brings Apache Ivy, is not installed: run `make setup`.")


def _description(coordinates: Coordinates) -> str:
    classifier = (
        f" m:classifier={quoteattr(coordinates.classifier)}" if coordinates.classifier else ""
    )
    kind = quoteattr(coordinates.type)
    return f"""<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="placement" module="advisor"/>
  <dependencies>
    <dependency org={quoteattr(coordinates.group)} name={quoteattr(coordinates.name)}
                rev={quoteattr(coordinates.version)} transitive="false">
      <artifact name={quoteattr(coordinates.name)} type={kind} ext={kind}{classifier}/>
    </dependency>
  </dependencies>
</ivy-module>
"""


def _environment(folder: Path) -> Mapping[str, str]:
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**process.bare_environment(folder), **passed_on}


def _watch(running: "subprocess.Popen[bytes]", folder: Path, task: Task) -> bool:
    """Show how the files below `folder` grow; False when they stopped growing for too long."""
    shown_bytes, changed_at = 0, time.monotonic()
    while running.poll() is None:
        time.sleep(_POLL_S)
        here_bytes = _largest_bytes(folder)
        if here_bytes > shown_bytes:
            task.advance(here_bytes - shown_bytes)
            shown_bytes, changed_at = here_bytes, time.monotonic()
        if time.monotonic() - changed_at > _STALL_S:
            return False
    return True


def _largest_bytes(folder: Path) -> int:
    """Return the size of the largest file: Ivy copies it at the end, which is no progress."""
    largest_bytes = 0
    for path in folder.rglob("*"):
        try:
            largest_bytes = max(largest_bytes, path.stat().st_size)
        except FileNotFoundError:  # Ivy renames while we look.
            continue
    return largest_bytes


def _failure(coordinates: Coordinates, folder: Path, log: Path, *, stalled: bool) -> str:
    said = log.read_text(encoding="utf-8", errors="replace")
    if "No space left on device" in said:
        return disk_full(folder)
    reasons = [
        line.strip()
        for line in said.splitlines()
        if re.search(r"exception|error|not found|timed out|refused", line, re.IGNORECASE)
    ]
    reason = "nothing came for three minutes" if stalled else "; ".join(reasons[:3]) or "no reason"
    # A mirror's address may hold a password.
    reason = re.sub(r"//[^/@\s]+@", "//***@", reason)
    return (
        f"Cannot fetch {coordinates}: {reason}. Connect to the network, or name a mirror in an "
        f"Ivy settings file with {SETTINGS_VARIABLE}."
    )
