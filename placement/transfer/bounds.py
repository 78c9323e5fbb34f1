"""The settings that may be chosen among, and what more memory has to gain."""

from dataclasses import dataclass
from math import ceil, floor

from placement.transfer.link import Result, TransferSettings

LEAST_MESSAGE, MOST_MESSAGE = 512, 32 * 1024
"""Bytes of a message, as in the thesis (section 5.3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The least and the most bytes of a message, and the most that a batch may take in the client.

    A batch has `least_rows` at the least, where that many fit and there are so many.
    `price_bytes_per_s` is the most memory that a second is worth: a larger batch that gains a
    second for more bytes than that is not taken.
    """

    batch_bytes: float = 30e6
    least_rows: int = 1
    least_message: int = LEAST_MESSAGE
    most_message: int = MOST_MESSAGE
    price_bytes_per_s: float = 1e9

    def settings(
        self, result: Result, batch_bytes: float, message_bytes: float
    ) -> TransferSettings:
        """Return the settings nearest to the sizes that respect the bounds: at least a row."""
        within = min(max(batch_bytes, self.least_rows * result.row_bytes), self.batch_bytes)
        rows = within / result.row_bytes
        # The estimate of a result need not be of whole rows: a batch for all has the last one too.
        whole = ceil(result.result_bytes / result.row_bytes)
        message = min(max(message_bytes, self.least_message), self.most_message)
        return TransferSettings(
            fetch_rows=max(1, whole if within >= result.result_bytes else floor(rows)),
            message_bytes=floor(message),
        )
