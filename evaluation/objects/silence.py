"""Waits for a node that says nothing: a thread ends them, as Flight's own have no end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

SILENCE_S = 60.0
"""So long may a node owe the next message of an answer: it takes them out of its memory."""


class Watch:
    """Ends the waits of one link: `end` is called once a wait has lasted for `silence_s`.

    A wait begins and goes on by a note in a field alone: objects are fetched in microseconds.
    """

    def __init__(self, silence_s: float, end: Callable[[], None]) -> None:
        self._silence_s = silence_s
        self._end = end
        self._since: float | None = None
        self._closed = Event()
        self.is_over = False
        Thread(target=self._look, name="silence", daemon=True).start()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Watch the block, whose wait begins anew with each `moved`."""
        self._since = monotonic()
        try:
            yield
        finally:
            self._since = None

    def moved(self) -> None:
        """Take note that something came."""
        self._since = monotonic()

    def close(self) -> None:
        """Watch no longer."""
        self._closed.set()

    def _look(self) -> None:
        while not self._closed.wait(min(1.0, self._silence_s / 4)):
            since = self._since
            if since is not None and monotonic() - since > self._silence_s:
                self.is_over = True
                self._end()


def silent(silence_s: float) -> str:
    """Return what to say of a node that said nothing for so long."""
    return (
        f"it has said nothing for {silence_s:g} s: look at the node and the network, or raise"
        " [evaluate].silence_s"
    )
