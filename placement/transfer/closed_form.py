"""The best settings in closed form, within bounds."""

from collections.abc import Iterator
from math import ceil, floor, sqrt

from placement.transfer.bounds import Bounds
from placement.transfer.link import Link, Result, TransferSettings


def closed_form(link: Link, result: Result, bounds: Bounds) -> TransferSettings:
    """Return the settings with which `link` hands `result` over best, at the price of memory.

    Without its roundings the cost is convex in the batch's size, whatever the messages' is. With
    the price of memory its minimum is at ``sqrt(V k / (V a / M + 1 / price))``, where k is what a
    first message costs more than a further one (`Link.trip_s`). It is found for each of a few sizes
    of messages, and compared in whole batches and messages with the nearest of equal size.
    """

    def cost(settings: TransferSettings) -> tuple[float, int]:
        # Where messages cost alike, larger ones need fewer calls.
        return priced_s(link, result, settings, bounds), -settings.message_bytes

    return min(_near(link, result, bounds), key=cost)


def priced_s(link: Link, result: Result, settings: TransferSettings, bounds: Bounds) -> float:
    """Return the seconds of a result, and with them those that its memory is worth."""
    memory_s = result.batch_bytes(settings.fetch_rows) / bounds.price_bytes_per_s
    return link.seconds(result, settings) + memory_s


def _near(link: Link, result: Result, bounds: Bounds) -> Iterator[TransferSettings]:
    """Yield the settings at the minimum and around it."""
    for message in _messages(bounds):
        best = min(_batch_bytes(link, result, message, bounds), bounds.batch_bytes)
        batches = max(1.0, result.result_bytes / best)
        for batch in (best, result.result_bytes / floor(batches), _equal(result, ceil(batches))):
            found = bounds.settings(result, batch, message)
            yield found
            size = result.batch_bytes(found.fetch_rows)
            yield bounds.settings(result, size, ceil(size / ceil(size / message)))


def _equal(result: Result, batches: int) -> float:
    """Return the bytes of so many batches, in whole rows: no row is left for another."""
    rows = result.result_bytes / result.row_bytes
    return ceil(rows / batches) * result.row_bytes


def _batch_bytes(link: Link, result: Result, message_bytes: int, bounds: Bounds) -> float:
    """Return where the cost without its roundings is least: at least a row."""
    size, trip_s = result.result_bytes, max(0.0, link.trip_s(message_bytes))
    slope = size * link.further.s_per_batch_byte / message_bytes + 1 / bounds.price_bytes_per_s
    best = sqrt(size * trip_s / slope)
    return max(best, result.row_bytes)


def _messages(bounds: Bounds) -> Iterator[int]:
    size = float(bounds.least_message)
    while size < bounds.most_message:
        yield round(size)
        size *= sqrt(2)
    yield bounds.most_message
