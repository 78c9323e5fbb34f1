"""The parts that frames come to the driver in, and the rows that they may have."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluation.federation.compiled import CompiledFragment
from evaluation.spark.planned_once import MOST_BYTES
from placement.stores import Capability

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PART_BYTES = 32 << 20
"""Predicted bytes of a part of a large frame: Java holds each a few times on its way out."""
SMALL_PART_BYTES = 96 << 20
"""As many of a query that is small as a whole: an exchange into parts would take longer."""
MOST_PARTS = 64
MOST_ARRIVING = MOST_BYTES
"""Bytes that frames of one task may have together, where a query was predicted to be small."""
TIMES_PREDICTED = 1.5
"""As many times its predicted bytes each of them may have in any case."""


def most_rows(fragments: Sequence[CompiledFragment], bytes_in: float) -> dict[str, int]:
    """Return view → rows that it may not have, of a small query's fragments of one task.

    Together the `bytes_in` of the query are small: they share what is left of that.
    """
    spare = max(0.0, MOST_ARRIVING - bytes_in) / max(1, len(fragments))
    works = {each.view: each.fragment.work for each in fragments}
    return {
        view: 1 + int((TIMES_PREDICTED * work.bytes_out + spare) / max(1.0, work.row_bytes_out))
        for view, work in works.items()
    }


def number_of_parts(
    fragment: CompiledFragment, *, as_predicted: bool, is_small: bool = False
) -> int:
    """Return how many parts a fragment's frame comes to the driver in.

    The rows of a statement are the result of one task, all of which would have to fit in Java's
    memory. Where sizes are not `as_predicted` there are as many parts as there may be. A whole
    query has one: its rows may come in an order that nothing else tells. Parts are larger where the
    query `is_small`.
    """
    if fragment.fragment.kind is Capability.QUERY:
        return 1
    if not as_predicted:
        return MOST_PARTS
    part_bytes = SMALL_PART_BYTES if is_small else PART_BYTES
    return int(min(MOST_PARTS, 1 + fragment.fragment.work.bytes_out // part_bytes))


def in_parts(frame: "DataFrame", parts: int) -> "DataFrame":
    """Return a frame in so many parts, to which Spark's exchange deals its rows by the disk."""
    return frame if parts == 1 else frame.repartition(parts)
