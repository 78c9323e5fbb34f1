"""The time of loads that run side by side: each has its share of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import perf_counter


class SharedClock:
    """Divides time among those who work: of n at once, each is given an nth of it.

    So the seconds of all together are those that passed while somebody worked, and rates that are
    made of sums are right.
    """

    def __init__(self, now: Callable[[], float] = perf_counter) -> None:
        self._now = now
        self._lock = Lock()
        self._working = 0
        self._share_s = 0.0
        self._at = now()

    @contextmanager
    def working(self) -> Iterator[Callable[[], float]]:
        """Give a function that returns the seconds of the block's share until now."""
        began = self._changed(1)
        try:
            yield lambda: self._changed(0) - began
        finally:
            self._changed(-1)

    def _changed(self, by: int) -> float:
        """Return the share that one who worked from the beginning would have."""
        with self._lock:
            now = self._now()
            if self._working:
                self._share_s += (now - self._at) / self._working
            self._at = now
            self._working += by
            return self._share_s
