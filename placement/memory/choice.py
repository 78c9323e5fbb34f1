"""The working memory that takes the fewest seconds, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from placement.memory.hybrid_hash import JoinCost
from placement.memory.join import HashJoin, StoreJoins
from placement.memory.machine import Machine

TOLERANCE = 0.02
"""Share of the fewest seconds that less memory may cost: it leaves caches and memory to others."""

SWEPT_BYTES = tuple(1 << power for power in range(16, 31))
"""The settings of the study's sweep up to 1 GiB, from 64 KiB on, each twice the one before."""


class JoinMethod(Protocol):
    """A way of joining by hashes: `hybrid_hash.pipeline_cost`, `block_hash.block_pipeline_cost`."""

    def __call__(
        self,
        joins: Sequence[HashJoin],
        memory_bytes: float,
        machine: Machine,
        store: StoreJoins,
        *,
        queries: int = 1,
    ) -> JoinCost:
        """Return what joins of one pipeline cost with so much working memory each."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChoice:
    """The chosen setting, the curve that it was chosen from, and the reason in a sentence."""

    chosen: JoinCost
    curve: tuple[JoinCost, ...]
    reason: str


def choose(
    curve: Sequence[JoinCost],
    *,
    memory_bytes: float | None = None,
    tolerance: float = TOLERANCE,
    bounds_all: bool = False,
) -> MemoryChoice:
    """Choose a setting whose seconds are within `tolerance` of the fewest.

    Of several it is the one with the fewest batches, as tables that are larger than they are taken
    to be make more of these, and of settings with as many the smallest. The largest such setting is
    chosen where it `bounds_all` that a query takes, and not its hash tables alone: DuckDB's
    `memory_limit` also counts what is read and sorted, and a query that needs more is refused. A
    setting is possible if the hash tables that it makes fit into `memory_bytes` together; None: all
    are. Where none is possible, the one with the smallest tables is taken.

    Raises:
        ValueError: The curve has no setting.
    """
    if not curve:
        raise ValueError("a choice needs at least one setting of memory")
    ordered = sorted(curve, key=lambda cost: cost.memory_bytes)
    fitting = [
        cost for cost in ordered if memory_bytes is None or cost.table_bytes <= memory_bytes
    ] or [min(ordered, key=lambda cost: cost.table_bytes)]
    fewest_s = min(cost.seconds for cost in fitting)
    near = [cost for cost in fitting if cost.seconds <= fewest_s * (1 + tolerance)]
    chosen = near[-1] if bounds_all else min(near, key=lambda cost: cost.batches)
    return MemoryChoice(
        chosen=chosen, curve=tuple(ordered), reason=_reason(chosen, ordered, fitting)
    )


def told_bytes(size: float) -> str:
    """Return a size as settings are written: in kB, MB or GB of 1,024."""
    for unit, factor in (("GB", 1 << 30), ("MB", 1 << 20)):
        if size >= factor:
            return f"{size / factor:g} {unit}"
    return f"{size / 1024:g} kB"


def _reason(chosen: JoinCost, ordered: Sequence[JoinCost], fitting: Sequence[JoinCost]) -> str:
    plural = "es" if chosen.batches > 1 else ""
    takes = f"takes {chosen.seconds:.2f} s in {chosen.batches} batch{plural}"
    parts = [f"{told_bytes(chosen.memory_bytes)} {takes}"]
    smallest, largest = ordered[0], ordered[-1]
    if smallest.memory_bytes < chosen.memory_bytes:
        parts.append(
            f"{told_bytes(smallest.memory_bytes)} takes {smallest.seconds:.2f} s "
            f"in {smallest.batches} batches"
        )
    if largest not in fitting:
        parts.append(
            f"the hash tables of {told_bytes(largest.memory_bytes)} do not fit into memory"
        )
    elif largest.memory_bytes > chosen.memory_bytes:
        waits = "with more cache misses" if largest.misses > chosen.misses else "and is no faster"
        parts.append(f"{told_bytes(largest.memory_bytes)} takes {largest.seconds:.2f} s {waits}")
    return "; ".join(parts) + "."
