"""The client of an Accumulo, which is Java's alone: a process of ours.

The process ends when its standard input does, with us, and all that it holds with it.
"""

import io
import json
import os
import queue
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from select import POLLOUT, poll
from threading import Lock, RLock, Thread
from time import monotonic
from typing import IO, Any

from evaluation.installation import accumulo_jars
from evaluation.installation.java import java_home
from evaluation.processes.process import bare_environment
from evaluation.processes.temporary_folder import temporary_folder
from evaluation.store_protocol.patience import TICK_S, Patience, SilentError, never
from workloads.progress import Silent

_MAIN = "placementadvisor.accumulo.control.Control"
_PATIENCE_S = 600.0
_LOGIN_S = 60.0
_LANES = 256
_HEADER = struct.Struct(">IcB")


class RefusedError(Exception):
    """The instance does not answer, or refuses the user."""


class FailedError(Exception):
    """A command that was not carried out; it says why."""


class ClientProcess:
    """One process with one login. Its waits are bounded by `patience`.

    Its lanes work side by side; what is said to one of them is done in turn.
    """

    def __init__(self) -> None:
        self.patience = Patience(_LOGIN_S, never)
        progress = Silent()
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        # Java is always killed, and removes no file of its own.
        self._folder = ExitStack()
        folder = self._folder.enter_context(temporary_folder())
        self._process = subprocess.Popen(
            [
                str(java_home(progress) / "bin" / "java"),
                *("-Xmx320m", "-XX:+UseParallelGC", "-XX:-UsePerfData", "-Duser.timezone=UTC"),
                f"-Djava.io.tmpdir={folder}",
                *("-cp", accumulo_jars.class_path(progress), _MAIN),
            ],
            env=dict(bare_environment(folder)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            bufsize=0,
            start_new_session=True,
        )
        if self._process.stdin is not None:
            # A process that waits for its server takes no more rows, and we would wait for it.
            os.set_blocking(self._process.stdin.fileno(), False)
        self._writing = RLock()
        self._numbering = Lock()
        self._ended = False
        self._lanes: set[int] = set()
        self._requests = count()
        self._answers: dict[int, queue.Queue[dict[str, Any] | None]] = {}
        Thread(target=self._listen, daemon=True).start()

    @contextmanager
    def lane(self) -> Iterator["Lane"]:
        """Give a lane that nobody else has, for the length of the block."""
        with self._numbering:
            number = next(each for each in range(_LANES) if each not in self._lanes)
            self._lanes.add(number)
        try:
            yield Lane(self, number)
        finally:
            with self._numbering:
                self._lanes.remove(number)

    def ask(self, lane: int, do: str, timeout_s: float, arguments: dict[str, object]) -> Any:  # noqa: ANN401 - JSON
        """Have a command carried out in a lane and return what it answers (see `Lane.execute`)."""
        with self._request() as (request, answers):
            command = {"do": do, "request": request, **arguments}
            with self._writing:
                self._write(b"C", lane, json.dumps(command).encode())
            answer = self._answer(answers, timeout_s)
        if answer is None:
            raise FailedError(self._last_words())
        if "refused" in answer:
            raise RefusedError(answer["refused"])
        if "failed" in answer:
            raise FailedError(answer["failed"])
        return answer.get("answer")

    @contextmanager
    def _request(self) -> Iterator[tuple[int, queue.Queue[dict[str, Any] | None]]]:
        """Give a number that no other request has, and where its answer will be; None is the end.

        Whoever was interrupted does not take the answer: it must not be another's.
        """
        answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        with self._numbering:
            number = next(self._requests)
            self._answers[number] = answers
            if self._ended:
                answers.put(None)
        try:
            yield number, answers
        finally:
            with self._numbering:
                del self._answers[number]

    def _answer(
        self, answers: queue.Queue[dict[str, Any] | None], timeout_s: float
    ) -> dict[str, Any] | None:
        self.patience.moved()
        ends = monotonic() + timeout_s
        while True:
            try:
                return answers.get(timeout=min(TICK_S, timeout_s))
            except queue.Empty:
                if monotonic() >= ends:
                    self.close()
                    raise FailedError(f"no answer after {timeout_s:g} s") from None
                self._check()

    def _check(self) -> None:
        """End the process where its server is silent and does not work for us."""
        try:
            self.patience.check()
        except SilentError as error:
            self.close()
            raise FailedError(str(error)) from None

    def send(self, lane: int, rows: memoryview) -> None:
        """Send rows as text for the load that the lane began last (see `Lane.send`)."""
        with self._writing:
            self._write(b"D", lane, rows)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process; what it holds is free then."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        self._said.close()
        self._folder.close()

    def _write(self, what: bytes, lane: int, message: bytes | memoryview) -> None:
        pipe = self._process.stdin
        try:
            if pipe is None or pipe.closed:
                raise FailedError(self._last_words())
            self.patience.moved()
            for part in (_HEADER.pack(len(message), what, lane), message):
                self._sent(pipe.fileno(), memoryview(part).cast("B"))
        except (BrokenPipeError, ValueError):
            raise FailedError(self._last_words()) from None

    def _sent(self, pipe: int, left: memoryview) -> None:
        while left:
            try:
                left = left[os.write(pipe, left) :]
                self.patience.moved()
            except BlockingIOError:
                waiting = poll()
                waiting.register(pipe, POLLOUT)
                if not waiting.poll(1000 * TICK_S):
                    self._check()

    def _listen(self) -> None:
        pipe = self._process.stdout
        if pipe is None:
            return
        try:
            for line in io.BufferedReader(io.FileIO(pipe.fileno(), closefd=False)):
                self._take(json.loads(line))
        except ValueError:
            # Closed while it was read.
            pass
        with self._numbering:
            self._ended = True
            for each in self._answers.values():
                each.put(None)

    def _take(self, answer: dict[str, Any]) -> None:
        with self._numbering:
            asked = self._answers.get(answer["request"])
            # Who asked may have given up meanwhile.
            if asked is not None:
                asked.put(answer)

    def _last_words(self) -> str:
        if self._said.closed:
            return "its client was ended"
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return f"its client has ended: {lines[-1] if lines else 'it said nothing'}"


@dataclass(frozen=True, slots=True)
class Lane:
    """One conversation with the client's process."""

    process: ClientProcess
    number: int

    def execute(self, do: str, *, timeout_s: float = _PATIENCE_S, **arguments: object) -> Any:  # noqa: ANN401 - JSON
        """Have a command carried out and return what it answers.

        Raises:
            RefusedError: The login is refused.
            FailedError: It fails, is not done in time, the server is silent, or the process has
                ended.
        """
        return self.process.ask(self.number, do, timeout_s, arguments)

    def send(self, rows: memoryview) -> None:
        """Send rows as text for the load that was begun last.

        Raises:
            FailedError: The server is silent, or the process has ended.
        """
        self.process.send(self.number, rows)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.alive
