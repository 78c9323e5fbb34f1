"""The settings that a fragment's rows are best fetched with, by the link of its store."""

from dataclasses import dataclass
from functools import lru_cache

from placement.fragment import Fragment
from placement.stores import Store
from placement.transfer.bounds import MOST_MESSAGE, Bounds
from placement.transfer.closed_form import closed_form
from placement.transfer.link import Result, TransferSettings

FEW_BYTES = 4 << 20
"""Predicted bytes of a fragment up to which it is fetched at once."""
CLIENT_BYTES_PER_BYTE = 8
"""Bytes that a driver takes for each byte of a batch: it holds every value as an object, of which
the header alone is twice a number's size, and drops a batch when the next one has come."""
MEMORY_BYTES = 64 << 20
"""Bytes of the client's memory that a fragment's rows may take unless it is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The memory of the client that the rows of one fragment may take, and what it is worth."""

    memory_bytes: int = MEMORY_BYTES

    def bounds(self, fetch_size: int, statements: int = 1) -> Bounds:
        """Return the bounds of settings that keep it, for a run of this `fetch_size`.

        Of several `statements` each has an equal part, a batch and its buffer. Only memory has
        anything to gain by fewer rows than the run's, and it has a limit. A link whose waits the
        calibration did not tell from noise would have them fetched one by one.
        """
        each = self.memory_bytes / statements - MOST_MESSAGE
        return Bounds(
            # A batch has a row at least, whatever memory there is.
            batch_bytes=max(1.0, each / CLIENT_BYTES_PER_BYTE),
            least_rows=fetch_size,
            least_message=MOST_MESSAGE,
        )


def client_bytes(
    fragment: Fragment, transfer: TransferSettings, statements: int | None = None
) -> float:
    """Return the memory of the client for a batch and a receive buffer of each statement.

    There are as many `statements` as the settings state, unless it is told.
    """
    count = transfer.statements if statements is None else statements
    batch_bytes = result_of(fragment, count).batch_bytes(transfer.fetch_rows)
    return count * (CLIENT_BYTES_PER_BYTE * batch_bytes + transfer.message_bytes)


def result_of(fragment: Fragment, statements: int = 1) -> Result:
    """Return the size of what a fragment hands over by each of its statements, at least a byte."""
    row_bytes = max(1.0, fragment.work.row_bytes_out)
    rows = max(1.0, fragment.work.rows_out / statements)
    return Result(result_bytes=rows * row_bytes, row_bytes=row_bytes)


def is_large(fragment: Fragment) -> bool:
    """Whether a fragment's rows are read, and do not come at once."""
    return fragment.work.bytes_out > FEW_BYTES and fragment.reduction.repeats is None


def fetched_in_portions(fragment: Fragment, store: Store) -> bool:
    """Whether settings matter: a driver asks for portions, and what is small comes at once."""
    return store.strength.portions and is_large(fragment)


def settings_of(
    fragment: Fragment, store: Store, budget: Budget, fetch_size: int, statements: int = 1
) -> TransferSettings | None:
    """Return the settings to fetch a fragment's rows with; None for those of the run.

    `fetch_size` is the run's. The rows are divided among so many `statements`.
    """
    if not fetched_in_portions(fragment, store):
        return None
    result, bounds = result_of(fragment, statements), budget.bounds(fetch_size, statements)
    return _chosen(store.strength.link, result, bounds)


# Placing prices a fragment again and again.
_chosen = lru_cache(maxsize=100_000)(closed_form)
