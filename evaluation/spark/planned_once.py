"""Small queries are planned once: adaptive execution plans what is left anew after each stage.

That pays where sizes are unknown and large. What a plan's fragments hand out is predicted, and
where it is little the planning costs more than it finds: a tenth of a query's seconds.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from evaluation.federation.compiled import CompiledFragment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_BYTES = 256 << 20
"""Predicted bytes of all fragments up to which a query is small."""
PARTITION_BYTES = 4 << 20
"""So much of it is worth a partition of its own in a shuffle."""

_ADAPTIVE = "spark.sql.adaptive.enabled"
_PARTITIONS = "spark.sql.shuffle.partitions"


def is_small(fragments: Sequence[CompiledFragment]) -> bool:
    """Whether a query of such fragments is planned once."""
    return _bytes_out(fragments) <= MOST_BYTES


@contextmanager
def planned_once(spark: "SparkSession", fragments: Sequence[CompiledFragment]) -> Iterator[None]:
    """Let the session plan a query of small fragments once, for the length of the block.

    Its shuffles have at most the partitions that they would have, and one for each core.
    """
    from py4j.protocol import Py4JError

    if not is_small(fragments):
        yield
        return
    predicted = _bytes_out(fragments)
    before = {key: spark.conf.get(key) for key in (_ADAPTIVE, _PARTITIONS)}
    said = str(before[_PARTITIONS])
    cores = spark.sparkContext.defaultParallelism
    most = min(int(said), cores) if said.isdecimal() else cores
    worth = 1 + int(predicted // PARTITION_BYTES)
    spark.conf.set(_ADAPTIVE, "false")
    spark.conf.set(_PARTITIONS, str(max(1, min(most, worth))))
    try:
        yield
    finally:
        # A Java that has ended keeps no settings, and must not hide why it did.
        with suppress(Py4JError):
            for key, was in before.items():
                spark.conf.set(key, str(was))


def _bytes_out(fragments: Sequence[CompiledFragment]) -> float:
    return sum(each.fragment.work.bytes_out for each in fragments)
