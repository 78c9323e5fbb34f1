"""A command on a terminal of its own, whose output is read as it comes.

On a terminal the bar of a stage is there as soon as the stage begins; elsewhere a stage is named
after two seconds.
"""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread

_WIDE = {"COLUMNS": "240", "LINES": "50", "TERM": "xterm"}
"""No name of a stage is cut."""
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Watched:
    """A command of the advisor's while it runs; `said` is all that it has printed."""

    def __init__(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._read, terminal = pty.openpty()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "advisor", *arguments],
                cwd=folder,
                env={**environment, **_WIDE},
                stdin=subprocess.DEVNULL,
                stdout=terminal,
                stderr=terminal,
                # A shell may have had its children ignore it.
                preexec_fn=lambda: signal.signal(  # noqa: PLW1509
                    signal.SIGINT, signal.default_int_handler
                ),
            )
        finally:
            os.close(terminal)
        self._parts: list[str] = []
        self._reader = Thread(target=self._follow, daemon=True)
        self._reader.start()

    @property
    def said(self) -> str:
        """All that it has printed, without what moves the cursor and colours."""
        return _CONTROL.sub("", "".join(self._parts))

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._process.poll()

    def until(self, text: str | None, longest_s: float) -> None:
        """Wait until it has printed a text or has ended; not at all for None."""
        ends = time.monotonic() + longest_s
        while text is not None and self.returncode is None and text not in self.said:
            time.sleep(0.02)
            if time.monotonic() > ends:
                return

    def wait(self, seconds: float) -> float:
        """Wait for its end so long at most; return the seconds that it took."""
        began = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        if self.returncode is not None:
            # A process that was left may keep the terminal open.
            self._reader.join(1.0)
        return time.monotonic() - began

    def send(self, sent: signal.Signals) -> None:
        self._process.send_signal(sent)

    def _follow(self) -> None:
        # Linux ends the reading of a terminal that none has open with an error.
        with suppress(OSError):
            while data := os.read(self._read, 65_536):
                self._parts.append(data.decode("utf-8", errors="replace"))
        os.close(self._read)
