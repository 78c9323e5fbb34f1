"""The environment of commands that are attacked: a cache and a password of their own."""

import os
from pathlib import Path

PASSWORD_VARIABLE = "ATTACKED_PASSWORD"
PASSWORD = "kd83-Zq-attacked"


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of commands: a cache and a password of their own."""
    root = str(Path(__file__).parents[2])
    return {
        **os.environ,
        "PLACEMENT_ADVISOR_CACHE": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")])),
        PASSWORD_VARIABLE: PASSWORD,
    }
