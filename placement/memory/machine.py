"""A machine as hash joins see it: caches, a disk, memory."""

from collections.abc import Sequence
from dataclasses import dataclass

from placement.memory.disk import DiskRates


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What a join's seconds depend on.

    `caches` from the smallest to the largest. `disk` None: what a disk costs is unknown, and left
    out of all seconds. page_cache_bytes: bytes of spilled rows that the operating system keeps in
    memory, so that reading them again asks nothing of the disk. memory_bytes: what all hash tables
    may take together; None where it is not known.
    """

    caches: Sequence[CacheLevel]
    disk: DiskRates | None = None
    page_cache_bytes: float = 0.0
    memory_bytes: float | None = None

    def miss_s(self, used_bytes: float, queries: int = 1) -> float:
        """Return the seconds that a reference to any of `used_bytes` waits for its data.

        So many `queries` use as much at once, each on a core of its own: they share the shared
        levels.
        """
        return sum(
            level.miss_s * level.missing_share(used_bytes * (queries if level.shared else 1))
            for level in self.caches
        )

    def missing_share(self, used_bytes: float, queries: int = 1) -> float:
        """Return the share of references that wait for memory: the last level has them not."""
        if not self.caches:
            return 1.0
        last = self.caches[-1]
        return last.missing_share(used_bytes * (queries if last.shared else 1))
