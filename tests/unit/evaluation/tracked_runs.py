"""Runs in MLflow for tests: their description, and the server of their pages."""

import socket
import sys

from evaluation.tracking.dataset import dataset_of
from evaluation.tracking.track import Description
from tests.catalogs import shop

SERVE = """
import sys
from pathlib import Path
from evaluation.tracking.ui import serve
serve(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), lambda address: print(address, flush=True))
"""


def described():
    return Description(
        names={"single_store:pg": "pg alone"},
        recommendation="Place as 'optimal'.",
        dataset=dataset_of(shop()),
    )


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def serving(uri, folder, port):
    """Return the command that serves the pages and prints their address."""
    return [sys.executable, "-c", SERVE, uri, str(folder), str(port)]
