"""A link: the seconds of handing a result from a store to the engine, by how it is fetched."""

from dataclasses import dataclass
from math import ceil

from placement.transfer.streams import Streams


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCost:
    """Seconds of a message: a base, and a part for each byte of its batch and of itself."""

    start_s: float = 0.0
    s_per_batch_byte: float = 0.0
    s_per_message_byte: float = 0.0

    def seconds(self, batch_bytes: float, message_bytes: float) -> float:
        """Return the seconds of one message of a batch."""
        return (
            self.start_s
            + self.s_per_batch_byte * batch_bytes
            + self.s_per_message_byte * message_bytes
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferSettings:
    """Settings of fetching a result: the rows of a batch, and the bytes of a message.

    A batch is what the client asks for at once and holds, a message what its buffer receives.
    `streams` are the statements that the rows are divided among; None leaves that to the run.
    """

    fetch_rows: int
    message_bytes: int
    streams: Streams | None = None

    @property
    def statements(self) -> int:
        """The number of statements that is stated; one where none is."""
        return 1 if self.streams is None else self.streams.count


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The size of what is handed over: bytes in all, and bytes of a row, both above 0."""

    result_bytes: float
    row_bytes: float

    def batch_bytes(self, fetch_rows: int) -> float:
        """Return the bytes of a batch: no more than there are."""
        return min(self.row_bytes * fetch_rows, self.result_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A store's link: what the `first` message of a batch costs, and what each `further` one.

    A batch is asked for when the one before has come, so that its first message is waited for.
    Those behind it are sent without being asked for (section 4.2, where they are alpha and beta).
    """

    first: MessageCost = MessageCost()
    further: MessageCost = MessageCost()

    def seconds(self, result: Result, settings: TransferSettings) -> float:
        """Return the seconds of a result, in whole batches and messages (section 4.2)."""
        batch_bytes, message_bytes = result.batch_bytes(settings.fetch_rows), settings.message_bytes
        first, further = counts(result, settings)
        return first * self.first.seconds(batch_bytes, message_bytes) + (
            further * self.further.seconds(batch_bytes, message_bytes)
        )

    def trip_s(self, message_bytes: float) -> float:
        """Return what a batch adds: what its first message costs more than a further one."""
        first, further = self.first, self.further
        more_s = first.s_per_message_byte - further.s_per_message_byte
        return first.start_s - further.start_s + more_s * message_bytes

    def added_s(self, size: float, trips: float, batch_bytes: float, message_bytes: float) -> float:
        """Return the seconds that settings add to those which `size` bytes take in any case.

        This is the cost without its roundings, less what is in proportion to the bytes alone:
        `trips` are the batches that are waited for.
        """
        message_s = self.further.start_s + self.further.s_per_batch_byte * batch_bytes
        return trips * self.trip_s(message_bytes) + size / message_bytes * message_s


FREE = Link()
"""A link on which settings add nothing to what bytes take."""


def counts(result: Result, settings: TransferSettings) -> tuple[int, int]:
    """Return how many messages are the first of their batch, and how many are not."""
    batch_bytes = result.batch_bytes(settings.fetch_rows)
    batches = ceil(result.result_bytes / batch_bytes)
    return batches, batches * (ceil(batch_bytes / settings.message_bytes) - 1)
