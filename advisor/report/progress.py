"""Progress on standard error: live bars on a terminal, few plain lines elsewhere."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as RichBars

WORTH_SHOWING_S = 2.0
HEARTBEAT_S = 10.0
TICK_S = 0.5


def progress_to(stream: TextIO | None = None) -> "LiveProgress | PlainProgress":
    """Return what suits the stream (default standard error): bars on a terminal, else lines."""
    target = stream or sys.stderr
    return LiveProgress(target) if target.isatty() else PlainProgress(target)


@dataclass(slots=True)
class _Bar:
    bars: RichBars
    id: TaskID

    def advance(self, amount: float = 1) -> None:
        """Move the bar."""
        self.bars.advance(self.id, amount)


class LiveProgress:
    """A bar for every task under way, nested by indentation; long ones leave a line behind."""

    def __init__(self, stream: TextIO) -> None:
        self._bars = RichBars(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=Console(file=stream),
            transient=True,
        )
        self._depth = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bars.stop()

    @contextmanager
    def task(self, description: str, total: float | None = None) -> Iterator[_Bar]:
        """Show a bar until the block ends."""
        with self._lock:
            depth, self._depth = self._depth, self._depth + 1
        text = "  " * depth + escape(description)
        bar = _Bar(self._bars, self._bars.add_task(text, total=total))
        started = time.monotonic()
        ended = "[red]✗[/]"
        try:
            yield bar
            ended = "[green]✓[/]"
        except KeyboardInterrupt:
            ended = "[yellow]interrupted:[/]"
            raise
        finally:
            seconds = time.monotonic() - started
            self._bars.remove_task(bar.id)
            if seconds >= WORTH_SHOWING_S:
                self._bars.console.print(f"{ended} {text} [dim]{seconds:.1f} s[/]")
            with self._lock:
                self._depth -= 1


@dataclass(slots=True)
class _Line:
    description: str
    total: float | None
    started_s: float
    depth: int
    done: float = 0.0
    spoken_s: float | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def advance(self, amount: float = 1) -> None:
        """Count what is done."""
        with self.lock:
            self.done += amount


class PlainProgress:
    """Lines for a log: a task that takes over two seconds is named, then every ten, then ended.

    `clock` returns seconds; `tick` says what is due and is called by a thread while in use.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._tasks: list[_Line] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    @contextmanager
    def task(self, description: str, total: float | None = None) -> Iterator[_Line]:
        """Follow a task until the block ends."""
        with self._lock:
            line = _Line(description, total, self._clock(), depth=len(self._tasks))
            self._tasks.append(line)
        ended = "failed after"
        try:
            yield line
            ended = "done in"
        except KeyboardInterrupt:
            ended = "interrupted after"
            raise
        finally:
            with self._lock:
                self._tasks.remove(line)
                seconds = self._clock() - line.started_s
                if seconds >= WORTH_SHOWING_S:
                    self._say(line, f"{ended} {seconds:.1f} s")

    def tick(self) -> None:
        """Name the tasks that are now worth showing, and how far the others are."""
        with self._lock:
            now = self._clock()
            for line in self._tasks:
                if line.spoken_s is None and now - line.started_s >= WORTH_SHOWING_S:
                    line.spoken_s = now
                    self._say(line, "…")
                elif line.spoken_s is not None and now - line.spoken_s >= HEARTBEAT_S:
                    line.spoken_s = now
                    self._say(line, _far(line, now))

    def _run(self) -> None:
        while not self._stop.wait(TICK_S):
            self.tick()

    def _say(self, line: _Line, text: str) -> None:
        self._stream.write(f"{'  ' * line.depth}{line.description} {text}\n")
        self._stream.flush()


def _far(line: _Line, now: float) -> str:
    seconds = f"{now - line.started_s:.0f} s"
    return f"{line.done / line.total:.0%}, {seconds}" if line.total else seconds
