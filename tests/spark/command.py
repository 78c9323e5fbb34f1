"""The command line in a process of its own, as a user calls it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from advisor.project.config import load_project
from workloads.cache import remove

TIMEOUT_S = 800


@contextmanager
def project_file(folder: Path, name: str, text: str) -> Iterator[Path]:
    """Give `folder`/`name` with this text; what its embedded stores keep is gone afterwards."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    # A killed run may have left half of a server's data under this very name.
    remove(load_project(file).folder)
    try:
        yield file
    finally:
        # Not in the test's own folder but in the user's cache: half a gigabyte a project.
        remove(load_project(file).folder)


def advisor(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "advisor", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
