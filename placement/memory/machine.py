"""A machine as hash joins see it: caches, a disk, memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from placement.memory.disk import DiskRates


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp:
    """A table that references go to in no order: its bytes, and the references for each of them."""

    used_bytes: float
    density: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """The seconds of a reference's wait, and the share (0..1) that waits for memory."""

    seconds: float
    from_memory: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLevel:
    """A level of the caches, of `size_bytes`.

    miss_s: seconds that a reference takes longer where it is not found in this level, but in the
        next (or in memory). `shared`: by all cores, and so by all queries that run at once.
    """

    size_bytes: float
    miss_s: float
    shared: bool = True

    def missing_share(self, used_bytes: float) -> float:
        """Return the share (0..1) of references to any of `used_bytes` that this level has not.

        It holds as much of what is used as it has room for, whichever part that is: references
        anywhere then find the rest missing. What fits has no misses once it was loaded (the study,
        section 3.2).
        """
        if used_bytes <= self.size_bytes:
            return 0.0
        return 1.0 - self.size_bytes / used_bytes

    def missing_shares(self, tables: Sequence[LookedUp], times: int = 1) -> tuple[float, ...]:
        """Return for each table the share of its references that this level has not.

        There are so many `times` of each table. What is referred to most for its size stays, as in
        any cache that drops what was used longest ago; tables of one density share what is left.
        """
        found = [0.0] * len(tables)
        left = self.size_bytes
        order = sorted(range(len(tables)), key=lambda each: -tables[each].density)
        for _, group in groupby(order, key=lambda each: tables[each].density):
            members = list(group)
            used = sum(tables[each].used_bytes for each in members) * times
            held = 1.0 if used <= left else left / used
            for each in members:
                found[each] = 1.0 - held
            left = max(0.0, left - used)
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The hardware that a join's seconds depend on.

    `caches` from the smallest to the largest. `disk` None: what a disk costs is unknown, and left
    out of all seconds. page_cache_bytes: bytes of spilled rows that the operating system keeps in
    memory, so that reading them again asks nothing of the disk. memory_bytes: what all hash tables
    may take together; None where it is not known.
    """

    caches: Sequence[CacheLevel]
    disk: DiskRates | None = None
    page_cache_bytes: float = 0.0
    memory_bytes: float | None = None

    def waits(self, tables: Sequence[LookedUp], queries: int = 1) -> tuple[Wait, ...]:
        """Return the wait of a reference to each of the tables, which are in use at once.

        So many `queries` use as much at once, each on a core of its own: they share the shared
        levels.
        """
        missing = [
            each.missing_shares(tables, queries if each.shared else 1) for each in self.caches
        ]
        return tuple(
            Wait(
                seconds=sum(
                    level.miss_s * shares[each]
                    for level, shares in zip(self.caches, missing, strict=True)
                ),
                from_memory=missing[-1][each] if missing else 1.0,
            )
            for each in range(len(tables))
        )

    def miss_s(self, used_bytes: float, queries: int = 1) -> float:
        """Return the seconds that a reference to any of `used_bytes` waits for its data."""
        (found,) = self.waits([LookedUp(used_bytes=used_bytes, density=1.0)], queries)
        return found.seconds
