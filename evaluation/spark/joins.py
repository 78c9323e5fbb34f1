"""Join strategies of the engine: its own choice, broadcast, or partitioned on both sides."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal

from evaluation.federation.compiled import CompiledFragment
from evaluation.spark.java import gone
from evaluation.spark.planned_once import is_small

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JoinStrategy = Literal["automatic", "broadcast", "partitioned"]
"""Broadcast sends one side of a join to every worker, partitioned deals out both by the keys."""

SMALL_BYTES = 4 << 20
"""Predicted bytes of a fragment up to which joins broadcast it by themselves."""
HASHED_BYTES = 16 << 20
"""Predicted bytes of a fragment up to which joins of a small query hash its parts."""

# Spark refuses to broadcast more.
_MOST = "8g"
_THRESHOLDS = (
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.adaptive.autoBroadcastJoinThreshold",
)


def join_settings(strategy: JoinStrategy) -> Mapping[str, str]:
    """Return Spark's settings, which may change while a session runs.

    Adaptive execution compares the sizes that it sees after the shuffles with them. `NOT IN` is
    broadcast whatever the strategy: Spark has no other way.
    """
    if strategy == "automatic":
        return {}
    return dict.fromkeys(_THRESHOLDS, _MOST if strategy == "broadcast" else "-1")


@contextmanager
def joining(spark: "SparkSession", strategy: JoinStrategy) -> Iterator[None]:
    """Let the session join so for the length of the block."""
    settings = join_settings(strategy)
    before = {key: spark.conf.get(key, None) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        # A Java that has ended keeps no settings, and must not hide why it did.
        with suppress(*gone()):
            for key, was in before.items():
                if was is None:
                    spark.conf.unset(key)
                else:
                    spark.conf.set(key, was)


def join_hints(
    fragments: Sequence[CompiledFragment], strategy: JoinStrategy, *, as_predicted: bool
) -> dict[str, str]:
    """Return view → how joins are told to treat it, where they can.

    Spark knows no size of what comes by JDBC: untold it would write out both sides of each join
    before it sees which is small, and sort both. Of a small query, which sees no sizes later
    either, parts that fit into memory are hashed; they fail where they do not, and are not hashed
    where sizes are not `as_predicted`. With the strategy `broadcast` all are broadcast but the one
    that is predicted to be the largest; what is joined with that result is compared after a
    shuffle.
    """
    if strategy == "partitioned":
        return {}
    if strategy == "broadcast":
        largest = max(fragments, key=lambda each: each.fragment.work.bytes_out, default=None)
        return {each.view: "broadcast" for each in fragments if each is not largest}
    small = _up_to(SMALL_BYTES, fragments)
    hashed = _up_to(HASHED_BYTES, fragments) if as_predicted and is_small(fragments) else ()
    return dict.fromkeys(hashed, "shuffle_hash") | dict.fromkeys(small, "broadcast")


def _up_to(size_bytes: int, fragments: Sequence[CompiledFragment]) -> list[str]:
    return [each.view for each in fragments if each.fragment.work.bytes_out <= size_bytes]
