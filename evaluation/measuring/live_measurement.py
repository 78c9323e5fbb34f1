"""Live tables while a workload was measured, and what their servers take alone."""

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectMeasurement:
    """A query that a live `store` answers alone, sent there as it is written, without an engine.

    `seconds` holds one figure a round, until all rows had come; it is empty where it failed or was
    late, and `message` says why. Its rows are those that the users have today: they are not judged.
    """

    query: str
    executions: float
    store: str
    seconds: tuple[float, ...] = ()
    message: str = ""

    @property
    def measured_s(self) -> float | None:
        """Return the median of its rounds; None where it has none."""
        return median(self.seconds) if self.seconds else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTable:
    """A table that `store` has by itself. Answers were judged by its rows `as_of` a moment in UTC.

    `is_changed` tells whether its rows were others at the end; None where that was not found out.
    Of one that was not `is_read`, as it is too large, answers were compared with one another.
    """

    table: str
    store: str
    as_of: str
    is_changed: bool | None
    is_read: bool = True
