"""The values of a log that its filters met: what an error says where they leave nothing."""

from dataclasses import dataclass, field
from datetime import datetime

MOST_NAMES = 20
"""So many values that exist are kept for an error."""


@dataclass(slots=True)
class Seen:
    """The values that filters met so far: names by filter, and ranges of times and durations.

    `passed` are the filters that something passed, each by itself. A time is that of the log's own
    clock. What is met in parts and then put together is what is met at once.
    """

    names: dict[str, set[str]] = field(default_factory=dict)
    times: tuple[datetime, datetime] | None = None
    durations_s: tuple[float, float] | None = None
    passed: set[str] = field(default_factory=set)

    def name(self, key: str, value: str) -> None:
        """Note a name."""
        known = self.names.setdefault(key, set())
        if value not in known:
            known.add(value)
            if len(known) > MOST_NAMES:
                known.remove(max(known))

    def time(self, value: datetime) -> None:
        """Note a time."""
        value = value.replace(tzinfo=None)
        first, last = self.times or (value, value)
        self.times = min(first, value), max(last, value)

    def duration(self, seconds: float) -> None:
        """Note a duration."""
        shortest, longest = self.durations_s or (seconds, seconds)
        self.durations_s = min(shortest, seconds), max(longest, seconds)

    def absorb(self, other: "Seen") -> None:
        """Note all that another met."""
        self.passed |= other.passed
        for key, names in other.names.items():
            for each in names:
                self.name(key, each)
        for time in other.times or ():
            self.time(time)
        for seconds in other.durations_s or ():
            self.duration(seconds)
