"""The command, commit, date and machine that a benchmark's JSON was made with."""

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def provenance(module: str, load_before: float) -> Mapping[str, Any]:
    """Return `command`, `commit`, `date` (the end, ISO 8601 in UTC) and `machine`.

    `load_before` is the one-minute load average at the start. A commit that git does not tell is
    null.
    """
    return {
        "command": shlex.join(["python", "-m", module, *without_folders(sys.argv[1:])]),
        "commit": commit(ROOT),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "cores": os.cpu_count(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "system": platform.platform(),
            "python": platform.python_version(),
            "load_average": [load_before, os.getloadavg()[0]],
        },
    }


def commit(folder: Path) -> str | None:
    """Return the commit of a checkout."""
    done = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD"],
        capture_output=True,
        check=False,
        text=True,
    )
    return done.stdout.strip() or None


def without_folders(arguments: Iterable[str]) -> list[str]:
    """Return arguments in which an absolute path is one from this checkout, or a mere name."""
    return [_without_folder(each) for each in arguments]


def _without_folder(argument: str) -> str:
    option, equals, value = argument.rpartition("=")
    path = Path(value)
    if not path.is_absolute():
        return argument
    shown = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    return f"{option}{equals}{shown}"
