"""The cost of a fragment in a store: seconds by kind of work, by the formula or corrected."""

from dataclasses import dataclass, replace
from typing import Self

from placement.corrections import Factors


@dataclass(frozen=True, slots=True, kw_only=True)
class FragmentCost:
    """Seconds of one execution of a fragment in a store, by kind of work.

    `keys_s` is the part of `transfer_s` that fetches keys and sends them along, or loads them into
    a table of the store, `disk_s` the part of `scan_s` that waits for the store's disk.
    """

    start_s: float
    scan_s: float
    join_s: float
    aggregate_s: float
    transfer_s: float
    engine_s: float
    keys_s: float = 0.0
    disk_s: float = 0.0

    @property
    def total_s(self) -> float:
        """Sum over all kinds."""
        return self.start_s + self.computed_s + self.transfer_s + self.engine_s

    @property
    def computed_s(self) -> float:
        """Seconds in the store until the rows are there to be handed out."""
        return self.scan_s + self.join_s + self.aggregate_s

    @property
    def rows_s(self) -> float:
        """Seconds in which the store hands its rows to the engine."""
        return self.transfer_s - self.keys_s

    @property
    def work_s(self) -> float:
        """Seconds in the store and on the way from it, without the start and keys."""
        return self.computed_s + self.rows_s

    @property
    def streamed_s(self) -> float:
        """Seconds of what several statements share: all but keys and the engine's own work."""
        return self.start_s + self.work_s

    @property
    def rest_s(self) -> float:
        """Seconds of the start, of keys and in the engine."""
        return self.start_s + self.keys_s + self.engine_s

    def corrected(self, by: Factors) -> Self:
        """Return the cost with `work_s` and `rest_s` times their factors."""
        return replace(
            self,
            start_s=by.rest * self.start_s,
            scan_s=by.work * self.scan_s,
            join_s=by.work * self.join_s,
            aggregate_s=by.work * self.aggregate_s,
            transfer_s=by.work * self.rows_s + by.rest * self.keys_s,
            engine_s=by.rest * self.engine_s,
            keys_s=by.rest * self.keys_s,
            disk_s=by.work * self.disk_s,
        )
