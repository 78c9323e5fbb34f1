"""Keys as they were found: which are sent, and in what form."""

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from evaluation.federation.sent_keys import MOST_RANGES, MOST_SENT

if TYPE_CHECKING:
    import pyarrow as pa

_EPOCH = date(1970, 1, 1).toordinal()
_DAYS = (date.min.toordinal() - _EPOCH, date.max.toordinal() - _EPOCH)


def distinct(rows: "pa.Table") -> "pa.Array":
    """Return the distinct values of the first column, without NULL."""
    return rows.column(0).unique().drop_null()


def are_few(values: "pa.Array") -> bool:
    """Whether a statement holds them."""
    return len(values) <= MOST_SENT


def listed(values: "pa.Array") -> Sequence[object]:
    """Return few values, in order."""
    try:
        return sorted(values.to_pylist())
    except (ValueError, OverflowError):
        # Days beyond Python's calendar, of which no literal is sent: as text they are not.
        return sorted(values.cast("string").to_pylist())


def loadable(values: "pa.Array") -> "pa.Array | None":
    """Return many values in order, as 64-bit integers or days; None of what is never sent."""
    import pyarrow as pa
    from pyarrow import compute

    if not (pa.types.is_integer(values.type) or pa.types.is_date32(values.type)):
        return None
    ordered = values.take(compute.array_sort_indices(values))
    if not pa.types.is_date32(values.type):
        return ordered.cast(pa.int64())
    first, last = (each.value for each in (ordered[0], ordered[-1]))
    return ordered if _DAYS[0] <= first and last <= _DAYS[1] else None


def ranges(keys: "pa.Array") -> Sequence[tuple[object, object]]:
    """Return the ends of the ranges without gaps that `loadable` keys are; none of too many."""
    import pyarrow as pa

    whole = pa.int32() if pa.types.is_date(keys.type) else pa.int64()
    numbers = keys.cast(whole).to_numpy()
    # A difference beyond 64 bits is no 1 either.
    gaps = np.flatnonzero(np.diff(numbers) != 1)
    if len(gaps) >= MOST_RANGES:
        return ()
    firsts, lasts = [0, *(gaps + 1)], [*gaps, len(numbers) - 1]
    return [
        (keys[int(first)].as_py(), keys[int(last)].as_py())
        for first, last in zip(firsts, lasts, strict=True)
    ]
