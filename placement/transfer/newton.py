"""The thesis's optimiser: Newton's iteration over the bytes of a batch and of a message.

Algorithm 2 (section 5.2) returns the settings of the step that it stops at. The thesis's text and
figure 5.2 report those before it: with 1 s and Q3 that is iteration 17, whose step gains 1.367 s,
where the step to 18 gains 0.979 s. This module does as these do: no step is taken that is not
worth it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from placement.transfer.bounds import Bounds
from placement.transfer.link import Link, Result, TransferSettings

_MOST_STEPS = 100
_LEAST_BATCH_MESSAGES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Halt:
    """The steps that are not worth it: they gain `gain_s` or less, or cost too much memory.

    A step costs too much if it takes `price_bytes_per_s` or more of a batch for a second that it
    gains (section 5.4). None does not stop.
    """

    gain_s: float | None = None
    price_bytes_per_s: float | None = None

    def stops(self, gain_s: float, more_bytes: float) -> bool:
        """Whether a step with this gain, for so many more bytes of a batch, is not worth it."""
        if gain_s <= 0 or (self.gain_s is not None and gain_s <= self.gain_s):
            return True
        return self.price_bytes_per_s is not None and more_bytes >= self.price_bytes_per_s * gain_s


def newton(link: Link, result: Result, bounds: Bounds, halt: Halt) -> TransferSettings:
    """Return the settings of the last iterate that is worth its step."""
    steps = iterates(link, result, bounds)
    last = next(steps)
    seconds = _seconds(link, result, *last)
    for found in steps:
        now_s = _seconds(link, result, *found)
        if halt.stops(seconds - now_s, found[0] - last[0]):
            break
        last, seconds = found, now_s
    return bounds.settings(result, *last)


def iterates(link: Link, result: Result, bounds: Bounds) -> Iterator[tuple[float, float]]:
    """Yield bytes of a batch and of a message: the first is two messages of the least size.

    The last one is where both are the largest, where the iteration stays, or leaves what is
    positive: the cost is not convex everywhere.
    """
    most_x, most_y = bounds.batch_bytes, float(bounds.most_message)
    y = float(bounds.least_message)
    x = min(_LEAST_BATCH_MESSAGES * y, most_x)
    yield x, y
    for _ in range(_MOST_STEPS):
        gradient, hessian = _derivatives(link, result.result_bytes, x, y)
        step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        following = min(x - float(step[0]), most_x), min(y - float(step[1]), most_y)
        if min(following) <= 0 or following == (x, y):
            return
        x, y = following
        yield x, y


def _derivatives(
    link: Link, size: float, x: float, y: float
) -> tuple[list[float], list[list[float]]]:
    """Return gradient and Hessian matrix of the cost without its roundings (section 5.2)."""
    first, further = link.first, link.further
    start = further.start_s - first.start_s
    message = further.s_per_message_byte - first.s_per_message_byte
    a, c = further.s_per_batch_byte, further.start_s
    gradient = [
        size * (start + message * y) / x**2 + a * size / y,
        -size * message / x - size * (a * x + c) / y**2,
    ]
    mixed = size * message / x**2 - a * size / y**2
    hessian = [
        [-2 * size * (start + message * y) / x**3, mixed],
        [mixed, 2 * size * (a * x + c) / y**3],
    ]
    return gradient, hessian


def _seconds(link: Link, result: Result, batch_bytes: float, message_bytes: float) -> float:
    """Return the cost of sizes that need not be whole rows, in whole batches and messages."""
    bytewise = Result(result_bytes=result.result_bytes, row_bytes=1.0)
    settings = TransferSettings(fetch_rows=int(batch_bytes), message_bytes=int(message_bytes))
    return link.seconds(bytewise, settings)
