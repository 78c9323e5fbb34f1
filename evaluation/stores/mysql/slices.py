"""Runs of chunks, each for one transaction of bounded size."""

from collections.abc import Iterable, Iterator

# What a server has to undo when a load fails.
_TRANSACTION_BYTES = 64 << 20


def slices(chunks: Iterable[memoryview]) -> Iterator[Iterator[memoryview]]:
    """Return runs of chunks for a transaction each; each must be used up before the next."""
    left = iter(chunks)
    for first in left:
        yield _slice(first, left)


def _slice(first: memoryview, left: Iterator[memoryview]) -> Iterator[memoryview]:
    yield first
    size_bytes = len(first)
    while size_bytes < _TRANSACTION_BYTES and (chunk := next(left, None)) is not None:
        yield chunk
        size_bytes += len(chunk)
