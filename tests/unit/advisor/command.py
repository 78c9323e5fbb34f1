"""The command line in a process of its own."""

import subprocess
import sys


def advisor(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "advisor", *arguments],
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
        **options,
    )
