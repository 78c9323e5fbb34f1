"""The command line in a process of its own, as a user calls it."""

import subprocess
import sys
from pathlib import Path

TIMEOUT_S = 800


def advisor(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "advisor", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
