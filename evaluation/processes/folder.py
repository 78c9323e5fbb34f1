"""One embedded server's folder: its lock, password, log and the record of its process."""

import contextlib
import errno
import fcntl
import json
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from typing import IO

from evaluation.processes.process import Handle, User
from workloads.cache import disk_full, remove
from workloads.errors import StoreError

_STORE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_LOG_TAIL_LINES = 15
# PostgreSQL writes the words; InnoDB the number, in several ways.
_NO_SPACE = rf"{os.strerror(errno.ENOSPC)}|(?i:err(no|or|code)):? {errno.ENOSPC}\b"
_POLL_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """The record of a server's process: `kept` servers outlive the advisor that started them."""

    handle: Handle
    port: int
    kept: bool
    stop_signal: Signals

    def stop(self) -> None:
        """End it in order, by force if it does not follow."""
        self.handle.stop(self.stop_signal)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFolder:
    """The folder of one embedded server: ``data``, ``password``, ``server.log``, ….

    `kind` is the name of the server: that of its kind, or of another server of that kind.
    """

    store: str
    kind: str
    path: Path

    @staticmethod
    def of(folder: Path, store: str, kind: str) -> "ServerFolder":
        """Return the folder below `folder` of the store of this kind; nothing is created."""
        if not _STORE_NAME.fullmatch(store):
            raise StoreError(
                store, "an embedded store's name consists of letters, digits, '_', '-' and '.'."
            )
        return ServerFolder(store=store, kind=kind, path=folder.absolute() / f"{kind}-{store}")

    @property
    def data(self) -> Path:
        """The server's own files; the folder exists only once it is completely initialised."""
        return self.path / "data"

    @property
    def password_file(self) -> Path:
        """The file that holds the password, readable by its owner alone."""
        return self.path / "password"

    @property
    def state_file(self) -> Path:
        """The file that says which process serves, on which port."""
        return self.path / "server.json"

    @property
    def log(self) -> Path:
        """Return the server's log since its last start."""
        return self.path / "server.log"

    def create(self, user: User | None) -> None:
        """Create the folder and its password where they are missing; they belong to `user`.

        StoreError if the password's file is empty: its server would let nobody in.
        """
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self.password_file.is_file():
            fresh = self.password_file.with_name("password.unfinished")
            remove(fresh)
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(24) + "\n")
            fresh.replace(self.password_file)
        self.password()
        if user is not None:
            user.own(self.path)
            user.own(self.password_file)

    def password(self) -> str:
        """Return the generated password; StoreError if its file is empty."""
        password = self.password_file.read_text(encoding="ascii").strip()
        if not password:
            raise StoreError(
                self.store,
                f"its password file {self.password_file} is empty, and without it nobody can log "
                "in: put the password back, or end the store with 'advisor stores down' and "
                f"remove {self.path}, and it is made and loaded anew.",
            )
        return password

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep the folder for this advisor alone; StoreError names the process that has it."""
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.path / "advisor.lock").open("a+", encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                holder = file.read().strip() or "of unknown number"
                raise StoreError(
                    self.store,
                    f"process {holder} is using its folder {self.path}: wait until that has "
                    "ended, or give this run another folder.",
                ) from None
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield

    @contextmanager
    def server_lock(self, *, timeout_s: float) -> Iterator[int]:
        """Give a locked descriptor for the server to inherit: held until its last process ends.

        Waits for a server that is about to stop; StoreError when it does not.
        """
        with (self.path / "server.lock").open("a") as file:
            deadline = time.monotonic() + timeout_s
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise StoreError(
                            self.store,
                            f"an earlier server of {self.path} has not stopped for {timeout_s:.0f} "
                            f"seconds: end the process that holds {file.name}.",
                        ) from None
                    time.sleep(_POLL_S)
            yield file.fileno()

    def running(self) -> Running | None:
        """Return the server's process if it runs; None when it has ended or there was none."""
        found = self.record()
        return found if found is not None and found.handle.alive() else None

    def record(self) -> Running | None:
        """Return the last server's process, which may have ended; None if there is no record."""
        try:
            record = json.loads(self.state_file.read_text(encoding="utf-8"))
            handle = Handle(
                pid=record["pid"], start_ticks=record["start_ticks"], boot=record["boot"]
            )
            return Running(
                handle=handle,
                port=record["port"],
                kept=record["kept"],
                stop_signal=Signals(record["stop_signal"]),
            )
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def new_log(self) -> IO[bytes]:
        """Open an empty log for writing; the one before is kept beside it."""
        with contextlib.suppress(FileNotFoundError):
            self.log.replace(self.log.with_name("server.log.1"))
        return self.log.open("ab")

    def said(self, pattern: str) -> bool:
        """Tell whether a line of the log holds the regular expression `pattern`."""
        return re.search(pattern, self._logged()) is not None

    def failure(self, what: str) -> StoreError:
        """Return the error for a server that failed: the reason if known, else its last words."""
        if self.said(_NO_SPACE):
            return StoreError(self.store, disk_full(self.path))
        lines = self._logged().strip().splitlines()
        tail = "\n".join(lines[-_LOG_TAIL_LINES:]).replace(self.password(), "***")
        return StoreError(self.store, f"{what}. The end of {self.log}:\n{tail}")

    def _logged(self) -> str:
        if not self.log.is_file():
            return ""
        return self.log.read_text(encoding="utf-8", errors="replace")
