"""An axis of a picture: values to pixels, linear or logarithmic, with round ticks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDE_RANGE = 8.0
"""From this ratio of largest to smallest an axis is logarithmic."""
FEW_TICKS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """Values from `low` to `high` along pixels from `first` to `last`."""

    low: float
    high: float
    logarithmic: bool
    first: float
    last: float

    def at(self, value: float) -> float:
        """Return the pixel of `value`."""
        low, high, given = self.low, self.high, value
        if self.logarithmic:
            low, high, given = math.log(low), math.log(high), math.log(value)
        return self.first + (given - low) / (high - low) * (self.last - self.first)

    def ticks(self) -> list[float]:
        """Return few round values between the ends."""
        if self.logarithmic:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            digits = (1, 2, 5) if len(powers) <= FEW_TICKS else (1,)
            made = [digit * 10.0**power for power in powers for digit in digits]
        else:
            step = 10.0 ** math.floor(math.log10((self.high - self.low) / 2))
            while (self.high - self.low) / step > FEW_TICKS:
                step *= 2
            first = math.ceil(self.low / step)
            made = [step * (first + index) for index in range(2 * FEW_TICKS)]
        return [tick for tick in made if self.low <= tick <= self.high]


def axis_of(values: Sequence[float], first: float, last: float) -> Axis:
    """Return an axis on which all of `values` have their place, with room at the ends."""
    low, high = min(values), max(values)
    if low > 0 and high / low >= WIDE_RANGE:
        return Axis(low=low / 1.25, high=high * 1.25, logarithmic=True, first=first, last=last)
    room = (high - low) * 0.08 or abs(high) * 0.1 or 1.0
    least = low - room
    return Axis(
        low=least if low < 0 or least > 0 else 0.0 - (room if low <= 0 else 0.0),
        high=high + room,
        logarithmic=False,
        first=first,
        last=last,
    )
