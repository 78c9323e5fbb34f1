"""A PostgreSQL of binaries that have HypoPG, with the settings of the embedded ones.

The wheel that the embedded servers are of comes without extensions.
"""

import os
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT
from tempfile import TemporaryDirectory

from evaluation.processes import process
from evaluation.processes.process import Program
from evaluation.servers.postgresql import SETTINGS, PostgreSQL
from evaluation.servers.server import LOGIN, LOOPBACK, server_user
from evaluation.store_protocol.connection import Connection
from workloads.errors import SetUpError

PASSWORD = "INDEX_ADVISORS_PASSWORD"
_READY_TIMEOUT_S = 120.0
_POLL_S = 0.2


@contextmanager
def server(binaries: Path) -> Iterator[Mapping[str, str | int]]:
    """Run a new server on the loopback; yield how a project names it. Its data are removed.

    The password is in the environment while it runs, in the variable that the project names.
    """
    with TemporaryDirectory(prefix="index_advisors_") as name:
        folder, user = Path(name), server_user()
        data, password = folder / "data", folder / "password"
        os.environ[PASSWORD] = secrets.token_urlsafe(16)
        password.write_text(os.environ[PASSWORD], encoding="ascii")
        for path in (folder, password):
            if user is not None:
                user.own(path)
        port = _free_port()
        made = [str(binaries / "initdb"), "-D", str(data), "-U", LOGIN, "--auth=scram-sha-256"]
        made += [f"--pwfile={password}", "--encoding=UTF8", "--locale=C"]
        settings = {**SETTINGS, "port": str(port)}
        words = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        try:
            with _running(folder, made) as initialising:
                if initialising.wait() != 0:
                    raise SetUpError(f"initdb of {binaries} failed.")
            with _running(folder, (str(binaries / "postgres"), "-D", str(data), *words)):
                _wait(port)
                yield {
                    "kind": "postgresql",
                    "host": LOOPBACK,
                    "port": port,
                    "database": "postgres",
                    "user": LOGIN,
                    "password_env": PASSWORD,
                }
        finally:
            del os.environ[PASSWORD]


@contextmanager
def _running(folder: Path, arguments: Sequence[str]) -> Iterator["subprocess.Popen[bytes]"]:
    program = Program(arguments=tuple(arguments), stop_signal=SIGINT, user=server_user())
    with (
        (folder / "log").open("ab") as log,
        process.started(program, folder=folder, output=log) as child,
    ):
        yield child


def _wait(port: int) -> None:
    """Wait until the server answers.

    Raises:
        SetUpError: It does not.
    """
    asked = Connection(
        store="pg",
        kind="postgresql",
        host=LOOPBACK,
        port=port,
        database="postgres",
        user=LOGIN,
        password=os.environ[PASSWORD],
    )
    ends = time.monotonic() + _READY_TIMEOUT_S
    while not PostgreSQL().answers(asked):
        if time.monotonic() > ends:
            raise SetUpError(f"PostgreSQL does not answer after {_READY_TIMEOUT_S:.0f} seconds.")
        time.sleep(_POLL_S)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port
