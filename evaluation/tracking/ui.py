"""MLflow's own UI on what was tracked, on loopback, for as long as the caller waits."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from evaluation.tracking.client import quiet_environment, refuse_missing
from evaluation.tracking.reaching import environment
from evaluation.tracking.records import TrackingError
from evaluation.tracking.server_tls import NO_FILES, ServerTls

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 5000
READY_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 10.0
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
_WITHOUT_JOBS = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
"""MLflow's runners of jobs, which we have none of: seven processes that outlive a killed server."""


def serve(
    uri: str,
    folder: Path,
    port: int | None = None,
    ready: Callable[[str], None] | None = None,
    tls: ServerTls = NO_FILES,
) -> int:
    """Serve the UI until interrupted and return the server's exit code.

    `folder` takes artifacts that are uploaded through the server; `port` None takes 5000 or, if
    that is taken, a free one. `ready` is called with the address once it answers.

    Raises:
        ConfigurationError: Nothing is tracked at `uri` yet.
        TrackingError: `port` is taken, or the server ended or did not answer in time.
    """
    refuse_missing(uri)
    chosen = _free_port(port)
    log = folder / "ui.log"
    folder.mkdir(parents=True, exist_ok=True)
    with environment(tls) as variables:
        with log.open("wb") as output:
            server = subprocess.Popen(
                _command(uri, folder, chosen),
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **variables, **quiet_environment(), **_WITHOUT_JOBS},
                cwd=folder,
                start_new_session=True,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - one system call, no locks taken
            )
        try:
            address = f"http://{LOOPBACK}:{chosen}"
            _wait(server, address, log)
            if ready is not None:
                ready(address)
            return server.wait()
        finally:
            _stop(server)


def _command(uri: str, folder: Path, port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "mlflow", "server"),
        *("--host", LOOPBACK, "--port", str(port), "--workers", "1"),
        *("--backend-store-uri", uri),
        *("--artifacts-destination", folder.resolve().as_uri()),
    ]


def _free_port(port: int | None) -> int:
    for candidate in (DEFAULT_PORT, 0) if port is None else (port,):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, candidate))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise TrackingError(f"Port {port} on {LOOPBACK} is taken: name another with --port.")


def _wait(server: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    deadline = time.monotonic() + READY_TIMEOUT_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise TrackingError(f"MLflow's UI ended at once: {_last_line(log)} (see {log})")
        try:
            with urlopen(f"{address}/health", timeout=2):  # noqa: S310 - an http address of ours
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise TrackingError(f"MLflow's UI did not answer in {READY_TIMEOUT_S:.0f} s: see {log}")


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def _end_with_parent() -> None:
    """Have the kernel end the server when the advisor dies, however it dies."""
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def _stop(server: "subprocess.Popen[bytes]") -> None:
    for kind in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, kind)
            server.wait(STOP_TIMEOUT_S)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
    server.wait()
