"""The virtual environment of what we are compared with, which the product does not install."""

import hashlib
import subprocess
import venv
from pathlib import Path

from workloads.cache import cache_folder

WANTED = Path(__file__).parents[1] / "peers.txt"


def peers_python() -> Path:
    """The interpreter of the peers' environment, which is made when first needed."""
    key = hashlib.sha256(WANTED.read_bytes()).hexdigest()[:12]
    folder = cache_folder() / "peers" / key
    python = folder / "bin" / "python"
    complete = folder / "complete"
    if not complete.exists():
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([python, "-I", "-m", "pip", "install", "-q", "-r", WANTED], check=True)
        complete.touch()
    return python
