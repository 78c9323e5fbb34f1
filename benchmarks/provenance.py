"""The command, commit and machine that a benchmark's JSON was made with."""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def provenance(module: str, load_before: float) -> Mapping[str, Any]:
    """Return `command`, `commit` and `machine`; `load_before` is the load average at the start."""
    return {
        "command": " ".join([f"python -m {module}", *sys.argv[1:]]),
        "commit": commit(Path(__file__).parent),
        "machine": {
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "load_average": [load_before, os.getloadavg()[0]],
        },
    }


def commit(folder: Path) -> str:
    """Return the commit of a checkout."""
    done = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD"],
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout.strip()
