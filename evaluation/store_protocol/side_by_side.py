"""Servers asked side by side, until an interrupt."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import TypeVar

from evaluation.store_protocol.patience import interrupted_by

_Asked = TypeVar("_Asked")
_Told = TypeVar("_Told")

AT_ONCE = 8
ENDING_S = 2.0
"""So long after an interrupt threads may take to end: to close their sessions, say."""


def side_by_side(
    ask: Callable[[_Asked], _Told], each: Sequence[_Asked], at_once: int = AT_ONCE
) -> tuple[_Told, ...]:
    """Return what `ask` tells of each, in their order, by at most `at_once` threads.

    What it raises ends all of them, and so does an interrupt. A thread that does not hear of it,
    in a look-up of a name for example, is left behind: it must have nothing to clean up.
    """
    interrupted, todo = Event(), SimpleQueue[tuple[Future[_Told], _Asked]]()
    futures = [Future[_Told]() for _ in each]
    for pair in zip(futures, each, strict=True):
        todo.put(pair)

    def work() -> None:
        while not interrupted.is_set():
            try:
                future, one = todo.get_nowait()
            except Empty:
                return
            try:
                future.set_result(ask(one))
            except BaseException as error:  # noqa: BLE001 - raised where the result is taken
                future.set_exception(error)

    context = interrupted_by(interrupted)
    threads = [
        Thread(target=context.copy().run, args=(work,), daemon=True)
        for _ in range(min(at_once, len(futures)))
    ]
    try:
        for thread in threads:
            thread.start()
        return tuple(future.result() for future in futures)
    except BaseException:
        interrupted.set()
        ends = monotonic() + ENDING_S
        for thread in threads:
            if thread.ident is not None:
                thread.join(max(0.0, ends - monotonic()))
        raise
