"""Waits for a server: each has an end, also where the server says nothing."""

from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from threading import Event
from time import monotonic

TICK_S = 0.5
"""The seconds after which a wait looks again whether it shall go on."""
_INTERRUPTED: ContextVar[tuple[Event, ...]] = ContextVar("interrupted", default=())


class SilentError(OSError):
    """A server owes an answer and is silent, or the wait for it was interrupted."""


def interrupted_by(event: Event) -> Context:
    """Return a context in which waits end once `event` is set; a thread takes a copy of it.

    They end, too, by what ends those of the context that it is made in.
    """
    context = copy_context()
    context.run(_INTERRUPTED.set, (*_INTERRUPTED.get(), event))
    return context


def is_interrupted() -> bool:
    """Whether waits of this context end at once."""
    return any(event.is_set() for event in _INTERRUPTED.get())


def go_on() -> None:
    """Raise SilentError where waits of this context end at once."""
    if is_interrupted():
        raise SilentError("interrupted")


class Wait:
    """Bounds waits: each ends with an interrupt, and after `silence_s` as `silent` says."""

    def __init__(self, silence_s: float) -> None:
        self._silence_s = silence_s
        self._since = monotonic()

    def moved(self) -> None:
        """Take note that a byte was sent or came."""
        self._since = monotonic()

    def check(self) -> None:
        """Raise OSError where the wait shall end; called every TICK_S while it lasts."""
        self.look()
        if monotonic() - self._since > self._silence_s:
            self.silent()

    def look(self) -> None:
        """Raise SilentError where the wait was interrupted."""
        go_on()

    def silent(self) -> None:
        """Raise OSError unless the server may be silent for longer."""
        raise NotImplementedError


class Login(Wait):
    """Bounds the waits of a login, and of what is asked by one that is given a few seconds."""

    def silent(self) -> None:
        """Raise TimeoutError: who logs in owes nobody patience."""
        raise TimeoutError("timed out")


class Patience(Wait):
    """Bounds a session's waits: a silent server is asked, by another login, what it does.

    A statement may take hours. So after `silence_s` without a byte `works` tells whether the server
    still works for the session. Where it does not, as for a proxy that has lost what was sent, or
    where the server does not answer that question either, the wait ends.
    """

    def __init__(self, silence_s: float, works: Callable[[], bool]) -> None:
        super().__init__(silence_s)
        self._works = works

    def silent(self) -> None:
        """Raise SilentError unless the server works for the session."""
        if not self._works():
            raise SilentError(
                f"it has said nothing for {self._silence_s:g} s and does not work for us: look "
                "at the server and the network, or raise [evaluate].silence_s"
            )
        self.moved()


def never() -> bool:
    """Tell of a session that nobody can ask about: it does not work for us."""
    return False
