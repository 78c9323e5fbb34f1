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

    def bounds(self, fetch_size: int) -> Bounds:
        """Return the bounds of settings that keep it, for a run of this `fetch_size`.

        Only memory has anything to gain by fewer rows than the run's, and it has a limit. A link
        whose waits the calibration did not tell from noise would have them fetched one by one.
        """
        return Bounds(
            batch_bytes=self.memory_bytes / CLIENT_BYTES_PER_BYTE,
            least_rows=fetch_size,
            least_message=MOST_MESSAGE,
        )


def client_bytes(fragment: Fragment, transfer: TransferSettings) -> float:
    """Return the memory that a batch of the fragment's rows takes in the client."""
    return CLIENT_BYTES_PER_BYTE * result_of(fragment).batch_bytes(transfer.fetch_rows)


def result_of(fragment: Fragment) -> Result:
    """Return the size of what a fragment hands over: a row of a byte at the least."""
    row_bytes = max(1.0, fragment.work.row_bytes_out)
    return Result(result_bytes=max(1.0, fragment.work.rows_out) * row_bytes, row_bytes=row_bytes)


def fetched_in_portions(fragment: Fragment, store: Store) -> bool:
    """Whether settings matter: a driver asks for portions, and what is small comes at once."""
    small = fragment.work.bytes_out <= FEW_BYTES or fragment.reduction.repeats is not None
    return store.strength.portions and not small


def settings_of(
    fragment: Fragment, store: Store, budget: Budget, fetch_size: int
) -> TransferSettings | None:
    """Return the settings to fetch a fragment's rows with; None for those of the run.

    `fetch_size` is the run's.
    """
    if not fetched_in_portions(fragment, store):
        return None
    return _chosen(store.strength.link, result_of(fragment), budget.bounds(fetch_size))


# Placing prices a fragment again and again.
_chosen = lru_cache(maxsize=100_000)(closed_form)
