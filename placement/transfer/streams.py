"""Results that several statements hand over at the same time, each a range of one column."""

from dataclasses import dataclass

Points = tuple[tuple[int, float], ...]
"""Numbers of statements, in order, each with a multiple of the seconds that one takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """The statements that a result is read by: `count` of them, each a range of `column`.

    The column is written ``alias.name``. With `computed_again` each of them has the store scan and
    join all of it; else an index finds the rows of a range. A count of 1 divides nothing.
    """

    count: int
    column: str
    computed_again: bool = True

    @property
    def computed(self) -> int:
        """The number of times that the store computes the result."""
        return self.count if self.computed_again else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamTimes:
    """The seconds that dividing a result saves, as a store and the engine were measured.

    `shares` has each number of statements that was probed, in order, and the share of the seconds
    of one statement that they took. `error` is the largest difference of repeats, as a share.
    """

    shares: Points
    error: float

    def share(self, count: int) -> float:
        """Return the share for a number of statements; between probed ones it is on a line.

        Of more statements than were probed nothing is known to save more.
        """
        return _between(self.shares, count)[1]


def at_once(measured: Points, count: int) -> float:
    """Return how many times as long as one statement so many of equal work take at once.

    Between measured numbers it is on a line. Beyond them, and where nothing was measured, each
    further statement waits for those before it.
    """
    probed, multiple = _between(measured, count)
    return multiple * count / probed


def _between(points: Points, count: int) -> tuple[int, float]:
    """Return a number of statements and its multiple on the line between two points.

    It is the last point if there are fewer statements in it.
    """
    below = (1, 1.0)
    for probed in points:
        if count <= probed[0]:
            of = (count - below[0]) / max(1, probed[0] - below[0])
            return count, below[1] + of * (probed[1] - below[1])
        below = probed
    return below
