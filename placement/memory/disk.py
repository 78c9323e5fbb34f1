"""Seconds that a disk takes, by the size of its requests (the study, section 4)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

MIXED_READS = 3
"""Bytes that are read for each appended one while the mixed rate is measured."""

ASKED_BYTES = 8192
"""Bytes of one read call of PostgreSQL's for a file of spilled rows: its block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskRates:
    """Seconds that a disk takes for its requests. All figures are of one request after another.

    read_s: bytes of a request → seconds of one read of so much, anywhere.
    append_s: bytes of a request → seconds of one append of so much.
    sequential_read_bytes_per_s: bytes read in order a second, while nothing is written.
    mixed_read_bytes_per_s: bytes read in order a second while one byte is appended to another
        file for every `MIXED_READS` that are read.
    gathered_bytes: bytes of appends that the operating system holds back before it writes them.
        It writes those of one file together, so they bound the size of later requests. None where
        it is not known: requests are then taken to be the smallest.
    read_ahead_bytes: bytes of a file that the operating system reads at once at most; None where
        it is not known, and then the largest request is.

    Raises ValueError where a size has no rate: one of each must be known.
    """

    read_s: Mapping[int, float]
    append_s: Mapping[int, float]
    sequential_read_bytes_per_s: float
    mixed_read_bytes_per_s: float
    gathered_bytes: float | None
    read_ahead_bytes: float | None = None

    def __post_init__(self) -> None:
        if not self.read_s or not self.append_s:
            raise ValueError("a disk's rates need the seconds of a read and of an append")

    @property
    def smallest_bytes(self) -> int:
        """The smallest request whose seconds are known: nothing is asked for in smaller ones."""
        return min(self.read_s)

    @property
    def largest_bytes(self) -> float:
        """The largest request: more is asked for in several. Without read-ahead it is a page."""
        largest = max(self.read_s)
        ahead = largest if self.read_ahead_bytes is None else self.read_ahead_bytes
        return max(self.smallest_bytes, min(largest, ahead))

    def run_bytes(self, files: int) -> float:
        """Return the bytes of a file that lie together where `files` files are appended in turn.

        The study says that small working memory makes many small partitions, and that these are
        fragmented; it gives no formula. Here, what the system gathers is shared by the files.
        """
        shared = (self.gathered_bytes or 0.0) / max(1, files)
        return min(self.largest_bytes, max(float(self.smallest_bytes), shared))

    def scattered_read_s(self, total_bytes: float, request_bytes: float) -> float:
        """Return the seconds of reading `total_bytes` in requests anywhere.

        Nothing is read slower in order than anywhere, so reads in order are the least.
        """
        anywhere = _seconds(self.read_s, request_bytes) / request_bytes
        return total_bytes * max(anywhere, 1 / self.sequential_read_bytes_per_s)

    def partition_read_s(self, file_bytes: float, run_bytes: float) -> tuple[float, float]:
        """Return the seconds of a file's first request, and those of the later ones.

        The first is waited for. The later ones are asked for ahead, in windows that grow as those
        of Linux do (mm/readahead.c): the first has four times what was asked for, the next four
        times as much until a sixteenth of the most, then twice as much. A window is a request for
        each `run_bytes` of it that lie together.
        """
        if file_bytes <= 0:
            return 0.0, 0.0
        most = max(self.smallest_bytes, float(self.read_ahead_bytes or self.largest_bytes))
        first = _first_window(most)
        waited_s = self._window_s(min(first, file_bytes), run_bytes)
        left, window, ahead_s = file_bytes - first, first, 0.0
        while left > 0:
            window = min(most, window * (4 if window < most / 16 else 2))
            # All windows are alike from the largest on.
            number = max(1, math.floor(left / window)) if window == most else 1
            read = min(left, window)
            ahead_s += number * self._window_s(read, run_bytes)
            left -= number * read
        return waited_s, ahead_s

    def _window_s(self, window_bytes: float, run_bytes: float) -> float:
        return self.scattered_read_s(window_bytes, min(window_bytes, run_bytes))

    def scan_s(self, read_bytes: float, appended_bytes: float, request_bytes: float) -> float:
        """Return the seconds of reading in order while others are appended in requests.

        An append takes from the reads what it took while the mixed rate was measured. On a disk
        that serves both side by side that is nothing, and then the slower of the two counts.
        """
        alone_s = 1 / self.sequential_read_bytes_per_s
        taken_s = max(0.0, 1 / self.mixed_read_bytes_per_s - alone_s) * MIXED_READS
        appends_s = appended_bytes * _seconds(self.append_s, request_bytes) / request_bytes
        return max(read_bytes * alone_s + appended_bytes * taken_s, appends_s)


def _first_window(most: float) -> float:
    """Return the bytes that are read ahead at a file's begin, of `most` later."""
    if most >= 32 * ASKED_BYTES:
        return 4.0 * ASKED_BYTES
    return min(most, 2.0 * ASKED_BYTES)


def _seconds(known: Mapping[int, float], request_bytes: float) -> float:
    """Return the seconds of a request, linear between known sizes.

    A smaller one than is known takes as long as the smallest, and a larger one as long as several
    of the largest.
    """
    sizes = sorted(known)
    if request_bytes <= sizes[0]:
        return known[sizes[0]]
    if request_bytes >= sizes[-1]:
        return known[sizes[-1]] * request_bytes / sizes[-1]
    above = next(size for size in sizes if size >= request_bytes)
    below = sizes[sizes.index(above) - 1]
    share = (request_bytes - below) / (above - below)
    return known[below] + share * (known[above] - known[below])
